//! One step from beginning to end: what can be recorded beforehand is recorded at once, so that durability is paid
//! once and not for every file.

use std::path::PathBuf;
use std::time::Duration;

use slipway_plan::{Action, Op};

use crate::attempt::{Effect, OpReport, Problem};
use crate::ops::{self, files, kernel};
use crate::watcher::{Event, Watcher};
use crate::work::{Prepared, Work};

/// How often an operation is tried again after an error that can pass, and the first pause before it.
const RETRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(20);

/// What was found out about an operation before the step's first change.
enum Ready<'a> {
    /// These edits are due and recorded; none, if there is nothing to do.
    Edits(Vec<Prepared<'a>>),
    /// Whether the setting changes, which is recorded.
    Setting(bool),
    /// It depends on what comes before it.
    Unknown,
}

/// Does the operations of a step; the reports reach as far as it came.
pub(crate) fn run(work: &Work<'_>, watch: &dyn Watcher, reports: &mut Vec<OpReport>) -> Result<(), Problem> {
    let what = work.step.title;
    let known = prepare(work)?;
    work.settle()?;
    for (op, ready) in work.step.ops.iter().zip(known) {
        work.patience.left().map_err(|end| end.problem(what))?;
        let mut ready = Some(ready);
        let effect = patiently(work, || {
            // Once something went wrong, what was found out before no longer counts.
            match (ready.take(), &op.action) {
                (Some(Ready::Edits(due)), _) => work.perform(&due),
                (Some(Ready::Setting(false)), _) => Ok(Effect::Unchanged),
                (Some(Ready::Setting(true)), Action::Setting(setting)) => kernel::set(work, setting),
                (_, action) => ops::run(work, action),
            }
        })?;
        let what = ops::what(&op.action);
        if effect == Effect::Changed {
            watch.saw(&Event::Changed { step: work.step.id.0, what: &what });
        }
        reports.push(OpReport { what, effect });
    }
    Ok(())
}

/// Observes the operations that do not depend on each other, and records what they will change.
fn prepare<'a>(work: &Work<'a>) -> Result<Vec<Ready<'a>>, Problem> {
    let ops: &'a [Op] = &work.step.ops;
    let mut known = Vec::with_capacity(ops.len());
    let mut touched: Vec<PathBuf> = Vec::new();
    let mut open = true;
    for op in ops {
        let ready = match &op.action {
            _ if !open => Ready::Unknown,
            Action::Setting(setting) if work.host().is_live() => {
                Ready::Setting(patiently(work, || kernel::prepare(work, setting))?)
            }
            action => match patiently(work, || files::edits(work.host(), action))? {
                None => {
                    // A module, a unit, a program: whatever comes after it may have been changed by it.
                    open = matches!(action, Action::Setting(_) | Action::ReloadUnits);
                    Ready::Unknown
                }
                Some(edits)
                    if edits.iter().any(|edit| touched.iter().any(|path| edit.path.starts_with(path))) =>
                {
                    Ready::Unknown
                }
                Some(edits) => {
                    let directory = matches!(action, Action::Directory(_));
                    let due = patiently(work, || work.prepare(edits.clone()))?;
                    if !directory {
                        touched.extend(due.iter().map(|prepared| prepared.path().to_owned()));
                    }
                    Ready::Edits(due)
                }
            },
        };
        known.push(ready);
    }
    Ok(known)
}

fn patiently<T>(work: &Work<'_>, mut attempt: impl FnMut() -> Result<T, Problem>) -> Result<T, Problem> {
    for retry in 0..RETRIES {
        match attempt() {
            Err(problem) if problem.passing => {
                if work.patience.sleep(PAUSE * 2_u32.pow(retry)).is_err() {
                    return Err(problem);
                }
            }
            other => return other,
        }
    }
    attempt()
}
