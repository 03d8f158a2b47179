//! Files of which only a part is ours.

use std::path::Path;

use slipway_host::{Host, Recorded};
use slipway_model::Attributes;
use slipway_plan::{Action, Change, Edit, Plan};

use crate::site::{apply, plan, reset, step, tree};

fn edit(change: Change) -> Plan {
    let edit = Edit { path: "/etc/part".into(), attributes: Attributes::root(0o640), exact: false, change };
    plan(vec![step("edit", &[], vec![Action::Edit(edit)])])
}

#[test]
fn a_change_makes_the_file_only_where_it_has_something_to_say() {
    let line = Change::Line { prefix: "a=".into(), line: "a=1".into() };
    let member = Change::JsonText { member: "a".into(), from: "x".into(), to: "y".into() };
    for (change, text) in [(line, Some("a=1\n")), (Change::Present, Some("")), (member, None)] {
        let host = Recorded::below();
        let attempt = apply(&edit(change.clone()), &host);
        assert_eq!(attempt.changed(), usize::from(text.is_some()), "{change:?}");
        let found = host.read(Path::new("/etc/part")).ok();
        assert_eq!(found.as_deref(), text.map(str::as_bytes), "{change:?}");
        assert_eq!(apply(&edit(change), &host).changed(), 0);
    }
}

#[test]
fn a_link_gives_way_to_a_file_with_the_same_text_and_comes_back() {
    let host =
        Recorded::below().with_files([("/usr/part", "b=2\n", 0o644)]).with_link("/etc/part", "/usr/part");
    let before = tree(&host);
    apply(&edit(Change::Line { prefix: "a=".into(), line: "a=1".into() }), &host);
    assert_eq!(host.read(Path::new("/etc/part")).unwrap(), b"b=2\na=1\n");
    assert_eq!(host.read(Path::new("/usr/part")).unwrap(), b"b=2\n");
    reset(&host);
    assert_eq!(tree(&host), before);
}
