//! The plain contract and the fullest, each on a machine that is not empty.

use std::sync::LazyLock;

use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};
use slipway_contract::node::{Fate, fates};

use crate::site::Case;
use crate::tree::{Thing, Tree, What, is_generated};

/// The example, on an image that holds the programs ready.
pub(crate) static PLAIN: LazyLock<Case> = LazyLock::new(|| {
    Case::new("plain", "../examples/contract.json", "tests/crash/plain-facts.json", |_| image())
});

/// Everything that can be asked for at once, on a machine where much is there already and differs.
pub(crate) static FULLEST: LazyLock<Case> = LazyLock::new(|| {
    Case::new("fullest", "tests/crash/fullest.json", "tests/crash/fullest-facts.json", |case| {
        lived_in(&case.after)
    })
});

/// Both.
pub(crate) fn cases() -> [&'static Case; 2] {
    [&PLAIN, &FULLEST]
}

fn file(content: &str, mode: u32, owner: (u32, u32)) -> Thing {
    Thing::new(What::File(content.as_bytes().to_vec()), mode, owner)
}

fn directory(mode: u32, owner: (u32, u32)) -> Thing {
    Thing::new(What::Directory, mode, owner)
}

/// What an image brings that the example's plan puts to use: programs to choose and to move, files to edit.
fn image() -> Tree {
    let root = (0, 0);
    let unpacked = "/opt/cni/downloads/azure-vnet-cni-linux-amd64-v1.6.21";
    let configuration = r#"{"name":"azure","plugins":[{"type":"azure-vnet","mode":"bridge"}]}"#;
    let things = [
        (format!("{unpacked}/azure-vnet"), file("the plugin", 0o700, (3, 4))),
        (format!("{unpacked}/azure-vnet-ipam"), file("the addresses", 0o755, root)),
        (format!("{unpacked}/10-azure.conflist"), file(configuration, 0o644, (3, 4))),
        ("/opt/cni/bin/azure-vnet".into(), file("an older plugin", 0o755, (5, 6))),
        ("/opt/bin/kubelet-1.33.2".into(), file("kubelet of 1.33.2", 0o755, root)),
        ("/opt/bin/kubectl-1.33.2".into(), file("kubectl of 1.33.2", 0o755, root)),
        ("/opt/bin/kubelet-1.31.9".into(), file("kubelet of 1.31.9", 0o755, (7, 8))),
        ("/opt/bin/kubelet".into(), Thing::new(What::Link("kubelet-1.31.9".into()), 0, (9, 10))),
        ("/etc/sysfs.conf".into(), file("kernel/mm/ksm/run = 0", 0o640, root)),
        ("/etc/resolv.conf".into(), file("nameserver 127.0.0.53\n", 0o644, root)),
        ("/var/lib/kubelet/credential-provider/acr-credential-provider".into(), file("it", 0o700, (7, 8))),
        ("/var/log".into(), directory(0o775, (0, 4))),
    ];
    let mut tree = Tree(things.into());
    complete(&mut tree);
    tree
}

/// A machine on which nearly everything that an attempt manages is there in some other way, and something of others'
/// beside it. Which way is the path's turn, so that every kind of thing meets every kind of difference.
fn lived_in(managed: &Tree) -> Tree {
    let mut tree = Tree::default();
    for (turn, (path, thing)) in managed.0.iter().enumerate() {
        let there = match (&thing.what, turn % 6) {
            (_, 0) => None,
            (What::Directory, 1 | 3) => Some(directory(0o711, (11, 12))),
            (What::Link(_), 1 | 2) => Some(Thing::new(What::Link("/elsewhere".into()), 0, (13, 14))),
            (What::Link(_), _) => Some(file("no link", 0o640, (0, 0))),
            (What::File(_), 1) => Some(file("theirs\n", 0o640, (15, 16))),
            (What::File(_), 2) => Some(Thing { mode: 0o604, owner: (17, 18), ..thing.clone() }),
            (What::File(_), 3) => Some(Thing::new(What::Link("/foreign".into()), 0, (19, 20))),
            (What::File(_), 4) => Some(file("", 0o4755, (0, 0))),
            (What::Directory | What::File(_), _) => Some(thing.clone()),
        };
        // A pair that is not one is made anew, which is another test's business.
        let Some(there) = there.filter(|_| !is_generated(path)) else { continue };
        if there.what == What::Directory {
            tree.0.insert(format!("{path}/.of-others"), file("foreign", 0o600, (21, 22)));
        }
        tree.0.insert(path.clone(), there);
    }
    // Masked units, which the contract wants back.
    for unit in ["apt-daily.service", "apt-daily-upgrade.service"] {
        let mask = Thing::new(What::Link("/dev/null".into()), 0, (0, 0));
        tree.0.insert(format!("/etc/systemd/system/{unit}"), mask);
    }
    tree.0.insert("/foreign".to_owned(), file("a file of others, with a line\n", 0o644, (23, 24)));
    complete(&mut tree);
    tree
}

/// Adds the directories above everything, so that they have known modes and owners.
fn complete(tree: &mut Tree) {
    let paths: Vec<String> = tree.0.keys().cloned().collect();
    for path in paths {
        let mut above = path.as_str();
        while let Some((shorter, _)) = above.rsplit_once('/').filter(|(shorter, _)| !shorter.is_empty()) {
            tree.0.entry(shorter.to_owned()).or_insert_with(|| directory(0o755, (0, 0)));
            above = shorter;
        }
    }
}

/// What the fullest contract leaves out, since it excludes something that it asks for.
const EXCLUDED: [(&str, &str); 3] = [
    ("is_kata", "excludes artifact streaming"),
    (
        "kubelet_config.kubelet_config_file_config.server_tls_bootstrap",
        "has the cluster sign what the node signs here",
    ),
    ("pre_provision_only", "prepares an image and makes no node"),
];

#[test]
fn the_fullest_contract_sets_every_field_that_is_honoured() {
    let text = include_str!("fullest.json");
    let decoded = decode::<Contract>(text.as_bytes(), Policy::Careful);
    assert!(decoded.issues.is_empty(), "{:?}", decoded.issues);
    let contract: serde_json::Value = serde_json::from_str(text).unwrap();
    let honoured = fates().filter(|(_, fate)| *fate == Fate::Honoured).map(|(path, _)| *path);
    let mut left: Vec<&str> = honoured.filter(|path| !is_set(&contract, path)).collect();
    left.sort_unstable();
    let excluded: Vec<&str> = EXCLUDED.iter().map(|(path, _)| *path).collect();
    assert_eq!(left, excluded);
}

/// Whether a field has a value; of a map's values, one that has it is enough.
fn is_set(message: &serde_json::Value, path: &str) -> bool {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let inner = &message[name];
    match rest {
        "" => !matches!(inner, serde_json::Value::Null | serde_json::Value::Bool(false)),
        rest => {
            is_set(inner, rest)
                || inner.as_object().is_some_and(|map| map.values().any(|one| is_set(one, rest)))
        }
    }
}
