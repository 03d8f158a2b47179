//! What a service will leave behind: what is there before it comes is recorded, so that a reset can tell the rest.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host};
use slipway_model::Verb;
use slipway_plan::Traces;

use crate::attempt::{Effect, Problem};
use crate::ledger::{Entry, Place};
use crate::ops::{kernel, units};
use crate::work::Work;

/// Where the kernel lists network links.
pub(crate) const LINKS: &str = "/sys/class/net";

/// Records, once, what was there before the service; of one that runs already nothing is ours to remove.
pub(super) fn run(work: &Work<'_>, traces: &Traces) -> Result<Effect, Problem> {
    let (host, ledger) = (work.host(), &work.site.ledger);
    let problem = |error| Problem::system(format!("traces of {}", traces.unit), &error);
    let known = |entry: &Entry| matches!(entry, Entry::Traces { unit, .. } if *unit == traces.unit);
    if ledger.entries().iter().any(known) || units::runs(&host.unit(&traces.unit).map_err(problem)?) {
        return Ok(Effect::Unchanged);
    }
    let record = || -> io::Result<()> {
        for (path, leaves) in &traces.settings {
            let Some(was) = host.setting(path)?.map(|was| kernel::current(&was)) else { continue };
            if was != *leaves {
                ledger.record(host, Entry::Setting { path: path.clone(), was, leaves: leaves.clone() })?;
            }
        }
        for name in &traces.units {
            let ran = units::runs(&host.unit(name)?);
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
