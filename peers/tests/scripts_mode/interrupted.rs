//! Attempts that are told to stop, or killed.

use slipway_peers::node::{COMPLETE, CONTRACT, Node, RESULT, Run};

use crate::{SUCCEED, node, runs, set_script};

/// Starts an attempt and waits until its script runs.
fn started(node: &Node) -> Run {
    let run = node.start("slipway", &["provision", "--mode", "scripts", "--provision-config", CONTRACT], &[]);
    node.await_file("/opt/started");
    run
}

#[test]
fn the_scripts_are_told_to_stop_and_the_result_says_so() {
    for signal in ["TERM", "INT"] {
        let node =
            node("trap 'touch /opt/told; exit 1' TERM INT; touch /opt/started; while :; do sleep 0.01; done");
        let run = started(&node);
        run.signal(signal);
        let ended = run.end();
        assert!(ended.code > 0, "{ended:?}");
        assert!(node.read("/opt/told").is_some(), "the script was not told");
        let result = node.result();
        assert_ne!(result["ExitCode"], "0");
        assert!(result["Error"].as_str().unwrap().contains("interrupted"), "{result}");
        assert!(node.read(COMPLETE).is_some());
        // The next attempt is a new one.
        set_script(&node, SUCCEED);
        assert_eq!((node.provision().code, runs(&node)), (0, 2));
    }
}

#[test]
fn scripts_that_claim_success_when_told_to_stop_are_not_believed() {
    let node = node(&format!(
        "trap 'finished=1' TERM; touch /opt/started; while [ -z \"$finished\" ]; do sleep 0.01; done\nsleep 0.2\n{SUCCEED}touch /opt/finished\nexit 0\n"
    ));
    let run = started(&node);
    run.signal("TERM");
    // The shells around the script die of the signal; the script itself goes on to its end.
    assert!(run.end().code > 0);
    assert_eq!(node.read("/opt/finished").as_deref(), Some(&b""[..]), "we did not wait for it");
    let result = node.result();
    assert!(
        result["ExitCode"] != "0" && result["Error"].as_str().unwrap().contains("interrupted"),
        "{result}"
    );
}

#[test]
fn scripts_that_do_not_stop_are_stopped() {
    let node = node("trap '' TERM; touch /opt/started; sleep 0.1; while :; do sleep 0.01; done");
    let run = started(&node);
    run.signal("TERM");
    let start = std::time::Instant::now();
    assert!(run.end().code > 0);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    assert!(node.result()["Error"].as_str().unwrap().contains("interrupted"));
}

#[test]
fn an_attempt_that_was_killed_leaves_no_result_and_the_next_one_is_its_own() {
    let node = node("touch /opt/started; exec sleep 2");
    let run = started(&node);
    run.signal("KILL");
    let ended = run.end();
    assert_eq!(ended.code, -9);
    assert!(node.read(RESULT).is_none() && node.read(COMPLETE).is_none());
    let waited = node.run("slipway", &["provision-wait", "--timeout", "50ms"]);
    assert_eq!(waited.code, 124, "{waited:?}");
    set_script(&node, SUCCEED);
    assert_eq!((node.provision().code, runs(&node)), (0, 2));
}
