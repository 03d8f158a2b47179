//! Programs of versions that nobody needs any more.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::supply::{STORE, Stock, members, stored};

/// Of files that were brought to a machine, and of those in its store, what none of these stocks needs.
pub fn unneeded(brought: &[PathBuf], stocks: &[&Stock]) -> Vec<PathBuf> {
    let picks = || stocks.iter().flat_map(|stock| &stock.picks);
    let programs = picks().flat_map(|pick| members(pick.component, &pick.version)).map(|(_, path)| path);
    let files = stocks.iter().flat_map(|stock| stock.digests()).map(stored);
    let needed: BTreeSet<PathBuf> = programs.chain(files).collect();
    let versioned = |path: &PathBuf| path.starts_with("/opt/bin") || path.starts_with(STORE);
    brought.iter().filter(|path| versioned(path) && !needed.contains(*path)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use slipway_model::node::Component;

    use super::*;
    use crate::supply::{Digest, Pick};

    fn stock(version: &str, byte: u8) -> Stock {
        let pick = |component| Pick {
            component,
            version: version.parse().unwrap(),
            url: String::new(),
            sha256: Digest::of(&[byte; 32]),
            size: 1,
        };
        Stock {
            picks: vec![pick(Component::Kubelet), pick(Component::Kubectl)],
            mirrors: Vec::new(),
            images: Vec::new(),
        }
    }

    #[test]
    fn what_the_present_and_the_last_version_need_stays() {
        let path = |text: &str| PathBuf::from(text);
        let (present, last) = (stock("1.34.3", 2), stock("1.33.4", 1));
        let brought: Vec<PathBuf> = [
            "/opt/bin/kubelet-1.34.3",
            "/opt/bin/kubectl-1.34.3",
            "/opt/bin/kubelet-1.33.4",
            "/opt/bin/kubelet-1.32.9",
            "/usr/local/bin/containerd",
            "/opt/cni/bin/bridge",
        ]
        .map(path)
        .into_iter()
        .chain([stored(&Digest::of(&[1; 32])), stored(&Digest::of(&[9; 32]))])
        .collect();
        let gone = unneeded(&brought, &[&present, &last]);
        assert_eq!(gone, [path("/opt/bin/kubelet-1.32.9"), stored(&Digest::of(&[9; 32]))]);
        assert!(unneeded(&brought, &[&present]).contains(&path("/opt/bin/kubelet-1.33.4")));
    }
}
