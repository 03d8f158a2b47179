//! The way back: from wherever an attempt came to, with a reset that is itself cut short.

use std::fs;

use crate::cases::{FULLEST, PLAIN, cases};
use crate::crash::deaths;
use crate::site::{Case, all, is_undone};

fn is_undone_from_anywhere(case: &Case) {
    all(&deaths(&case.operations), |fault| {
        let root = case.root();
        let before = root.tree().without_logs();
        let _ = case.provision(&root, Some(fault));
        is_undone(&root, &before)
    });
}

#[test]
fn a_reset_undoes_an_attempt_of_the_plain_contract_killed_anywhere() {
    is_undone_from_anywhere(&PLAIN);
}

#[test]
fn a_reset_undoes_an_attempt_of_the_fullest_contract_killed_anywhere() {
    is_undone_from_anywhere(&FULLEST);
}

fn is_finished(case: &Case) {
    let root = case.root();
    case.is_made_good(&root).unwrap();
    assert_eq!(root.reset(None).code, Some(0));
    let operations = root.operations();
    assert!(operations.len() > 100, "{}", operations.len());
    all(&deaths(&operations), |fault| {
        let root = case.root();
        let before = root.tree().without_logs();
        case.is_made_good(&root)?;
        if let Some(code) = root.reset(Some(fault)).code {
            return Err(format!("was not killed but ended with {code}"));
        }
        is_undone(&root, &before)
    });
}

#[test]
fn a_reset_of_the_plain_contract_killed_anywhere_is_finished_by_the_next() {
    is_finished(&PLAIN);
}

#[test]
fn a_reset_of_the_fullest_contract_killed_anywhere_is_finished_by_the_next() {
    is_finished(&FULLEST);
}

#[test]
fn a_reset_keeps_and_names_what_others_changed_and_puts_back_the_rest() {
    for case in cases() {
        let root = case.root();
        let before = root.tree().without_logs();
        case.is_made_good(&root).unwrap();
        let changed =
            ["/etc/default/kubelet", "/etc/kubernetes/azure.json", "/etc/systemd/system/kubelet.service"];
        for path in changed {
            fs::write(root.at(path), "changed by someone\n").unwrap();
        }
        let ended = root.reset(None);
        assert_eq!(ended.code, Some(0), "{}", ended.stdout);
        let mut after = root.tree().without_logs();
        for path in changed {
            assert!(
                ended.stdout.contains(&format!("kept {path}: someone changed it since\n")),
                "{}",
                ended.stdout
            );
            assert_eq!(fs::read(root.at(path)).unwrap(), b"changed by someone\n");
            match before.0.get(path) {
                Some(thing) => after.0.insert(path.to_owned(), thing.clone()),
                None => after.0.remove(path),
            };
        }
        // The directories that hold what is kept stay as well.
        after.0.retain(|path, _| {
            before.0.contains_key(path) || !changed.iter().any(|kept| kept.starts_with(&format!("{path}/")))
        });
        assert_eq!(before.difference(&after), None, "{}", case.name);
    }
}
