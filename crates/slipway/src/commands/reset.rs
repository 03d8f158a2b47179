//! `slipway reset`: the machine as it was.

use serde_json::{Value, json};
use slipway_apply::{Kept, ResetOptions, ResetReport, Unwatched, reset};

use crate::cli::{Output, Reset};
use crate::failure::Failure;
use crate::native::lock;
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

pub(crate) fn run(
    arguments: &Reset,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let _lock = lock::take(root(&arguments.place).as_deref(), "reset")?;
    let options = ResetOptions { force: arguments.force, dry_run: arguments.dry_run };
    let report = reset(&*host, options, &Unwatched).map_err(super::status::unreadable)?;
    match arguments.output {
        Output::Json => screen.json(&document(&report, arguments.dry_run)),
        Output::Text => tell(&report, options, screen),
    }
    Ok(if report.failed.is_empty() { Outcome::Done } else { Outcome::Negative })
}

/// What was put back, what was not, and why.
pub(crate) fn tell(report: &ResetReport, options: ResetOptions, screen: &mut Screen) {
    for what in &report.undone {
        screen.line(format_args!("{} {what}", if options.dry_run { "would put back" } else { "put back" }));
    }
    for Kept { what, why } in &report.kept {
        screen.line(format_args!("kept {what}: {why}"));
    }
    for Kept { what, why } in &report.failed {
        screen.line(format_args!("could not put back {what}: {why}"));
    }
    match (report.undone.len(), report.kept.len(), report.failed.len()) {
        (0, 0, 0) => screen.line("nothing to undo"),
        (undone, kept, failed) => {
            screen.line(format_args!("{undone} put back, {kept} kept, {failed} failed"));
        }
    }
    if !report.kept.is_empty() && !options.force {
        screen.line("  hint: --force also puts back what someone else has changed");
    }
    if !report.failed.is_empty() {
        screen.line("  hint: the record stays; remove what is in the way and reset again");
    }
}

fn document(report: &ResetReport, dry_run: bool) -> Value {
    let kept = |kept: &[Kept]| -> Vec<Value> {
        kept.iter().map(|one| json!({ "what": one.what, "why": one.why })).collect()
    };
    json!({
        "dry_run": dry_run,
        "undone": report.undone,
        "kept": kept(&report.kept),
        "failed": kept(&report.failed),
    })
}
