//! What a node says about itself.

use std::path::Path;

use serde_json::Value;
use slipway_lab::Machine;
use slipway_lab::native::CONTRACT;

use crate::scene::{json_of, said, scene};

#[test]
fn a_node_says_that_it_is_well_and_what_is_wrong_when_kubelet_is_stopped() {
    let scene = scene();
    let machine = scene.machine("health");
    scene.join(&machine, &scene.contract());

    let facts = json_of(machine.command("slipway").arg("facts"));
    assert_eq!(facts["imds"]["compute"]["name"], "health", "{facts}");
    let addresses = &facts["imds"]["network"]["interface"][0]["ipv4"]["ipAddress"];
    assert_eq!(addresses[0]["privateIpAddress"], machine.address.as_str(), "{facts}");

    let status = json_of(machine.command("slipway").args(["status", "--output=json"]));
    assert_eq!(status["last"]["outcome"], "done", "{status}");
    assert_eq!(status["units"]["kubelet.service"]["active"], "active", "{status}");
    assert_eq!(examined(&machine), (vec![], vec![]));

    // Without the metadata service nobody can say what the node should be like.
    machine.run("ip", &["route", "add", "unreachable", "169.254.169.254"]).unwrap();
    let compared =
        || machine.command("slipway").args(["diff", "--provision-config", CONTRACT]).output().unwrap();
    let (doctor, diff) = std::thread::scope(|scope| {
        let diff = scope.spawn(compared);
        (examined(&machine), diff.join().unwrap())
    });
    assert_eq!(doctor.0.len(), 1, "{doctor:?}");
    assert!(doctor.0[0].starts_with("metadata: nothing answers at 169.254.169.254"), "{doctor:?}");
    assert_eq!(doctor.1, ["managed-files"]);
    assert!(diff.stdout.is_empty() && said(&diff).contains("metadata"), "{}", said(&diff));
    machine.run("ip", &["route", "del", "unreachable", "169.254.169.254"]).unwrap();

    machine.run("systemctl", &["stop", "kubelet"]).unwrap();
    let status = json_of(machine.command("slipway").args(["status", "--output=json"]));
    assert_eq!(status["units"]["kubelet.service"]["active"], "inactive", "{status}");
    assert_eq!(status["units"]["containerd.service"]["active"], "active", "{status}");
    let (found, not_looked_at) = examined(&machine);
    let stopped = "units: kubelet.service is inactive (dead)";
    assert_eq!(found, [stopped, "managed-files: kubelet.service is not as planned"]);
    assert_eq!(not_looked_at, ["kubelet-health"]);
}

/// What the doctor finds, but for what this machine's kernel is like, and the checks that had nothing to look at.
fn examined(machine: &Machine) -> (Vec<String>, Vec<String>) {
    let report = json_of(machine.command("slipway").args(["doctor", "--output=json"]));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let old_groups = !Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings
        .filter(|finding| !(old_groups && finding["check"] == "cgroups"))
        .map(|finding| format!("{}: {}", text(&finding["check"]), text(&finding["message"])));
    let not_looked_at = report["not_looked_at"].as_array().unwrap().iter().map(text);
    (findings.collect(), not_looked_at.collect())
}
