//! Progress as lines for logs and for people without a terminal.

use slipway_apply::{Event, Outcome, StepReport};

use super::Amount;

/// What an event is told as, if it is.
pub(super) fn line(event: &Event<'_>, amount: Amount) -> Option<String> {
    match event {
        Event::StepBegan { step, title } => (amount == Amount::All).then(|| format!("{step}: {title} …")),
        Event::Changed { step, what } => (amount == Amount::All).then(|| format!("{step}: changed {what}")),
        Event::StepEnded(report) => ended(report, amount),
        Event::Undone { what } => (amount >= Amount::Usual).then(|| format!("put back {what}")),
        _ => None,
    }
}

fn ended(report: &StepReport, amount: Amount) -> Option<String> {
    let took =
        report.times.map(|(began, ended)| format!(" in {}", duration(began, ended))).unwrap_or_default();
    let least = match &report.outcome {
        Outcome::Failed(_) | Outcome::Degraded(_) => Amount::Little,
        Outcome::Done { .. } => Amount::Usual,
        Outcome::Skipped(_) | Outcome::Unchanged | Outcome::NotReached => Amount::All,
    };
    let said = match &report.outcome {
        Outcome::Done { changed } => format!("done{took}, {changed} changed"),
        Outcome::Unchanged => format!("as it should be{took}"),
        Outcome::Failed(problem) => format!("FAILED{took}: {problem}"),
        Outcome::Degraded(problem) => format!("failed{took}, and the node goes on without it: {problem}"),
        Outcome::Skipped(why) => format!("skipped: {why}"),
        Outcome::NotReached => "not reached".to_owned(),
    };
    (amount >= least).then(|| format!("{}: {said}", report.id))
}

/// How long something took, with as many digits as matter.
pub(crate) fn duration(from: jiff::Timestamp, to: jiff::Timestamp) -> String {
    match to.duration_since(from).as_secs_f64() {
        short if short < 1.0 => format!("{:.1} ms", short * 1_000.0),
        long => format!("{long:.2} s"),
    }
}
