//! Files from the network.

use std::io;
use std::path::{Path, PathBuf};

use slipway_host::EntryKind;
use slipway_plan::Artifact;

use crate::attempt::{Effect, Problem};
use crate::ledger::{Entry, State};
use crate::tree::{beside, digest, open_new};
use crate::work::{Work, at};

pub(super) fn run(work: &Work<'_>, artifact: &Artifact) -> Result<Effect, Problem> {
    let identity = identity(artifact);
    if is_there(work, artifact, &identity)? {
        return Ok(Effect::Unchanged);
    }
    let (host, ledger) = (work.host(), &work.site.ledger);
    for (_, path) in &artifact.members {
        work.make_above(path)?;
        // What will be there is known when it has come.
        let recorded = match host.entry(path) {
            Ok(Some(_)) => ledger.set_aside(host, path).map(|_| ()),
            Ok(None) => ledger.replace(host, path, State::Absent),
            Err(error) => Err(error),
        };
        recorded.and_then(|()| work.changing(&path.to_string_lossy())).map_err(|error| at(path, &error))?;
    }
    work.settle()?;
    let mut opened: Vec<PathBuf> = Vec::new();
    let mut open = |path: &Path| {
        let new = beside(path);
        opened.push(new.clone());
        open_new(host, &new, artifact.attributes)
    };
    let fetched = work.site.outside.fetch(artifact, &mut open, work.patience);
    let placed = fetched.and_then(|()| place(work, artifact, &identity));
    if placed.is_err() {
        for new in opened {
            // The error that matters is the first one; a reset finds the rest.
            let _ = host.remove(&new);
        }
    }
    placed.map(|()| Effect::Changed)
}

/// What tells one artifact from another: its checksum, or its address without the signature that grants access.
fn identity(artifact: &Artifact) -> String {
    match &artifact.sha256 {
        Some(sha256) => sha256.to_ascii_lowercase(),
        None => digest(artifact.url.expose().split('?').next().unwrap_or_default().as_bytes()),
    }
}

/// Whether all members are as this artifact left them.
fn is_there(work: &Work<'_>, artifact: &Artifact, identity: &str) -> Result<bool, Problem> {
    let entries = work.site.ledger.entries();
    for (_, path) in &artifact.members {
        let Some(found) = work.host().entry(path).map_err(|error| at(path, &error))? else {
            return Ok(false);
        };
        let ours = entries.iter().rev().find_map(|entry| match entry {
            Entry::Fetched { path: other, artifact, modified, size } if other == path => {
                Some(artifact == identity && *modified == found.modified && *size == found.size)
            }
            _ => None,
        });
        if ours != Some(true) || found.attributes != artifact.attributes {
            return Ok(false);
        }
    }
    Ok(true)
}

fn place(work: &Work<'_>, artifact: &Artifact, identity: &str) -> Result<(), Problem> {
    let host = work.host();
    for (member, path) in &artifact.members {
        let problem = |error: io::Error| at(path, &error);
        let new = beside(path);
        let Some(come) = host.entry(&new).map_err(problem)?.filter(|new| new.kind == EntryKind::File) else {
            return Err(Problem::new(path.display().to_string(), format!("the archive has no {member}")));
        };
        let entry = Entry::Fetched {
            path: path.clone(),
            artifact: identity.to_owned(),
            modified: come.modified,
            size: come.size,
        };
        work.site.ledger.record(host, entry).map_err(problem)?;
    }
    work.settle()?;
    for (_, path) in &artifact.members {
        let problem = |error: io::Error| at(path, &error);
        if host.entry(path).map_err(problem)?.is_some()
            && let Some(aside) = work.site.ledger.set_aside(host, path).map_err(problem)?
        {
            crate::carry::carry(host, path, &aside).map_err(problem)?;
        }
        host.rename(&beside(path), path).map_err(problem)?;
    }
    Ok(())
}
