//! Units: whether they start at boot, and jobs on them where a change made one due.

use std::io;
use std::path::Path;

use slipway_model::Verb;
use slipway_plan::Unit;

use crate::attempt::{Effect, Problem};
use crate::install;
use crate::journal::Line;
use crate::ledger::{Entry, State};
use crate::work::Work;

pub(super) fn run(work: &Work<'_>, unit: &Unit) -> Result<Effect, Problem> {
    let enabled = enable(work, unit)?;
    let Some(verb) = unit.verb else { return Ok(enabled) };
    if !work.host().is_live() {
        return Ok(if enabled == Effect::Changed { enabled } else { Effect::InRoot });
    }
    let job = job(work, unit, verb)?;
    Ok(if enabled == Effect::Changed { enabled } else { job })
}

/// Lets the service manager read unit files that changed since it last did.
pub(super) fn reload(work: &Work<'_>) -> Result<Effect, Problem> {
    if !work.site.journal.reload_is_due() {
        return Ok(Effect::Unchanged);
    }
    let step = work.step.id.0.to_owned();
    let reloaded = work.host().reload_units().and_then(|()| work.note(&Line::Reloaded { step }));
    reloaded.map_err(|error| Problem::system("unit files", &error))?;
    Ok(Effect::Changed)
}

fn enable(work: &Work<'_>, unit: &Unit) -> Result<Effect, Problem> {
    let Some(enabled) = unit.enabled else { return Ok(Effect::Unchanged) };
    let problem = |error| Problem::system(unit.name.as_str(), &error);
    let Some(file) = install::find(work.host(), &unit.name).map_err(problem)? else {
        return if unit.required && enabled && work.host().is_live() {
            Err(missing(unit))
        } else {
            Ok(Effect::Unchanged)
        };
    };
    let edits = if enabled {
        install::enabling(work.host(), &unit.name, &file)
    } else {
        install::disabling(work.host(), &unit.name, &file)
    };
    work.edit(edits.map_err(problem)?)
}

fn job(work: &Work<'_>, unit: &Unit, verb: Verb) -> Result<Effect, Problem> {
    let problem = |error| {
        Problem::system(unit.name.as_str(), &error)
            .hint(format!("`systemctl status {0}` and `journalctl -u {0}` say why", unit.name))
    };
    let runs = work.host().runs(&unit.name).map_err(problem)?;
    // Of one that has to start, the job itself says that it does not exist, and nobody waits for a question.
    let has_to_start = unit.required && matches!(verb, Verb::Start | Verb::Restart);
    if !runs && !has_to_start && !work.host().unit(&unit.name).map_err(problem)?.exists {
        return if unit.required { Err(missing(unit)) } else { Ok(Effect::Unchanged) };
    }
    let wanted = match verb {
        Verb::Start => !runs,
        Verb::Stop => runs,
        Verb::Restart => !runs || is_due(work, unit),
        Verb::Reload => runs && is_due(work, unit),
    };
    let newcomer = runs && matches!(verb, Verb::Start | Verb::Restart) && came_with_us(work, unit);
    if wanted || newcomer {
        let entry = Entry::Unit { name: unit.name.clone(), ran: runs && !newcomer, verb };
        work.site.ledger.record(work.host(), entry).map_err(problem)?;
        work.settle()?;
    }
    if !wanted {
        return Ok(Effect::Unchanged);
    }
    let wait = match unit.wait {
        Some(wait) => Some(wait.min(work.patience.left().map_err(|end| end.problem(unit.name.as_str()))?)),
        None => None,
    };
    let asked = || work.host().job(&unit.name, verb, wait);
    // A job can lose against another one that the machine's own start brought along.
    let done =
        asked().or_else(|error| if error.kind() == io::ErrorKind::TimedOut { Err(error) } else { asked() });
    done.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(unit),
        _ => problem(error),
    })?;
    let line = Line::Job { step: work.step.id.0.to_owned(), unit: unit.name.clone(), verb };
    work.note(&line).map_err(problem)?;
    Ok(Effect::Changed)
}

fn is_due(work: &Work<'_>, unit: &Unit) -> bool {
    let mut steps: Vec<&str> = work.step.needs.iter().map(|need| need.0).collect();
    steps.push(work.step.id.0);
    work.site.journal.is_due(&unit.name, &steps)
}

/// Whether a unit that runs is one that we described and did not start yet: the machine's own start did.
fn came_with_us(work: &Work<'_>, unit: &Unit) -> bool {
    let [file, elsewhere @ ..] = install::DIRECTORIES.map(|place| Path::new(place).join(&unit.name));
    if elsewhere.iter().any(|path| !matches!(work.host().entry(path), Ok(None))) {
        return false;
    }
    let entries = work.site.ledger.entries();
    let known = |entry: &Entry| matches!(entry, Entry::Unit { name, .. } if *name == unit.name);
    let ours = |entry: &Entry| match entry {
        Entry::Path { path, was: Some(was), .. } => *path == file && was.state == State::Absent,
        _ => false,
    };
    entries.iter().any(ours) && !entries.iter().any(known)
}

fn missing(unit: &Unit) -> Problem {
    Problem::new(unit.name.as_str(), "there is no such unit").hint("use an image that brings it")
}
