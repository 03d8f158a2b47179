//! Which steps the attempt's length hung on.

use crate::attempt::StepReport;

/// Marks the step that ended last of those that count, the one that it waited for last, and so on.
pub(crate) fn mark(steps: &mut [StepReport], counts: impl Fn(&str) -> bool) {
    let counting = steps.iter().filter(|step| counts(step.id));
    let last = counting.filter_map(|step| step.times.map(|(_, ended)| (ended, step.id))).max();
    let mut next = last.map(|(_, id)| id);
    while let Some(step) = next.and_then(|id| steps.iter_mut().find(|step| step.id == id && !step.critical)) {
        step.critical = true;
        next = step.waited_for;
    }
}
