//! One attempt after another, and two at once.

use slipway_peers::node::{COMPLETE, CONTRACT, RESULT};

use crate::{FAIL, SUCCEED, example, node, runs, set_script};

#[test]
fn a_second_run_after_a_success_does_nothing_and_says_so() {
    let node = node(SUCCEED);
    assert_eq!(node.provision().code, 0);
    let again = node.provision();
    assert_eq!((again.code, runs(&node)), (0, 1));
    assert!(again.stderr.contains("provisioned already"), "{}", again.stderr);
}

#[test]
fn a_second_run_after_a_failure_really_runs_and_reports_its_own_result() {
    let node = node(FAIL);
    assert_eq!(node.provision().code, 50);
    assert_eq!(node.result()["ExitCode"], "50");
    // The real scripts do this where the sentinel is there: nothing, and report success.
    set_script(&node, &format!("if [ -e {COMPLETE} ]; then exit 0; fi\n{SUCCEED}"));
    assert_eq!((node.provision().code, runs(&node)), (0, 2));
    assert_eq!(node.result()["Output"], "all is well");
    // And from a success that is gone to a failure of our own.
    node.remove(COMPLETE);
    node.put(CONTRACT, "{", 0o600);
    assert_eq!((node.provision().code, runs(&node)), (1, 2));
    assert_eq!(node.result()["ExitCode"], "240");
    assert!(node.read(COMPLETE).is_some());
}

#[test]
fn without_the_baked_binary_boot_hands_over_to_slipway_itself() {
    let node = node(SUCCEED);
    node.shell("hostname >/etc/hostname");
    let boot = node.start("slipway", &["boot"], &[]);
    node.await_file("/run/slipway-provision.lock");
    boot.signal("TERM");
    let ended = boot.end();
    assert!(ended.stdout.contains("cannot be executed: using "), "{}", ended.stdout);
    // Under its own name Slipway provisions by itself: the scripts are not asked.
    assert_eq!(runs(&node), 0);
}

#[test]
fn a_result_that_an_earlier_attempt_left_is_not_taken_for_this_one() {
    let node = node("exit 7");
    node.put(RESULT, r#"{"ExitCode":"0"}"#, 0o600);
    assert_eq!(node.provision().code, 7);
    assert_eq!(node.result()["ExitCode"], "7");
}

#[test]
fn scripts_that_succeed_without_leaving_a_result_have_failed() {
    for (script, problem) in [
        ("exit 0".to_owned(), "cannot be read"),
        (SUCCEED.replace("touch", ":"), "provision.complete is not there"),
        (SUCCEED.replace("\"0\"", "\"9\""), "does not say so"),
    ] {
        let node = node(&script);
        let ended = node.provision();
        assert_ne!(ended.code, 0);
        assert!(ended.stderr.contains(problem), "{}", ended.stderr);
        assert_ne!(node.result()["ExitCode"], "0");
        assert!(node.read(COMPLETE).is_some());
    }
}

#[test]
fn an_image_that_is_only_prepared_has_another_sentinel() {
    let node = node(&SUCCEED.replace("provision.complete", "base_prep.complete"));
    let mut contract = example();
    contract["pre_provision_only"] = true.into();
    node.put(CONTRACT, contract.to_string(), 0o600);
    let ended = node.provision();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    // The node that is made from the image later is not done yet.
    set_script(&node, SUCCEED);
    node.put(CONTRACT, example().to_string(), 0o600);
    assert_eq!((node.provision().code, runs(&node)), (0, 2));
}

#[test]
fn the_second_of_two_attempts_is_told_who_is_at_it() {
    let node = node(&format!("touch /opt/started; while [ ! -e /opt/go ]; do sleep 0.01; done\n{SUCCEED}"));
    let first =
        node.start("slipway", &["provision", "--mode", "scripts", "--provision-config", CONTRACT], &[]);
    node.await_file("/opt/started");
    let second = node.provision();
    assert_eq!((second.code, runs(&node)), (1, 1));
    let holder = format!("slipway provision, process {} is at it", first.child.id());
    assert!(second.stderr.contains(&holder), "{}", second.stderr);
    node.put("/opt/go", "", 0o600);
    assert_eq!(first.end().code, 0);
    assert_eq!(node.result()["ExitCode"], "0");
}

#[test]
fn under_the_peers_name_two_attempts_run_beside_each_other() {
    let node = node(&format!("while [ ! -e /opt/go ]; do sleep 0.01; done\n{SUCCEED}"));
    node.put("/opt/azure/components.json", "{}", 0o644);
    let start = || node.start("aks-node-controller", &["provision", "--provision-config", CONTRACT], &[]);
    let both = [start(), start()];
    while runs(&node) < 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    node.put("/opt/go", "", 0o600);
    assert!(both.into_iter().all(|run| run.end().code == 0));
}

#[test]
fn without_a_component_manifest_a_node_is_made_all_the_same() {
    let node = node(SUCCEED);
    let ended = node.provision();
    assert_eq!((ended.code, ended.records("ERROR").len()), (0, 0), "{}", ended.stderr);
    assert!(ended.records("WARN").iter().any(|line| line.contains("component manifest")), "{}", ended.stderr);
}

#[test]
fn something_that_the_scripts_leave_behind_does_not_hold_the_attempt_up() {
    let node = node(&format!("{SUCCEED}sleep 30 &\n"));
    let start = std::time::Instant::now();
    assert_eq!(node.provision().code, 0);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
