//! The whole tree of each case against its reviewed snapshot.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::case::{Case, PLAIN, cases, plain};
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
/// Lines that hold whole files in base64; `variables.rs` reads them.
const EMBEDDED: [&str; 3] =
    ["LOCALDNS_BASE64_ENCODED_COREFILE=", "LOCALDNS_COREFILE_BASE=", "LOCALDNS_COREFILE_WITH_HOSTS="];

#[test]
fn a_run_leaves_what_the_snapshot_shows_and_nothing_without_a_citation() {
    let cases = cases();
    assert!(cases.len() >= 12);
    let mut left = BTreeSet::new();
    let usual = usual();
    for case in &cases {
        let root = Root::imaged(case);
        let before = tree(&root.path());
        root.provision();
        let after = tree(&root.path());
        secrets_are_roots_alone(case, &after);
        let shown = snapshot(case, &usual, &before, &after);
        insta::assert_snapshot!(case.name.as_str(), shown, &case.about);
        let paths = changed(&before, &after).into_iter().map(|(path, _)| path).chain(gone(&before, &after));
        left.extend(paths.map(str::to_owned));
    }
    let unused = unused(&left);
    assert!(unused.is_empty(), "citations of what no case leaves: {unused:?}");
}

/// What the plain contract leaves.
fn usual() -> Tree {
    let root = Root::imaged(&plain());
    root.provision();
    tree(&root.path())
}

fn snapshot(case: &Case, usual: &Tree, before: &Tree, after: &Tree) -> String {
    let mut out = String::new();
    let mut uncited = Vec::new();
    let mut cite = |path: &str| {
        assert_eq!(left_out(path), None, "{}: {path} is there after all", case.name);
        citation(path).unwrap_or_else(|| {
            uncited.push(path.to_owned());
            "no citation"
        })
    };
    for (path, entry) in changed(before, after) {
        let shown = |text: &str| {
            if path.starts_with(GENERATED) {
                "(generated)".to_owned()
            } else if case.name != PLAIN && usual.get(path) == Some(entry) {
                "(as in plain)".to_owned()
            } else {
                masked(text)
            }
        };
        out.push_str(&paragraph(path, entry, cite(path), shown));
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
    let line = |line: &str| match EMBEDDED.iter().find(|name| line.starts_with(**name)) {
        Some(name) => format!("{name}(base64)\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn secrets_are_roots_alone(case: &Case, tree: &Tree) {
    for (path, entry) in tree {
        if matches!(&entry.kind, Kind::File(text) if text.contains(SOWN)) {
            assert!(entry.is_roots_alone(), "{}: {path} holds a secret", case.name);
        }
    }
}
