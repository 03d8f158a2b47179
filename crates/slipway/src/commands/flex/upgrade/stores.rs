//! Archives that are kept on the machine while its programs change, so that neither way needs the network.

use std::io;
use std::path::Path;
use std::time::Instant;

use slipway_apply::{Outside, Patience, Problem};
use slipway_flex::supply::{Mirror, Pick, stored};
use slipway_host::Host;
use slipway_model::Attributes;
use slipway_plan::Artifact;

use super::super::store;
use super::edition::Edition;
use crate::failure::Failure;

/// Fetches what takes the place of something else, and what it takes the place of. Programs with a version in their names
/// stand beside each other and need no archive.
pub(super) fn fill(
    from: &Edition,
    to: &Edition,
    host: &dyn Host,
    outside: &dyn Outside,
    until: Instant,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    let there = to.others(from).map(|(pick, _)| pick).filter(|pick| to.replaces(pick, from));
    let back = from.others(to).map(|(pick, _)| pick).filter(|pick| from.replaces(pick, to));
    let there = there.map(|pick| (pick, &to.stock.mirrors));
    let back = back.map(|pick| (pick, &from.stock.mirrors));
    for (pick, mirrors) in there.chain(back) {
        fetch(pick, mirrors, host, outside, Patience { until, stop })
            .map_err(|problem| unfetched(pick, &problem))?;
    }
    Ok(())
}

fn fetch(
    pick: &Pick,
    mirrors: &[Mirror],
    host: &dyn Host,
    outside: &dyn Outside,
    patience: Patience<'_>,
) -> Result<(), Problem> {
    let path = stored(&pick.sha256);
    let at = |error: io::Error| Problem::system(path.display().to_string(), &error);
    if store::has(host, &pick.sha256, pick.size).map_err(at)? {
        return Ok(());
    }
    store::make(host).map_err(at)?;
    let new = path.with_extension("new");
    let artifact = Artifact {
        url: Mirror::find(mirrors, &pick.url),
        sha256: Some(pick.sha256.as_str().to_owned()),
        cached: None,
        members: vec![(String::new(), new.clone())],
        attributes: Attributes::root(0o600),
    };
    let mut open = |path: &Path| {
        if host.entry(path)?.is_some() {
            host.remove(path)?;
        }
        host.create(path, artifact.attributes)
    };
    if let Err(problem) = outside.fetch(&artifact, &mut open, patience) {
        // The problem that matters is the first one.
        let _ = host.remove(&new);
        return Err(problem);
    }
    let synced = host.append(&new, artifact.attributes).and_then(|mut file| file.sync());
    synced.and_then(|()| host.rename(&new, &path)).map_err(at)
}

fn unfetched(pick: &Pick, problem: &Problem) -> Failure {
    let doing = format!("cannot keep {} {} for the way there or back", pick.component, pick.version);
    let failure = Failure::machine("not-fetched", doing, problem);
    Failure { blame: problem.blame.unwrap_or(failure.blame), ..failure }.with_hint(
        "nothing was changed; the configuration can say which version stays, such as components.containerd",
    )
}
