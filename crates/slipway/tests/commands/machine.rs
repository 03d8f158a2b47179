//! `slipway diff`, `status`, `reset`, `doctor`, `anatomy` and `try`: a machine after provisioning.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::root::{Root, json, text, told};
use crate::run;

fn provisioned() -> Root {
    let root = Root::new();
    told(&root.planned("provision", &["-q"]));
    root
}

fn append(root: &Root, path: &str, line: &str) {
    let text = root.read(path) + line;
    std::fs::write(root.at(path), text).unwrap();
}

#[test]
fn a_diff_shows_exactly_the_edits_made_by_hand() {
    let root = Root::new();
    assert_eq!(root.planned("diff", &[]).status.code(), Some(3));
    told(&root.planned("provision", &["-q"]));
    assert_eq!(told(&root.planned("diff", &[])), "nothing to change\n");
    append(&root, "/etc/sysctl.d/99-force-bridge-forward.conf", "# by hand\n");
    append(&root, "/var/lib/kubelet/bootstrap-kubeconfig", "# by hand\n");
    std::fs::set_permissions(root.at("/etc/motd"), std::fs::Permissions::from_mode(0o666)).unwrap();
    std::fs::remove_file(root.at("/etc/resolv.conf")).unwrap();
    let output = root.planned("diff", &[]);
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!(text(&output.stdout));
    let report = json(&root.planned("diff", &["-o", "json"]));
    assert_eq!((&report["same"], report["differences"].as_array().unwrap().len()), (&json!(false), 4));
    told(&root.planned("provision", &["-q"]));
    assert_eq!(told(&root.planned("diff", &[])), "nothing to change\n");
}

#[test]
fn a_reset_leaves_what_was_there_before_and_names_what_someone_else_changed() {
    let root = Root::new();
    root.write("/etc/motd", "welcome\n");
    root.write("/opt/azure/containers/provision.complete", "");
    let before = root.tree();
    told(&root.planned("provision", &["-q"]));
    assert_ne!(before, root.tree());
    let rehearsed = told(&root.plain("reset", &["--dry-run"]));
    assert!(rehearsed.contains("would put back /etc/motd\n"));
    assert_ne!(before, root.tree());
    told(&root.plain("reset", &[]));
    assert_eq!(before, root.tree());
    assert!(!root.at("/var/lib").exists() && root.at("/var/log/azure/aks/provision.json").exists());
    assert_eq!(told(&root.plain("reset", &[])), "nothing to undo\n");

    told(&root.planned("provision", &["-q"]));
    append(&root, "/etc/motd", "by hand\n");
    let output = told(&root.plain("reset", &[]));
    assert!(
        output.contains("kept /etc/motd: someone changed it since\n") && output.contains("hint: --force")
    );
    assert!(root.read("/etc/motd").ends_with("by hand\n"));
}

#[test]
fn the_status_is_that_of_the_last_attempt() {
    let root = Root::new();
    assert_eq!(told(&root.plain("status", &[])), "this machine was never provisioned natively\n");
    assert_eq!(json(&root.plain("status", &["-o", "json"]))["last"], Value::Null);
    told(&root.planned("provision", &["-q"]));
    told(&root.planned("provision", &["-q"]));
    let status = json(&root.plain("status", &["-o", "json"]));
    assert_eq!((&status["attempts"], &status["last"]["outcome"]), (&json!(2), &json!("done")));
    let steps = status["last"]["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["state"] == "unchanged"), "{steps:?}");
    assert!(told(&root.plain("status", &[])).starts_with("attempt 2 ("));
}

#[test]
fn the_doctor_finds_what_is_wrong_and_says_what_to_do() {
    let root = provisioned();
    for program in ["/usr/bin/containerd", "/usr/bin/runc"] {
        root.write(program, "");
    }
    let healthy = told(&root.planned("doctor", &[]));
    assert!(healthy.ends_with("nothing found\n"));
    // Below a root there are no units to look at.
    assert!(healthy.contains("\nok  programs: ") && healthy.contains("\n--  units: "), "{healthy}");
    append(&root, "/etc/motd", "by hand\n");
    std::fs::remove_file(root.at("/usr/bin/runc")).unwrap();
    let output = root.planned("doctor", &["-o", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    let found: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["check"].as_str().unwrap())
        .collect();
    assert_eq!((&report["healthy"], &found[..]), (&json!(false), &["programs", "managed-files"][..]));
    assert!(report["findings"][1]["message"].as_str().unwrap().starts_with("/etc/motd"));
}

#[test]
fn the_anatomy_has_an_interval_for_each_step_and_fits_the_page() {
    let root = provisioned();
    let anatomy = json(&root.plain("anatomy", &["-o", "json"]));
    let intervals = anatomy["intervals"].as_array().unwrap();
    let steps = json(&root.plain("status", &["-o", "json"]))["last"]["steps"].as_array().unwrap().len();
    assert_eq!(intervals.len(), steps);
    for interval in intervals {
        assert!(interval["start"].as_str() <= interval["end"].as_str(), "{interval}");
        assert_eq!(interval["source"], "journal");
    }
    // What ends last before Ready is waited for; on a busy machine that need not be kubelet. What comes after Ready never is.
    let critical = |name: &str| intervals.iter().any(|it| it["name"] == name && it["critical"] == true);
    assert!(intervals.iter().any(|it| it["critical"] == true) && !critical("accounts"), "{anatomy}");
    for member in ["milestones", "gaps", "findings"] {
        assert!(anatomy.get(member).is_some(), "{member}");
    }
    let drawn = told(&root.plain("anatomy", &[]));
    assert!(drawn.lines().all(|line| line.chars().count() <= 100), "{drawn}");
    assert!(told(&Root::new().plain("anatomy", &[])).starts_with("nothing is known"));
}

#[test]
fn trying_shows_plan_progress_and_timeline_and_what_to_run_next() {
    let root = Root::new();
    let output = run(&["try", "--root", root.at("/try").to_str().unwrap()], "");
    let told = told(&output);
    for part in [
        "The plan:",
        "start-kubelet",
        "the node is provisioned: ",
        "The timeline.",
        "slipway explain maxPods",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(text(&output.stderr).contains("kubelet-config: done in "));
    let next = told.lines().find(|line| line.contains("slipway diff ")).unwrap();
    let arguments: Vec<&str> = next.split_whitespace().skip(1).collect();
    assert_eq!(run(&arguments, "").stdout, b"nothing to change\n");
}

#[test]
fn one_attempt_at_a_time_below_a_root() {
    let root = Root::new();
    let held = std::fs::File::open(root.at("/")).unwrap();
    held.lock().unwrap();
    let output = root.planned("provision", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("[already-running, machine]"), "{}", text(&output.stderr));
}
