//! Files that the image holds ready under another name. They can be large, so they are never copied without need.

use std::path::{Path, PathBuf};

use slipway_host::{Entry as Found, EntryKind, Host};
use slipway_plan::Move;

use crate::attempt::{Effect, Problem};
use crate::carry::carry;
use crate::ledger::Entry;
use crate::work::{Work, at};

pub(super) fn run(work: &Work<'_>, order: &Move) -> Result<Effect, Problem> {
    match source(work.host(), order)? {
        Some((from, found)) => {
            place(work, order, &from, found)?;
            Ok(Effect::Changed)
        }
        None => given(work, order),
    }
}

/// The first place that holds the file.
pub(crate) fn source(host: &dyn Host, order: &Move) -> Result<Option<(PathBuf, Found)>, Problem> {
    for from in &order.from {
        let found = host.entry(from).map_err(|error| at(from, &error))?;
        if let Some(found) = found.filter(|found| found.kind == EntryKind::File) {
            return Ok(Some((from.clone(), found)));
        }
    }
    Ok(None)
}

fn place(work: &Work<'_>, order: &Move, from: &Path, found: Found) -> Result<(), Problem> {
    let (host, to) = (work.host(), &order.to);
    let problem = |error| at(to, &error);
    work.make_above(to)?;
    let entry = Entry::Moved {
        from: from.to_owned(),
        to: to.clone(),
        attributes: found.attributes,
        modified: found.modified,
        size: found.size,
    };
    let old = host.entry(to).map_err(problem)?.is_some();
    let aside = if old { work.site.ledger.set_aside(host, to).map_err(problem)? } else { None };
    work.enter(&to.to_string_lossy(), entry)?;
    work.settle()?;
    if let Some(aside) = &aside {
        carry(host, to, aside).map_err(problem)?;
    }
    if let Err(error) = carry(host, from, to) {
        // Better the old file than none; the error that matters is the first one.
        if let (Some(aside), Ok(None)) = (&aside, host.entry(to)) {
            let _ = carry(host, aside, to);
        }
        return Err(problem(error));
    }
    host.set_attributes(to, order.attributes).map_err(problem)
}

/// The file is where it belongs already; perhaps a crash came before its mode and owner.
fn given(work: &Work<'_>, order: &Move) -> Result<Effect, Problem> {
    let (host, to) = (work.host(), &order.to);
    let problem = |error| at(to, &error);
    let Some(found) = host.entry(to).map_err(problem)? else {
        if !host.is_live() {
            // A bare root has no image's files in it.
            return Ok(Effect::InRoot);
        }
        let places = order.from.iter().map(|from| format!("nor at {}", from.display()));
        let found =
            std::iter::once("it is not there".to_owned()).chain(places).collect::<Vec<_>>().join(", ");
        return Err(Problem::new(to.display().to_string(), found)
            .hint("use an image that brings it, or a contract that says where to get it"));
    };
    if found.attributes == order.attributes || found.kind != EntryKind::File {
        return Ok(Effect::Unchanged);
    }
    let entry = Entry::Attributes { path: to.clone(), was: found.attributes, leaves: order.attributes };
    work.enter(&to.to_string_lossy(), entry)?;
    work.settle()?;
    host.set_attributes(to, order.attributes).map_err(problem)?;
    Ok(Effect::Changed)
}
