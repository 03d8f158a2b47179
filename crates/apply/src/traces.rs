//! What a service has left, removed once it has stopped.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host};

use crate::ledger::{Entry, Place, State};

/// How many mounts one point may have on top of each other.
const MOST_MOUNTS: usize = 32;

/// The paths below a place that were not there before the service, or are our own making.
pub(crate) fn left(host: &dyn Host, place: &Place, ours: &BTreeSet<&Path>) -> io::Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    match (&place.held, host.entry(&place.path)?) {
        (_, None) => {}
        (None, Some(_)) => left.push(place.path.clone()),
        (Some(held), Some(_)) => {
            let stays = held.iter().map(PathBuf::as_path).filter(|path| !ours.contains(path)).collect();
            find(host, &place.path, &stays, &mut left)?;
        }
    }
    Ok(left)
}

/// The paths that were not there before Slipway made them.
pub(crate) fn made(entries: &[Entry]) -> BTreeSet<&Path> {
    let made = entries.iter().filter_map(|entry| match entry {
        Entry::Path { path, was: Some(was), .. } if was.state == State::Absent => Some(path.as_path()),
        _ => None,
    });
    made.collect()
}

fn find(
    host: &dyn Host,
    directory: &Path,
    stays: &BTreeSet<&Path>,
    left: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for name in host.list(directory)? {
        let path = directory.join(name);
        if !stays.contains(path.as_path()) {
            left.push(path);
        } else if host.entry(&path)?.is_some_and(|entry| entry.kind == EntryKind::Directory) {
            find(host, &path, stays, left)?;
        }
    }
    Ok(())
}

/// Removes a tree. What is mounted in it is unmounted first and never entered: a volume's content is its owner's.
pub(crate) fn remove(host: &dyn Host, path: &Path) -> io::Result<()> {
    let Some(kind) = host.entry(path)?.map(|entry| entry.kind) else { return Ok(()) };
    if matches!(kind, EntryKind::File | EntryKind::Directory) {
        for _ in 0..MOST_MOUNTS {
            if !host.is_mount_point(path)? {
                break;
            }
            host.unmount(path)?;
        }
        if host.is_mount_point(path)? {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
    }
    if kind != EntryKind::Directory {
        return host.remove(path);
    }
    for name in host.list(path)? {
        remove(host, &path.join(name))?;
    }
    host.remove_directory(path)
}

/// What takes chains whose names begin so out of a firewall, given what `iptables-save` printed; `None` where there are
/// none. Rules of others that lead there go first, then the chains' own, then the chains.
pub(crate) fn removal(saved: &str, beginnings: &[String]) -> Option<String> {
    let ours = |name: &str| beginnings.iter().any(|beginning| name.starts_with(beginning.as_str()));
    let mut all = String::new();
    for table in saved.split_inclusive("COMMIT\n") {
        let (mut jumps, mut flushes, mut removals) = (String::new(), String::new(), String::new());
        let mut name = "";
        for line in table.lines() {
            if let Some(table) = line.strip_prefix('*') {
                name = table;
            } else if let Some(chain) = line.strip_prefix(':').and_then(|rest| rest.split(' ').next()) {
                if ours(chain) {
                    flushes.extend(["-F ", chain, "\n"]);
                    removals.extend(["-X ", chain, "\n"]);
                }
            } else if let Some(rule) = line.strip_prefix("-A ") {
                let words: Vec<&str> = rule.split(' ').collect();
                let leads = |pair: &[&str]| matches!(pair, ["-j" | "-g", chain] if ours(chain));
                if !words.first().is_some_and(|chain| ours(chain)) && words.windows(2).any(leads) {
                    jumps.extend(["-D ", rule, "\n"]);
                }
            }
        }
        if !flushes.is_empty() {
            all.extend(["*", name, "\n", &jumps, &flushes, &removals, "COMMIT\n"]);
        }
    }
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAVED: &str = "# Generated\n*mangle\n:FORWARD ACCEPT [0:0]\n:KUBE-HINT - [0:0]\nCOMMIT\n# Completed\n*filter\n\
        :INPUT ACCEPT [1:2]\n:KUBE-FIREWALL - [0:0]\n:KUBE-CANARY - [0:0]\n-A INPUT -j KUBE-FIREWALL\n\
        -A INPUT -p tcp -m comment --comment \"about KUBE-FIREWALL\" -j DROP\n\
        -A KUBE-FIREWALL ! -s 127.0.0.0/8 -m comment --comment \"block incoming\" -j DROP\nCOMMIT\n*nat\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";

    #[test]
    fn chains_go_with_the_rules_that_lead_to_them_and_no_others() {
        let removal = removal(SAVED, &["KUBE-".to_owned()]).unwrap();
        assert_eq!(
            removal,
            "*mangle\n-F KUBE-HINT\n-X KUBE-HINT\nCOMMIT\n*filter\n-D INPUT -j KUBE-FIREWALL\n-F KUBE-FIREWALL\n\
             -F KUBE-CANARY\n-X KUBE-FIREWALL\n-X KUBE-CANARY\nCOMMIT\n"
        );
    }

    #[test]
    fn a_firewall_without_such_chains_is_left_alone() {
        assert_eq!(removal(SAVED, &["CNI-".to_owned()]), None);
        assert_eq!(removal("", &["KUBE-".to_owned()]), None);
    }
}
