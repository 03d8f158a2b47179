//! Container images from files.

use std::io;
use std::time::Duration;

use slipway_plan::Image;

use crate::attempt::{Effect, Problem};
use crate::ledger::Entry;
use crate::sum::adds_up;
use crate::work::Work;

/// How often a runtime is asked that does not answer yet, or does not know yet what it was given.
const GLANCE: Duration = Duration::from_millis(100);
/// How long that may go on.
const LONGEST: Duration = Duration::from_mins(1);

pub(super) fn run(work: &Work<'_>, image: &Image) -> Result<Effect, Problem> {
    let what = format!("image {}", image.name);
    let problem = |error: io::Error| Problem::system(what.as_str(), &error);
    let host = work.host();
    let has = || host.has_image(&image.socket, &image.name);
    // A runtime that has just begun refuses questions for a while.
    if until(work, &what, &has, |_| true)? {
        return Ok(Effect::Unchanged);
    }
    if host.entry(&image.archive).map_err(problem)?.is_none() {
        let found = format!("its archive {} is not there", image.archive.display());
        return Err(Problem::new(what, found).hint("join again with --bundle"));
    }
    // The signature vouches for these bytes, and a runtime believes what it is given.
    if !adds_up(host, &image.archive, &image.sha256).map_err(problem)? {
        let found = format!("its archive {} is damaged", image.archive.display());
        return Err(Problem::new(what, found).hint("join again with --bundle"));
    }
    if image.outlived {
        let entry = Entry::Image { socket: image.socket.clone(), name: image.name.clone() };
        work.enter(&what, entry)?;
        work.settle()?;
    }
    let left = work.patience.left().map_err(|end| end.problem(what.as_str()))?;
    host.import_image(&image.socket, &image.name, &image.archive, left).map_err(problem)?;
    until(work, &what, &has, |there| there)?;
    Ok(Effect::Changed)
}

/// Asks until there is an answer that will do.
fn until(
    work: &Work<'_>,
    what: &str,
    ask: &dyn Fn() -> io::Result<bool>,
    will_do: impl Fn(bool) -> bool,
) -> Result<bool, Problem> {
    let patience = work.patience.at_most(LONGEST);
    loop {
        let answer = ask();
        match &answer {
            Ok(answer) if will_do(*answer) => return Ok(*answer),
            _ => {}
        }
        if let Err(end) = patience.sleep(GLANCE) {
            return Err(match answer {
                Err(error) => Problem::system(what, &error),
                Ok(_) => end.problem(what).hint("the archive may hold it under another name"),
            });
        }
    }
}
