//! What others bring about, and questions to them.

use std::path::Path;
use std::time::Duration;

use slipway_host::EntryKind;
use slipway_plan::{Await, Probe};

use crate::attempt::{Effect, Problem};
use crate::outside::ReadyOrder;
use crate::work::{Work, at};

/// How often a socket is looked for. What makes one takes tens of milliseconds at least.
const GLANCE: Duration = Duration::from_millis(10);

/// A probe explains and gates nothing, so it gets no more than this.
const PROBE: Duration = Duration::from_secs(5);

pub(super) fn run(work: &Work<'_>, condition: &Await) -> Result<Effect, Problem> {
    match condition {
        Await::Socket(path) => socket(work, path),
        Await::Ready { server, ca, node, kubeconfig } => {
            work.site.outside.wait_ready(&ReadyOrder { server, ca, node, kubeconfig }, work.patience)?;
            Ok(Effect::Unchanged)
        }
    }
}

pub(super) fn probe(work: &Work<'_>, probe: &Probe) -> Effect {
    let Probe::Reach { host, port } = probe;
    let found = work.site.outside.reach(host, *port, work.patience.at_most(PROBE));
    Effect::Found(found.unwrap_or_else(|problem| problem.to_string()))
}

fn socket(work: &Work<'_>, path: &Path) -> Result<Effect, Problem> {
    loop {
        let found = work.host().entry(path).map_err(|error| at(path, &error))?;
        if found.is_some_and(|found| found.kind == EntryKind::Other) {
            return Ok(Effect::Unchanged);
        }
        work.patience.sleep(GLANCE).map_err(|end| end.problem(format!("socket {}", path.display())))?;
    }
}
