//! Swap areas that are turned off.

use std::io;
use std::path::Path;

use slipway_host::Host;

use crate::attempt::{Effect, Problem};
use crate::ledger::Entry;
use crate::work::Work;

pub(super) fn run(work: &Work<'_>, area: &Path) -> Result<Effect, Problem> {
    let what = format!("swap {}", area.display());
    let problem = |error: io::Error| Problem::system(what.as_str(), &error);
    let host = work.host();
    let used = host.swaps().map_err(problem)?.into_iter().find(|swap| swap.path == area);
    let Some(swap) = used else { return Ok(Effect::Unchanged) };
    work.enter(&what, Entry::Swap { swap })?;
    work.settle()?;
    let left = work.patience.left().map_err(|end| end.problem(what.as_str()))?;
    host.swap_off(area, left).map_err(problem)?;
    Ok(Effect::Changed)
}

/// Whether the kernel uses an area.
pub(crate) fn is_on(host: &dyn Host, area: &Path) -> io::Result<bool> {
    Ok(host.swaps()?.iter().any(|swap| swap.path == area))
}
