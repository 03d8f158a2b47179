//! The whole tree of each case against its reviewed snapshot.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::case::{Case, cases};
use crate::citations::{citation, left_out, unused};
use crate::root::Root;
use crate::tree::{Kind, Tree, changed, gone, paragraph, tree};

/// Every secret of the contracts has this in it.
const SOWN: &str = "sown";
/// The secrets as they come out of base64.
const SECRETS: [&str; 4] =
    ["sowntk.0123456789abcdef", "sown-principal-secret", "sown-proxy-password", "sown-client-key"];
/// Every run makes others.
const GENERATED: &str = "/etc/kubernetes/certs/kubeletserver.";

#[test]
fn a_run_leaves_what_the_snapshot_shows_and_nothing_without_a_citation() {
    let cases = cases();
    assert!(cases.len() >= 12);
    let mut left = BTreeSet::new();
    for case in &cases {
        let root = Root::imaged(case);
        let before = tree(&root.path());
        root.provision();
        let after = tree(&root.path());
        secrets_are_roots_alone(case, &after);
        insta::assert_snapshot!(case.name.as_str(), snapshot(case, &before, &after));
        let paths = changed(&before, &after).into_iter().map(|(path, _)| path).chain(gone(&before, &after));
        left.extend(paths.map(str::to_owned));
    }
    let unused = unused(left.iter().map(String::as_str));
    assert!(unused.is_empty(), "citations of what no case leaves: {unused:?}");
}

fn snapshot(case: &Case, before: &Tree, after: &Tree) -> String {
    let mut out = format!("{}\n\n", case.about);
    let mut uncited = Vec::new();
    let mut cite = |path: &str| {
        assert_eq!(left_out(path), None, "{}: {path} is there after all", case.name);
        citation(path).unwrap_or_else(|| {
            uncited.push(path.to_owned());
            "no citation"
        })
    };
    for (path, entry) in changed(before, after) {
        let masked =
            |text: &str| if path.starts_with(GENERATED) { "(generated)".into() } else { masked(text) };
        out.push_str(&paragraph(path, entry, cite(path), masked));
    }
    for path in gone(before, after) {
        writeln!(out, "{path} gone  [{}]", cite(path)).unwrap();
    }
    assert!(uncited.is_empty(), "{}: without a citation: {uncited:#?}", case.name);
    out
}

fn masked(text: &str) -> String {
    let text = SECRETS.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "(masked)"));
    assert!(!text.contains(SOWN), "{text}");
    text
}

fn secrets_are_roots_alone(case: &Case, tree: &Tree) {
    for (path, entry) in tree {
        if matches!(&entry.kind, Kind::File(text) if text.contains(SOWN)) {
            assert!(entry.is_roots_alone(), "{}: {path} holds a secret", case.name);
        }
    }
}
