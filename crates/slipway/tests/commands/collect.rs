//! `slipway collect`: evidence in one archive that may be given away.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;

use crate::root::{CONTRACT, Root, json, told};
use crate::run;

/// What must not leave the machine: one that the contract holds, others as programs write them.
const SECRETS: [&str; 4] =
    ["abcdef.0123456789abcdef", "Marker0Password", "MHcCAQEEIMarker0Key", "Marker0Signature"];

/// A machine that was provisioned, and whose logs tell more than they should.
fn machine() -> Root {
    let root = Root::new();
    told(&root.planned("provision", &[]));
    let contract = std::fs::read_to_string(std::path::Path::new("../..").join(CONTRACT)).unwrap();
    assert!(contract.contains(SECRETS[0]));
    root.write("/opt/azure/containers/aks-node-controller-config.json", &contract);
    root.write(
        "/var/log/azure/cluster-provision.log",
        "+ kubeadm=xabcdef.0123456789abcdefx\n+ echo --password=Marker0Password\n-----BEGIN EC PRIVATE KEY-----\n\
         MHcCAQEEIMarker0Key\n-----END EC PRIVATE KEY-----\n+ curl 'https://x/y?sig=Marker0Signature'\n+ exit 0\n",
    );
    root
}

/// Every file of an archive, by name.
fn files(path: &str) -> Vec<(String, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    let file = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (name, text)
    };
    archive.entries().unwrap().map(file).collect()
}

#[test]
fn an_archive_tells_the_same_story_without_the_secrets() {
    let root = machine();
    let path = root.at("/collected.tar.gz").display().to_string();
    let said = told(&root.plain("collect", &["-o", &path]));
    assert!(said.contains("secrets removed"), "{said}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let files = files(&path);
    for (name, text) in &files {
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} is in {name}");
        }
    }
    let trace = &files.iter().find(|(name, _)| name == "var/log/azure/cluster-provision.log").unwrap().1;
    assert!(trace.contains("+ kubeadm=x***x\n") && trace.contains("sig=***'\n+ exit 0"), "{trace}");
    assert_eq!(files[0].0, "contents.json");
    let live = json(&root.plain("anatomy", &["-o", "json"]));
    let collected = json(&run(&["anatomy", "--from", &path, "-o", "json"], ""));
    for member in ["milestones", "phases", "total_seconds", "shares", "findings"] {
        assert_eq!(collected[member], live[member], "{member}");
    }
}

#[test]
fn a_large_log_keeps_its_beginning_and_its_end() {
    let root = machine();
    let log = format!("first\n{}last\n", "x y z\n".repeat(1_000_000));
    root.write("/var/log/cloud-init-output.log", &log);
    let path = root.at("/collected.tar.gz").display().to_string();
    told(&root.plain("collect", &["-o", &path, "--most", "1"]));
    let files = files(&path);
    let kept = &files.iter().find(|(name, _)| name == "var/log/cloud-init-output.log").unwrap().1;
    assert!(kept.starts_with("first\n") && kept.ends_with("last\n"));
    assert!(kept.len() <= 1024 * 1024 + 2, "{}", kept.len());
    assert!(files[0].1.contains("\"left_out\""), "{}", files[0].1);
}

#[test]
fn a_secret_that_a_cut_goes_through_is_left_out_whole() {
    let root = machine();
    let half = 512 * 1024;
    let secret = SECRETS[0];
    // The cut after the first half, and the one before the second, go through the middle of the secret.
    let first = format!("{}{secret} and on\n", "x y z\n".repeat(half / 6 - 2));
    let first = format!("{}{first}", "-".repeat(half - (first.len() - secret.len() / 2 - " and on\n".len())));
    let last = format!("kept\n{}", "x y z\n".repeat(half / 6 - 4));
    let last = format!("{secret} {}\n{last}", "-".repeat(half - last.len() - secret.len() / 2 - 2));
    let key = format!("-----BEGIN EC PRIVATE KEY-----\n{}\n", "z".repeat(half));
    root.write("/var/log/cloud-init-output.log", &format!("{first}{key}{last}"));
    let path = root.at("/collected.tar.gz").display().to_string();
    told(&root.plain("collect", &["-o", &path, "--most", "1"]));
    let files = files(&path);
    let kept = &files.iter().find(|(name, _)| name == "var/log/cloud-init-output.log").unwrap().1;
    assert!(!kept.contains("abcdef") && !kept.contains("789abcdef"), "half a secret is there");
    assert!(kept.contains("\nkept\n"), "what follows is there");
}

/// A machine on which files are not what they should be still gives what it has.
#[test]
fn a_broken_machine_gives_what_it_has() {
    let root = machine();
    let make = |program: &str, path: &str| {
        std::fs::create_dir_all(root.at(path).parent().unwrap()).unwrap();
        let made = std::process::Command::new(program).arg(root.at(path)).status().unwrap();
        assert!(made.success());
    };
    make("mkdir", "/var/log/waagent.log");
    make("mkfifo", "/var/log/cloud-init.log");
    std::os::unix::fs::symlink("/nowhere", root.at("/var/log/azure/custom-script")).unwrap();
    root.write("/var/lib/cloud/data/status.json", "\u{0}\u{1}{");
    root.write("/var/log/azure/aks/provision.json", "");
    let path = root.at("/collected.tar.gz").display().to_string();
    told(&root.plain("collect", &["-o", &path]));
    let files = files(&path);
    let contents: serde_json::Value = serde_json::from_str(&files[0].1).unwrap();
    let of = |name: &str| {
        let all = contents["files"].as_array().unwrap();
        all.iter().find(|file| file["name"] == name).unwrap_or_else(|| panic!("no {name} in {contents:#}"))
    };
    assert!(of("var/log/waagent.log")["problem"].is_string(), "{contents:#}");
    assert!(of("var/log/azure/cluster-provision.log")["problem"].is_null(), "{contents:#}");
    let collected = json(&run(&["anatomy", "--from", &path, "-o", "json"], ""));
    assert!(!collected["intervals"].as_array().unwrap().is_empty(), "{collected:#}");
    assert!(!collected["problems"].as_array().unwrap().is_empty(), "{collected:#}");
}

#[test]
fn a_machine_without_any_record_gives_an_archive_that_says_so_much() {
    let root = Root::new();
    let path = root.at("/collected.tar.gz").display().to_string();
    assert!(told(&root.plain("collect", &["-o", &path])).contains("0 files"));
    assert_eq!(files(&path).len(), 1);
}

/// The scripts leave no contract, but what they made of it.
#[test]
fn secrets_of_a_machine_without_a_contract_are_known_from_what_the_scripts_wrote() {
    let root = Root::new();
    root.write("/etc/kubernetes/azure.json", "{\"aadClientSecret\": \"a principals word\"}");
    let token = "users:\n- user:\n    token: \"mytokn.0123456789abcdef\"\n";
    root.write("/var/lib/kubelet/bootstrap-kubeconfig", token);
    let encoded = BASE64_STANDARD.encode("--token mytokn.0123456789abcdef");
    let log = format!("+ echo a principals word\n+ echo {encoded}\n+ exit 0\n");
    root.write("/var/log/azure/cluster-provision.log", &log);
    let path = root.at("/collected.tar.gz").display().to_string();
    told(&root.plain("collect", &["-o", &path]));
    let kept = &files(&path)[1];
    assert_eq!(kept.1, "+ echo ***\n+ echo ***\n+ exit 0\n", "{}", kept.0);
}

#[test]
fn an_archive_says_in_which_zone_its_times_are() {
    let root = machine();
    root.write(
        "/var/log/azure/cluster-provision.log",
        "+ local task=AKS.CSE.x\n+ local 'startTime=2026-11-15 08:00:00.000'\n+ local 'endTime=2026-11-15 08:00:01.000'\n",
    );
    let path = root.at("/collected.tar.gz").display().to_string();
    let collected = std::process::Command::new(env!("CARGO_BIN_EXE_slipway"))
        .args(["collect", "--root", root.at("/").to_str().unwrap(), "-o", &path])
        .env("TZ", "Asia/Kolkata")
        .output()
        .unwrap();
    assert!(collected.status.success());
    let anatomy = json(&run(&["anatomy", "--from", &path, "-o", "json"], ""));
    let intervals = anatomy["intervals"].as_array().unwrap();
    let task = intervals.iter().find(|interval| interval["name"] == "AKS.CSE.x").unwrap();
    // A machine without zones has UTC.
    let known = std::path::Path::new("/usr/share/zoneinfo/Asia/Kolkata").exists();
    assert_eq!(task["start"], if known { "2026-11-15T02:30:00Z" } else { "2026-11-15T08:00:00Z" });
    // The same from a directory, in which what says so is not the first file.
    let unpacked = root.at("/unpacked");
    tar::Archive::new(GzDecoder::new(std::fs::File::open(&path).unwrap())).unpack(&unpacked).unwrap();
    let again = json(&run(&["anatomy", "--from", unpacked.to_str().unwrap(), "-o", "json"], ""));
    assert_eq!(again["intervals"], anatomy["intervals"]);
}
