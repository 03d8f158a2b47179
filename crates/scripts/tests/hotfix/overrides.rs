//! Script overrides: as the peer applies them, and all or none.

use std::fs;

use slipway_model::Mode;
use slipway_scripts::hotfix::download_hotfix;

use crate::node::{HASTE, Node, RUNNING, mode, put};

/// A node whose pointer wants scripts only, with overrides for three files; the last of them is this one.
fn node(last: &str) -> Node {
    let node = Node::new();
    put(&node.places.pointer(), r#"{"scripts_version":" 202601.15.1 "}"#, 0o644);
    let root = node.root.display();
    let overrides = format!(
        "#cloud-config\nwrite_files:\n- path: {root}/usr/old.sh\n  permissions: \"0744\"\n  content: |\n    new\n\
         - path: {root}/deep/er/new.sh\n  permissions: \"4755\"\n  content: new\n- {last}\n"
    );
    put(&node.places.overrides(), &overrides.replace("ROOT", &root.to_string()), 0o600);
    put(&node.root.join("usr/old.sh"), "old", 0o600);
    node
}

fn run(node: &Node, mode: Mode) {
    download_hotfix(RUNNING, mode, &node.places, HASTE, &node.report).unwrap();
}

#[test]
fn files_are_replaced() {
    for (run_mode, old_mode, new_mode) in [(Mode::Compat, 0o600, 0o755), (Mode::Ours, 0o744, 0o4755)] {
        let node = node("{path: ROOT/usr/third, content: 3}");
        run(&node, run_mode);
        let old = node.root.join("usr/old.sh");
        assert_eq!(fs::read_to_string(&old).unwrap(), "new\n");
        assert_eq!(mode(&old), old_mode, "the mode of what was there, {run_mode:?}");
        assert_eq!(mode(&node.root.join("deep/er/new.sh")), new_mode);
        assert_eq!(fs::read_to_string(node.root.join("usr/third")).unwrap(), "3");
        assert_eq!(fs::read_dir(node.root.join("usr")).unwrap().count(), 2, "temporaries are left");
        assert_eq!(node.messages()[1], "applied nodecustomdata");
        assert_eq!(node.records()[1]["files"], 3);
    }
}

#[test]
fn a_failure_leaves_half_with_the_peer_and_nothing_with_us() {
    for last in [
        "{path: ROOT/usr/third, owner: nobody}",
        "{path: ROOT/usr/third, encoding: gzip, content: x}",
        "{path: ROOT/usr/old.sh/third}",
        "{path: ROOT/containers}",
    ] {
        let ours = node(last);
        run(&ours, Mode::Ours);
        assert_eq!(fs::read_to_string(ours.root.join("usr/old.sh")).unwrap(), "old", "{last}");
        assert_eq!(mode(&ours.root.join("usr/old.sh")), 0o600);
        assert!(!ours.root.join("deep").exists(), "{last}");
        let peer = node(last);
        run(&peer, Mode::Compat);
        assert_eq!(fs::read_to_string(peer.root.join("usr/old.sh")).unwrap(), "new\n", "{last}");
        assert!(peer.root.join("deep/er/new.sh").exists());
        for node in [&ours, &peer] {
            assert_eq!(fs::read_dir(node.root.join("usr")).unwrap().count(), 1, "{last}");
            let records = node.records();
            let warning =
                records.iter().find(|record| record["msg"] == "failed to apply nodecustomdata").unwrap();
            assert_eq!(warning["level"], "WARN");
            assert!(warning["error"].is_string());
        }
    }
}

#[test]
fn overrides_wait_for_their_version() {
    for (pointer, expected) in [
        (
            "{}",
            "hotfix config does not request a scripts version for this base, skipping nodecustomdata apply",
        ),
        (
            r#"{"scripts_version":"202601.15.0"}"#,
            "CSE scripts version not targeted by hotfix, skipping nodecustomdata apply",
        ),
        (r#"{"scripts_version":"x"}"#, "failed to compare versions, skipping nodecustomdata apply"),
    ] {
        let node = node("{path: ROOT/usr/third}");
        put(&node.places.pointer(), pointer, 0o644);
        run(&node, Mode::Ours);
        assert_eq!(node.messages()[1], expected);
        assert_eq!(fs::read_to_string(node.root.join("usr/old.sh")).unwrap(), "old");
    }
    let node = node("{path: ROOT/usr/third}");
    fs::remove_file(node.places.overrides()).unwrap();
    run(&node, Mode::Ours);
    assert_eq!(node.records()[1]["files"], 0);
}

#[test]
fn the_later_of_two_entries_counts() {
    for run_mode in [Mode::Compat, Mode::Ours] {
        let node = node("{path: ROOT/usr/old.sh, content: later}");
        run(&node, run_mode);
        assert_eq!(fs::read_to_string(node.root.join("usr/old.sh")).unwrap(), "later");
    }
}
