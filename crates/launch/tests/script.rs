//! The whole script, run by bash below a directory of its own: what the image's scripts find when their turn comes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the script is run for real")]

mod vectors;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use slipway_launch::variables::{Variable, Variables, variables};
use slipway_launch::{Fidelity, Request, Source, resolve, script};

/// A directory that stands for the root of a node whose image is complete.
fn node(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    let scripts = root.join("opt/azure/containers");
    fs::create_dir_all(&scripts).unwrap();
    fs::create_dir_all(root.join("var/log/azure")).unwrap();
    fs::write(scripts.join("provision.sh"), "#EOF\n").unwrap();
    fs::write(scripts.join("provision_start.sh"), "env -0\n").unwrap();
    root
}

fn run(root: &Path, variables: &Variables<'_>) -> Output {
    let script = script(variables, Fidelity::Ours).unwrap();
    // Only the script's own lines: the values are not to be touched.
    let own = |line: &str| {
        let is_own = !line.contains('=') || line.starts_with("echo") || line.starts_with("/bin/bash");
        let below = |path: &str| format!("{}{path}", root.display());
        if is_own {
            line.replace("/opt/azure", &below("/opt/azure")).replace("/var/log", &below("/var/log"))
        } else {
            line.to_owned()
        }
    };
    let text: Vec<String> = script.expose().split('\n').map(own).collect();
    Command::new("bash")
        .arg("-c")
        .arg(text.join("\n"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
}

#[test]
fn the_images_scripts_find_every_variable_in_their_environment() {
    let root = node("script");
    let case = vectors::of_kind("bootstrap", "launch-template")
        .into_iter()
        .find(|case| case["name"] == "lt-017")
        .unwrap();
    let request = Request::parse(&case["input"].to_string()).unwrap();
    let resolved = resolve(&request, Fidelity::Ours).unwrap();
    let mut variables = variables(&resolved.bootstrap, Fidelity::Ours).unwrap();
    variables.set(Variable::MessageOfTheDay, "it's $(id) and `id`".into(), Source::Fixed);
    let output = run(&root, &variables);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let found: BTreeMap<_, _> = text.split_terminator('\0').filter_map(|pair| pair.split_once('=')).collect();
    for line in variables.assignments() {
        assert_eq!(found.get(line.name.as_ref()), Some(&&*line.value), "{}", line.name);
    }
    let manifest = fs::read_to_string(root.join("opt/azure/manifest.json")).unwrap();
    assert!(manifest.ends_with("#EOF\n"));
    assert!(root.join("var/log/azure/Microsoft.Azure.Extensions.CustomScript/events").is_dir());
    assert!(root.join("var/log/azure/cluster-provision-cse-output.log").is_file());
    assert!(!found.contains_key("second"), "the script's own variables are its own");
}

#[test]
fn a_custom_cloud_is_set_up_before_the_node() {
    let root = node("custom-cloud");
    let init = root.join("opt/azure/containers/init cloud.sh");
    fs::write(&init, "echo \"$REPO_DEPOT_ENDPOINT\" #EOF\n").unwrap();
    let mut variables = Variables::default();
    variables.set(Variable::IsAKSCustomCloud, "true".into(), Source::Fixed);
    // The script's path is written below the root by `run`.
    variables.set(
        Variable::InitAKSCustomCloudFilepath,
        "/opt/azure/containers/init cloud.sh".into(),
        Source::Fixed,
    );
    variables.set(Variable::AKSCustomCloudRepoDepotEndpoint, "https://depot".into(), Source::Fixed);
    let output = run(&root, &variables);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs::read_to_string(root.join("var/log/azure/cluster-provision.log")).unwrap();
    assert_eq!(log, "https://depot\n");
}
