//! Running again.

use std::path::Path;

use slipway_apply::{Effect, Side};
use slipway_host::{Host, Recorded};
use slipway_model::Attributes;
use slipway_plan::{Action, Change, Edit, Plan, SelfSigned};

use crate::site::{apply, directory, file, link, plan, remove, secret, step, tree, words};

fn everything() -> Plan {
    let edit = Edit {
        path: "/etc/hosts".into(),
        attributes: Attributes::root(0o644),
        exact: false,
        change: Change::Line { prefix: "10.0.0.1".into(), line: "10.0.0.1 api".into() },
    };
    let pair = SelfSigned {
        certificate: "/etc/pki/n1.crt".into(),
        key: "/etc/pki/n1.key".into(),
        host: "n1".to_owned(),
        days: 30,
    };
    plan(vec![
        step(
            "files",
            &[],
            vec![
                directory("/etc/app", 0o700),
                file("/etc/app/conf", 0o644, "a=1\n"),
                secret("/etc/app/token", "abcdef.0123456789abcdef"),
                link("/etc/app/link", "conf"),
                remove("/etc/old"),
                Action::Edit(edit),
            ],
        ),
        step("pair", &[], vec![Action::SelfSigned(pair)]),
    ])
}

fn dirty() -> Recorded {
    Recorded::below().with_files([("/etc/old", "old", 0o644), ("/etc/hosts", "127.0.0.1 localhost\n", 0o644)])
}

#[test]
fn a_second_run_changes_nothing_and_says_so() {
    let host = dirty();
    let first = apply(&everything(), &host);
    assert_eq!((first.failure.clone(), first.changed()), (None, 7), "{first:?}");
    let before = tree(&host);
    host.forget_calls();
    let second = apply(&everything(), &host);
    assert_eq!((second.failure.clone(), second.changed()), (None, 0));
    assert_eq!(words(&second), [("files", "unchanged"), ("pair", "unchanged")]);
    assert_eq!(tree(&host), before);
    let changes = host.changes();
    let elsewhere = changes.iter().filter(|call| !call.contains("/var/lib/slipway/journal.jsonl"));
    assert_eq!(elsewhere.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn only_what_differs_is_done_again() {
    let host = dirty();
    apply(&everything(), &host);
    host.set_attributes(Path::new("/etc/app/conf"), Attributes::root(0o666)).unwrap();
    host.remove(Path::new("/etc/app/link")).unwrap();
    let differences = slipway_apply::diff(&everything(), &host).unwrap();
    let named: Vec<&str> = differences.iter().map(|difference| difference.what.as_str()).collect();
    assert_eq!(named, ["/etc/app/conf", "/etc/app/link"]);
    let text = |mode| Side::Text { text: "a=1\n".to_owned(), attributes: Attributes::root(mode) };
    assert_eq!((&differences[0].before, &differences[0].after), (&text(0o666), &text(0o644)));
    let attempt = apply(&everything(), &host);
    let changed: Vec<&str> = attempt.steps[0]
        .ops
        .iter()
        .filter(|op| op.effect == Effect::Changed)
        .map(|op| op.what.as_str())
        .collect();
    assert_eq!(changed, ["/etc/app/conf", "/etc/app/link"]);
    assert!(slipway_apply::diff(&everything(), &host).unwrap().is_empty());
}

#[test]
fn secrets_are_in_no_difference_no_journal_and_no_ledger_entry() {
    let host = dirty();
    let differences = slipway_apply::diff(&everything(), &host).unwrap();
    assert!(!format!("{differences:?}").contains("abcdef"));
    let attempt = apply(&everything(), &host);
    assert!(!format!("{attempt:?}").contains("abcdef"));
    for path in ["/var/lib/slipway/journal.jsonl", "/var/lib/slipway/ledger/entries.jsonl"] {
        let entry = host.entry(Path::new(path)).unwrap().unwrap();
        assert_eq!(entry.attributes.mode, 0o600);
        assert!(!String::from_utf8(host.read(Path::new(path)).unwrap()).unwrap().contains("abcdef"));
    }
    assert_eq!(host.entry(Path::new("/var/lib/slipway")).unwrap().unwrap().attributes.mode, 0o700);
}

#[test]
fn a_line_that_was_cut_short_is_no_line_and_the_next_begins_afresh() {
    let host = dirty();
    apply(&everything(), &host);
    let journal = Path::new("/var/lib/slipway/journal.jsonl");
    let torn = br#"{"event":"attempt-began","id":"torn","ti"#;
    host.append(journal, Attributes::root(0o600)).unwrap().write_all(torn).unwrap();
    let before = slipway_apply::status(&host).unwrap();
    assert_eq!(before.attempts, 1);
    let attempt = apply(&everything(), &host);
    let after = slipway_apply::status(&host).unwrap();
    assert_eq!((after.attempts, after.last.unwrap().id), (2, attempt.id));
}

#[test]
fn the_status_tells_what_became_of_each_step() {
    let host = dirty();
    assert_eq!(slipway_apply::status(&host).unwrap().last, None);
    let attempt = apply(&everything(), &host);
    let last = slipway_apply::status(&host).unwrap().last.unwrap();
    assert_eq!((last.id.as_str(), last.outcome.as_deref()), (attempt.id.as_str(), Some("done")));
    assert_eq!(last.ended.unwrap(), attempt.ended);
    let steps: Vec<_> =
        last.steps.iter().map(|step| (step.id.as_str(), step.state.as_str(), step.changed)).collect();
    assert_eq!(steps, [("files", "done", 6), ("pair", "done", 1)]);
}
