//! Programs that are the thing itself.

use slipway_host::{Exit, Program as Call};
use slipway_model::Secret;
use slipway_plan::Program;

use crate::attempt::{Effect, Problem};
use crate::journal::Line;
use crate::ledger::Entry;
use crate::tree::digest;
use crate::work::Work;

pub(super) fn run(work: &Work<'_>, program: &Program) -> Result<Effect, Problem> {
    let what = program.path.display().to_string();
    let problem = |error| Problem::system(what.as_str(), &error);
    let name = digest(format!("{} {:?}", program.path.display(), program.arguments).as_bytes());
    let ran = work.site.journal.has_run(&name);
    if ran && !program.repeatable {
        return Ok(Effect::Unchanged);
    }
    if !ran {
        if let Some((path, arguments)) = &program.undo {
            let entry = Entry::Program { path: path.clone(), arguments: arguments.clone() };
            work.site.ledger.record(work.host(), entry).map_err(problem)?;
        }
        work.changing(&what).map_err(problem)?;
        work.settle()?;
    }
    let left = work.patience.left().map_err(|end| end.problem(what.as_str()))?;
    let call = Call {
        path: program.path.clone(),
        arguments: program.arguments.clone(),
        input: program.input.clone(),
        within: program.within.min(left),
    };
    let ended = work.host().run(&call).map_err(problem)?;
    if ended.timed_out {
        return Err(Problem::new(what, format!("took longer than {} s", call.within.as_secs())).late());
    }
    let complaint = || last_line(&ended.stderr, program.input.as_ref());
    match ended.exit {
        Exit::Code(0) => {}
        Exit::Code(code) => return Err(Problem::new(what, format!("exited with {code}{}", complaint()))),
        Exit::Signal(signal, _) => {
            return Err(Problem::new(what, format!("was ended by signal {signal}{}", complaint())));
        }
    }
    if ran {
        return Ok(Effect::Unchanged);
    }
    let line = Line::Ran { step: work.step.id.0.to_owned(), program: name };
    work.note(&line).map_err(problem)?;
    Ok(Effect::Changed)
}

/// The last thing that a program said, without what it was told in confidence.
fn last_line(stderr: &[u8], secret: Option<&Secret<String>>) -> String {
    let text = String::from_utf8_lossy(stderr);
    let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) else { return String::new() };
    let told = secret.is_some_and(|secret| {
        secret.expose().split_whitespace().any(|word| word.len() > 3 && line.contains(word))
    });
    if told { String::new() } else { format!(": {}", line.trim()) }
}
