//! Killed at every operation in turn: the real process, with SIGKILL, before an operation and in the middle of a write.

use std::env;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use slipway_host::{Fault, Faulty, Host, Machine};

use crate::site::{Root, apply, reset, timeless, tree};
use crate::undoing::{full, lived_in};

/// In a child: below which root, with which fault, and whether to reset.
const CHILD: &str = "SLIPWAY_CRASH_CHILD";

/// Runs this test again as a child that dies at an operation; says whether it did.
fn dies(test: &str, root: &Root, fault: &str, what: &str) -> bool {
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{} {fault} {what}", root.0.display()))
        .output()
        .unwrap()
        .status;
    assert!(status.signal() == Some(9) || status.success(), "{fault} {what}: {status}");
    status.signal() == Some(9)
}

/// Does what a child is told to, if this is one.
fn is_child() -> bool {
    let Ok(order) = env::var(CHILD) else { return false };
    let words: Vec<&str> = order.split(' ').collect();
    let [root, fault, what] = words[..] else { panic!("{order}") };
    let host = Faulty::new(Machine::below(Path::new(root)).unwrap(), Fault::parse(fault));
    if what == "reset" {
        reset(&host);
    } else {
        apply(&full(), &host);
    }
    true
}

fn fresh() -> (Root, Machine) {
    let root = Root::new();
    let host = root.machine();
    lived_in(&host);
    (root, host)
}

#[test]
fn an_attempt_killed_anywhere_is_made_good_by_the_next_and_by_a_reset() {
    if is_child() {
        return;
    }
    let (_root, host) = fresh();
    let before = tree(&host);
    apply(&full(), &host);
    let undisturbed = timeless(&host);
    for kind in ["kill", "kill-in-write"] {
        let mut at = 1;
        loop {
            let test = "crash::an_attempt_killed_anywhere_is_made_good_by_the_next_and_by_a_reset";
            let fault = format!("{kind}:{at}");
            let (root, host) = fresh();
            let died = dies(test, &root, &fault, "apply");
            let report = reset(&host);
            assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]), "{fault}");
            assert_eq!(tree(&host), before, "{fault}");

            let (root, host) = fresh();
            dies(test, &root, &fault, "apply");
            let attempt = apply(&full(), &host);
            assert_eq!(attempt.failure, None, "{fault}");
            assert_eq!(timeless(&host), undisturbed, "{fault}");
            let last = slipway_apply::status(&host).unwrap().last.unwrap();
            assert_eq!(last.outcome.as_deref(), Some("done"), "{fault}");
            reset(&host);
            assert_eq!(tree(&host), before, "{fault}");
            if !died {
                break;
            }
            at += 1;
        }
        assert!(at > 100, "{at}");
    }
}

#[test]
fn a_reset_killed_anywhere_is_finished_by_the_next() {
    if is_child() {
        return;
    }
    let (_root, host) = fresh();
    let before = tree(&host);
    let mut at = 1;
    loop {
        let (root, host) = fresh();
        apply(&full(), &host);
        let died = dies(
            "crash::a_reset_killed_anywhere_is_finished_by_the_next",
            &root,
            &format!("kill:{at}"),
            "reset",
        );
        let report = reset(&host);
        assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]), "{at}");
        assert_eq!(tree(&host), before, "{at}");
        assert_eq!(host.entry(Path::new("/var")).unwrap(), None);
        if !died {
            break;
        }
        at += 1;
    }
    assert!(at > 50, "{at}");
}
