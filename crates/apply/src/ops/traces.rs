//! What a service will leave behind: what is there before it comes is recorded, so that a reset can tell the rest.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host};
use slipway_model::Verb;
use slipway_plan::Traces;

use crate::attempt::{Effect, Problem};
use crate::ledger::{Entry, Place};
use crate::ops::kernel;
use crate::work::Work;

/// Where the kernel lists network links; unlike `/sys`, always those of the network that we are in.
pub(crate) const LINKS: &str = "/proc/sys/net/ipv4/conf";

const SHADOW: &str = "/etc/shadow";
const CHAGE: &str = "/usr/bin/chage";

/// Records, once, what was there before the service; of one that runs already nothing is ours to remove.
pub(super) fn run(work: &Work<'_>, traces: &Traces) -> Result<Effect, Problem> {
    let (host, ledger) = (work.host(), &work.site.ledger);
    let problem = |error| Problem::system(format!("traces of {}", traces.unit), &error);
    let known = |entry: &Entry| matches!(entry, Entry::Traces { unit, .. } if *unit == traces.unit);
    if ledger.entries().iter().any(known) || host.runs(&traces.unit).map_err(problem)? {
        return Ok(Effect::Unchanged);
    }
    let record = || -> io::Result<()> {
        for (path, leaves) in &traces.settings {
            let Some(was) = host.setting(path)?.map(|was| kernel::current(&was)) else { continue };
            if was != *leaves {
                ledger.record(host, Entry::Setting { path: path.clone(), was, leaves: leaves.clone() })?;
            }
        }
        if let (false, Ok(shadow)) = (traces.accounts.is_empty(), host.read(Path::new(SHADOW))) {
            let shadow = String::from_utf8_lossy(&shadow);
            for arguments in traces.accounts.iter().filter_map(|account| ageing(&shadow, account)) {
                ledger.record(host, Entry::Program { path: CHAGE.into(), arguments })?;
            }
        }
        for name in &traces.units {
            let ran = host.runs(name)?;
            ledger.record(host, Entry::Unit { name: name.clone(), ran, verb: Verb::Start })?;
        }
        let mut links = traces.links.clone();
        for (at, name) in traces.links.iter().enumerate().rev() {
            if host.entry(&Path::new(LINKS).join(name))?.is_some() {
                links.remove(at);
            }
        }
        let places = traces.directories.iter().map(|path| place(host, path)).collect::<io::Result<_>>()?;
        let (unit, pods, chains) = (traces.unit.clone(), traces.pods.clone(), traces.chains.clone());
        ledger.record(host, Entry::Traces { unit, places, pods, links, chains })
    };
    record().map_err(problem)?;
    Ok(Effect::Unchanged)
}

/// The arguments by which `chage` gives an account the expiry that it has.
fn ageing(shadow: &str, account: &str) -> Option<Vec<String>> {
    let line = shadow.lines().find_map(|line| line.strip_prefix(account)?.strip_prefix(':'))?;
    // Password and last change come first; of what follows an empty field means that there is no limit.
    let fields = line.split(':').skip(2);
    let options = ["-m", "-M", "-W", "-I", "-E"].into_iter().zip(fields);
    let values = options.flat_map(|(option, value)| [option, if value.is_empty() { "-1" } else { value }]);
    Some(values.chain([account]).map(str::to_owned).collect())
}

fn place(host: &dyn Host, path: &Path) -> io::Result<Place> {
    let mut held = Vec::new();
    let there = host.entry(path)?.is_some();
    if there {
        collect(host, path, &mut held)?;
    }
    Ok(Place { path: path.to_owned(), held: there.then_some(held) })
}

fn collect(host: &dyn Host, directory: &Path, held: &mut Vec<PathBuf>) -> io::Result<()> {
    for name in host.list(directory)? {
        let path = directory.join(name);
        if host.entry(&path)?.is_some_and(|entry| entry.kind == EntryKind::Directory) {
            collect(host, &path, held)?;
        }
        held.push(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accounts_expiry_is_what_chage_would_be_told() {
        let shadow = "rooted:*:1:2:3:4:5:6:\nroot:*:20000:0:99999:7:::\n";
        let arguments = ageing(shadow, "root").unwrap().join(" ");
        assert_eq!(arguments, "-m 0 -M 99999 -W 7 -I -1 -E -1 root");
        assert_eq!(ageing(shadow, "azureuser"), None);
    }
}
