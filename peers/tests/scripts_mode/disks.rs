//! Disks that are full or cannot be written.

use slipway_peers::node::{COMPLETE, Ended, Node, RESULT};

use crate::{FAIL, SUCCEED, node, runs};

/// An empty file system of its own at a path, then full.
fn fill(node: &Node, path: &str) {
    node.shell(&format!(
        "mount -t tmpfs -o size=64k none /mnt/root{path}; mkdir /mnt/root{path}/azure
cat /dev/zero >/mnt/root{path}/filler 2>/dev/null || true"
    ));
}

fn make_read_only(node: &Node, path: &str) {
    node.shell(&format!(
        "mount --bind /mnt/root{path} /mnt/root{path}; mount -o remount,bind,ro /mnt/root{path}"
    ));
}

/// Exit code, words, and nothing left that reads as a success.
fn failed_clearly(node: &Node, ended: &Ended, words: &str) {
    assert!(ended.code > 0, "{ended:?}");
    assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    let success = node.read(RESULT).is_some_and(|text| String::from_utf8_lossy(&text).contains("\"0\""));
    assert!(!(success && node.read(COMPLETE).is_some()), "the result says that all is well");
}

#[test]
fn a_full_disk_under_the_log_is_never_a_success() {
    let node = node(SUCCEED);
    fill(&node, "/var/log");
    failed_clearly(&node, &node.provision(), "no space left on device");
}

#[test]
fn a_full_disk_under_the_log_is_not_hidden_by_the_scripts_failure() {
    let node = node(FAIL);
    fill(&node, "/var/log");
    let ended = node.provision();
    assert_eq!(ended.code, 50);
    failed_clearly(&node, &ended, "exit status 50");
}

#[test]
fn a_full_disk_under_the_sentinel_is_never_a_success() {
    // An empty file takes no block; all names are taken instead.
    let node = node(SUCCEED);
    node.shell(
        "cp -a /mnt/root/opt/azure/containers /mnt/saved
mount -t tmpfs -o nr_inodes=4 none /mnt/root/opt/azure/containers
cp -a /mnt/saved/. /mnt/root/opt/azure/containers; touch /mnt/root/opt/azure/containers/last",
    );
    failed_clearly(&node, &node.provision(), "provision.complete is not there");
}

#[test]
fn a_read_only_disk_is_never_a_success() {
    for (path, words) in [
        ("/var/log", "read-only file system"),
        ("/opt/azure/containers", "provision.complete is not there"),
        ("/run", "cannot lock /run/slipway-provision.lock"),
    ] {
        let node = node(SUCCEED);
        make_read_only(&node, path);
        failed_clearly(&node, &node.provision(), words);
    }
}

#[test]
fn a_full_run_directory_is_never_a_success() {
    let node = node(SUCCEED);
    fill(&node, "/run");
    failed_clearly(&node, &node.provision(), "No space left on device");
    assert_eq!(runs(&node), 0);
}

#[test]
fn an_earlier_failure_that_cannot_be_removed_stops_the_attempt() {
    let node = node(FAIL);
    assert_eq!(node.provision().code, 50);
    make_read_only(&node, "/opt/azure/containers");
    failed_clearly(&node, &node.provision(), "cannot remove /opt/azure/containers/provision.complete");
    assert_eq!(runs(&node), 1);
}
