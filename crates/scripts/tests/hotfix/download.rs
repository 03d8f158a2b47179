//! `download-hotfix`, with package managers that note what they are told. Real ones are in the `peers` package.

use std::fs;
use std::time::{Duration, Instant};

use slipway_model::Mode;
use slipway_scripts::hotfix::{DownloadFailure, Patience, download_hotfix};

use crate::node::{HASTE, Node, RUNNING, mode, put};

const WANTED: &str = r#"{"hotfixes":{"202601.15":"202601.15.1"}}"#;

/// A node of a distribution that wants a hotfix and has these package managers.
fn node(distribution: &str, programs: &[&str]) -> Node {
    let node = Node::that_runs_programs();
    put(&node.places.os_release, &format!("NAME=\"X\"\nID={distribution}\nID=other\n"), 0o644);
    put(&node.places.apt_sources.join("microsoft-prod.list"), "", 0o644);
    put(&node.places.pointer(), WANTED, 0o644);
    put(&node.places.baked(), "the image's own", 0o750);
    for program in programs {
        stand_in(&node, program, "");
    }
    installed(&node, "202601.15.1");
    node
}

/// A program that notes its name, environment and arguments, then does this.
fn stand_in(node: &Node, program: &str, then: &str) {
    let root = node.root.display();
    let script = format!("#!/bin/sh\necho \"{program} $DEBIAN_FRONTEND $*\" >>{root}/calls\n{then}\n");
    put(&node.root.join("bin").join(program), &script, 0o755);
}

/// What the package would have put in place: a program that reports a version.
fn installed(node: &Node, version: &str) {
    put(&node.places.installed, &format!("#!/bin/sh\n[ \"$1\" = version ] && echo {version}\n"), 0o700);
}

fn run(node: &Node, mode: Mode) -> Result<(), DownloadFailure> {
    download_hotfix(RUNNING, mode, &node.places, HASTE, &node.report)
}

fn calls(node: &Node) -> Vec<String> {
    let calls = fs::read_to_string(node.root.join("calls")).unwrap_or_default();
    calls.replace(&*node.root.to_string_lossy(), "ROOT").lines().map(str::to_owned).collect()
}

const DPKG: &str = "dpkg noninteractive --configure -a --force-confdef --force-confold";

#[test]
fn apt_is_told_what_the_peer_tells_it() {
    let node = node("ubuntu", &["dpkg", "apt-get"]);
    run(&node, Mode::Compat).unwrap();
    assert_eq!(
        calls(&node),
        [
            DPKG,
            "apt-get noninteractive update -o Dir::Etc::sourcelist=ROOT/sources/microsoft-prod.list -o \
             Dir::Etc::sourceparts=- -o Dpkg::Options::=--force-confold",
            "apt-get noninteractive install -y --allow-downgrades -o Dpkg::Options::=--force-confold \
             aks-node-controller=202601.15.1*",
        ]
    );
    let staged = node.places.staged();
    assert_eq!(fs::read(&staged).unwrap(), fs::read(&node.places.installed).unwrap());
    assert_eq!(mode(&staged), 0o750);
    assert_eq!(fs::read_to_string(node.places.baked()).unwrap(), "the image's own");
    assert_eq!(
        node.containers(),
        ["aks-node-controller", "aks-node-controller-hotfix", "aks-node-controller-hotfix.json"]
    );
    assert!(node.events().is_empty());
    assert_eq!(node.messages().last().unwrap(), "aks-node-controller hotfix download finished");
}

#[test]
fn apt_is_asked_for_the_exact_version_under_our_name() {
    let node = node("\"Ubuntu\"", &["dpkg", "apt-get"]);
    fs::rename(
        node.places.apt_sources.join("microsoft-prod.list"),
        node.places.apt_sources.join("microsoft-prod.sources"),
    )
    .unwrap();
    let madison = "cat <<E\n\
        aks-node-controller | 202601.15.10-ubuntu22.04u1 | https://x jammy/main amd64 Packages\n\
        aks-node-controller | 202601.15.1-ubuntu22.04u1 | https://x jammy/main amd64 Packages\nE\n";
    stand_in(&node, "apt-cache", madison);
    run(&node, Mode::Ours).unwrap();
    assert_eq!(
        calls(&node),
        [
            DPKG,
            "apt-get noninteractive update -o Dir::Etc::sourcelist=ROOT/sources/microsoft-prod.sources -o \
             Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 -o Dpkg::Options::=--force-confold",
            "apt-cache noninteractive madison aks-node-controller",
            "apt-get noninteractive install -y --allow-downgrades -o Dpkg::Options::=--force-confold \
             aks-node-controller=202601.15.1-ubuntu22.04u1",
        ]
    );
    // What is staged already is not fetched again.
    run(&node, Mode::Ours).unwrap();
    assert_eq!(calls(&node).len(), 4);
    fs::remove_file(node.places.staged()).unwrap();
    stand_in(&node, "apt-cache", "echo 'aks-node-controller | 202601.15.10 | x'");
    let failure = run(&node, Mode::Ours).unwrap_err();
    let message = "the package repository has no aks-node-controller 202601.15.1; it has: 202601.15.10";
    assert_eq!((failure.message.as_str(), failure.exit_code), (message, 1));
}

#[test]
fn rpm_distributions_have_dnf_or_else_tdnf() {
    for (distribution, programs, used) in
        [("azurelinux", &["dnf", "tdnf"][..], "dnf"), ("mariner", &["tdnf"], "tdnf")]
    {
        for mode in [Mode::Compat, Mode::Ours] {
            let node = node(distribution, programs);
            run(&node, mode).unwrap();
            let expected =
                "noninteractive install -y --refresh --allowerasing aks-node-controller-202601.15.1";
            assert_eq!(calls(&node), [format!("{used} {expected}")]);
            assert!(node.places.staged().exists());
        }
    }
}

#[test]
fn a_command_is_tried_again_and_its_code_is_ours_in_the_end() {
    let node = node("azurelinux", &[]);
    let root = node.root.display();
    stand_in(&node, "dnf", &format!("[ -e {root}/second ] || {{ touch {root}/second; exit 9; }}"));
    run(&node, Mode::Compat).unwrap();
    assert_eq!(calls(&node).len(), 2);
    let records = node.records();
    let retry = records.iter().find(|record| record["level"] == "WARN").unwrap();
    assert_eq!(
        (&retry["command"], &retry["attempt"], &retry["maxRetries"]),
        (&"dnf".into(), &1.into(), &3.into())
    );
    assert_eq!(retry["args"][0], "install");
    assert_eq!(retry["error"], "exit status 9");

    stand_in(&node, "dnf", "exit 100");
    let failure = run(&node, Mode::Compat).unwrap_err();
    assert_eq!(
        (failure.message.as_str(), failure.exit_code),
        ("dnf failed after 3 attempts: exit status 100", 100)
    );
    assert_eq!(calls(&node).len(), 5);
    assert_eq!(node.records().last().unwrap()["level"], "ERROR");

    fs::remove_file(node.root.join("bin/dnf")).unwrap();
    let failure = run(&node, Mode::Compat).unwrap_err();
    assert!(failure.message.contains("exec: \"tdnf\": executable file not found in $PATH"), "{failure:?}");
    assert_eq!(failure.exit_code, 1);
}

#[test]
fn a_command_that_hangs_is_ended_with_what_it_started() {
    let node = node("azurelinux", &[]);
    stand_in(&node, "dnf", "/bin/sleep 60 & /bin/sleep 60");
    let patience =
        Patience { attempts: 2, limit: Duration::from_millis(300), pause: Duration::from_millis(1) };
    let start = Instant::now();
    let failure = download_hotfix(RUNNING, Mode::Compat, &node.places, patience, &node.report).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(failure.exit_code, 255);
    assert_eq!(failure.message, "dnf failed after 2 attempts: signal: killed (it took too long)");
}

#[test]
fn a_binary_that_proves_nothing_is_staged_by_the_peer_but_not_by_us() {
    for (content, complaint) in [
        ("#!/bin/sh\necho 202601.15.10\n", "reports version \"202601.15.10\", not 202601.15.1"),
        ("#!/bin/sh\nexit 3\n", "does not run: exit status 3"),
        ("#!/bin/sh\nkill -SEGV $$\n", "does not run: segmentation fault"),
        ("\x7fELF", "does not run: exec format error"),
        ("#!/nonexistent\n", "does not run: no such file or directory"),
    ] {
        let node = node("mariner", &["tdnf"]);
        put(&node.places.installed, content, 0o755);
        put(&node.places.staged(), "an earlier hotfix", 0o755);
        let failure = run(&node, Mode::Ours).unwrap_err();
        assert!(failure.message.ends_with(complaint), "{failure:?}");
        assert_eq!(fs::read_to_string(node.places.staged()).unwrap(), "an earlier hotfix");
        assert_eq!(node.containers().len(), 3, "{:?}", node.containers());
        run(&node, Mode::Compat).unwrap();
        assert_eq!(fs::read_to_string(node.places.staged()).unwrap(), content);
    }
}

#[test]
fn nothing_is_done_where_nothing_is_wanted() {
    for (pointer, expected) in [
        (None, "hotfix config does not request a version for this base, skipping download"),
        (Some(" "), "hotfix config does not request a version for this base, skipping download"),
        (
            Some(r#"{"hotfixes":{"202512.01":"202512.01.1"}}"#),
            "hotfix config does not request a version for this base, skipping download",
        ),
        (Some(r#"{"version":"202601.15.0"}"#), "ANC version not targeted by hotfix, skipping download"),
        (Some(r#"{"version":"202601.16.1"}"#), "ANC version not targeted by hotfix, skipping download"),
        (Some(r#"{"version":"latest"}"#), "failed to compare versions, skipping hotfix download"),
        (Some("{"), "failed to read hotfix config, skipping hotfix download"),
    ] {
        let node = node("unknown", &[]);
        fs::remove_file(node.places.pointer()).unwrap();
        if let Some(text) = pointer {
            put(&node.places.pointer(), text, 0o644);
        }
        for mode in [Mode::Compat, Mode::Ours] {
            assert_eq!(run(&node, mode), Ok(()), "{pointer:?}");
        }
        let messages = node.messages();
        assert_eq!(messages[messages.len() - 2], expected);
        assert_eq!(messages[0], "aks-node-controller hotfix download started");
        assert_eq!(messages[messages.len() - 1], "aks-node-controller hotfix download finished");
        assert!(!node.places.staged().exists());
    }
}

#[test]
fn a_distribution_or_a_source_that_is_not_known_is_an_error() {
    let node = node("flatcar", &[]);
    assert_eq!(run(&node, Mode::Compat).unwrap_err().message, "unsupported OS: flatcar");
    put(&node.places.os_release, "ID=ubuntu\n", 0o644);
    fs::remove_file(node.places.apt_sources.join("microsoft-prod.list")).unwrap();
    let failure = run(&node, Mode::Compat).unwrap_err();
    assert!(
        failure.message.starts_with("no microsoft-prod.list or microsoft-prod.sources in "),
        "{failure:?}"
    );
    fs::remove_file(&node.places.os_release).unwrap();
    assert!(run(&node, Mode::Compat).unwrap_err().message.contains("os-release: no such file or directory"));
}
