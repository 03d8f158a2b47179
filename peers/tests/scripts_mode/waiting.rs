//! `slipway provision-wait`.

use std::thread;
use std::time::Duration;

use slipway_peers::node::{COMPLETE, Node, RESULT};

use crate::{SUCCEED, node};

const RESULT_TEXT: &str = r#"{"ExitCode":"0","Output":"","Error":""}"#;

/// Starts a waiter and gives it the time to wait.
fn waiter(node: &Node) -> slipway_peers::node::Run {
    let run = node.start("slipway", &["provision-wait"], &[]);
    thread::sleep(Duration::from_millis(100));
    run
}

#[test]
fn time_can_run_out() {
    let node = node(SUCCEED);
    let ended = node.run("slipway", &["provision-wait", "--timeout", "100ms"]);
    assert_eq!(ended.code, 124);
    assert!(ended.stderr.contains("no result after 0.1 s"), "{}", ended.stderr);
}

#[test]
fn the_exit_code_is_the_results_own_when_asked_for() {
    let node = node(SUCCEED);
    node.put(COMPLETE, "", 0o600);
    for (result, plain, own) in [
        (RESULT_TEXT, 0, 0),
        (r#"{"ExitCode":"50"}"#, 1, 50),
        (r#"{"ExitCode":"-1"}"#, 1, 1),
        (r#"{"ExitCode":"256"}"#, 1, 1),
        ("{", 1, 1),
    ] {
        node.put(RESULT, result, 0o600);
        let ended = node.run("slipway", &["provision-wait"]);
        assert_eq!((ended.code, ended.stdout), (plain, format!("{result}\n")));
        assert_eq!(node.run("slipway", &["provision-wait", "--exit-code"]).code, own, "{result}");
    }
}

#[test]
fn no_sentinel_is_missed_however_close_it_comes() {
    let node = node(SUCCEED);
    node.put(RESULT, RESULT_TEXT, 0o600);
    for round in 0..200_u64 {
        let run = node.start("slipway", &["provision-wait", "--timeout", "20s"], &[]);
        // Somewhere around the moment at which the watch is set up.
        thread::sleep(Duration::from_micros(round * 60));
        node.put(COMPLETE, "", 0o600);
        let ended = run.end();
        assert_eq!(ended.code, 0, "round {round}: {}", ended.stderr);
        node.remove(COMPLETE);
    }
}

#[test]
fn a_directory_that_is_made_anew_does_not_leave_us_waiting() {
    let node = node(SUCCEED);
    node.put(RESULT, RESULT_TEXT, 0o600);
    let changes: [fn(&Node); 3] = [
        |node| {
            std::fs::remove_dir_all(node.path("/opt/azure/containers")).unwrap();
            thread::sleep(Duration::from_millis(20));
        },
        |node| {
            std::fs::remove_dir_all(node.path("/opt/azure")).unwrap();
            thread::sleep(Duration::from_millis(20));
        },
        |node| std::fs::rename(node.path("/opt/azure"), node.path("/opt/elsewhere")).unwrap(),
    ];
    for change in changes {
        let run = waiter(&node);
        change(&node);
        node.put(COMPLETE, "", 0o600);
        assert_eq!(run.end().code, 0);
        node.remove(COMPLETE);
    }
}

#[test]
fn under_the_peers_name_a_waiter_stays_with_its_directory() {
    let node = node(SUCCEED);
    node.put(RESULT, RESULT_TEXT, 0o600);
    let mut run = node.start("aks-node-controller", &["provision-wait"], &[]);
    thread::sleep(Duration::from_millis(200));
    std::fs::remove_dir_all(node.path("/opt/azure/containers")).unwrap();
    node.put(COMPLETE, "", 0o600);
    thread::sleep(Duration::from_millis(300));
    assert!(run.child.try_wait().unwrap().is_none(), "it noticed");
    run.signal("KILL");
    run.end();
}
