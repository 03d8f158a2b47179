//! What counts of the evidence: everything once, and only what is about the machine's last start.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::evidence::{Certainty, Clock, Evidence, Problem, Seen, Source, Span, Stamp};
use crate::phase::Phase;

/// Times before a start that are still of it: it may be known in whole seconds.
const ROUNDING: SignedDuration = SignedDuration::from_secs(2);

/// A machine that was ordered longer ago has been started again since.
const LONGEST_ORDER: SignedDuration = SignedDuration::from_hours(1);

/// An event and a trace of the same task begin this close to each other.
const SAME: SignedDuration = SignedDuration::from_millis(5);

/// Leaves out what other files tell better, and what earlier starts of the machine left behind.
pub(crate) fn sift(evidence: &mut Evidence, clock: &Clock) {
    once(&mut evidence.spans);
    unfinished(&mut evidence.spans);
    this_start(evidence, clock);
    ordered(evidence, clock);
    until_ready(evidence, clock);
    whole_seconds(evidence);
}

/// When provisioning began, its first step tells better than a result in whole seconds; and when the node was Ready, Slipway's
/// own event in whole seconds tells nothing that its journal does not.
fn whole_seconds(evidence: &mut Evidence) {
    let native = evidence.spans.iter().any(|span| span.source == Source::Journal);
    let works = |span: &&Span| span.phase == Phase::Bootstrap && span.source != Source::Systemd;
    let first = evidence.spans.iter().filter(works).map(|span| span.start).min_by_key(|start| start.wall);
    evidence.seen.retain(|seen| !(native && seen.source == Source::Event && seen.name == "node-ready"));
    for seen in evidence.seen.iter_mut().filter(|seen| seen.name == "provisioning-started") {
        let near = first.filter(|first| first.wall.duration_since(seen.time.wall).abs() <= ROUNDING);
        seen.time = near.unwrap_or(seen.time);
    }
}

/// What files tell more than once counts once: a task has an event and a trace, a step of Slipway's has an event, a stage of
/// cloud-init's has a log and a status, a unit has a journal and properties, and syslog repeats the agent's log.
fn once(spans: &mut Vec<Span>) {
    let native = spans.iter().any(|span| span.source == Source::Journal);
    let events: Vec<(String, Timestamp)> = spans
        .iter()
        .filter(|span| span.source == Source::Event)
        .map(|span| (span.name.clone(), span.start.wall))
        .collect();
    let units: BTreeSet<String> = spans
        .iter()
        .filter(|span| span.source == Source::Systemd && span.certainty == Certainty::Measured)
        .map(|span| span.name.clone())
        .collect();
    let surest = |name: &str| {
        let same = spans.iter().filter(|span| span.source == Source::CloudInit && span.name == name);
        same.map(|span| span.certainty).min()
    };
    let stages: BTreeSet<(String, Certainty)> = spans
        .iter()
        .filter(|span| span.source == Source::CloudInit)
        .filter_map(|span| Some((span.name.clone(), surest(&span.name)?)))
        .collect();
    let (mut told, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    spans.retain(|span| match span.source {
        Source::Event => {
            let ours = span.name.starts_with("AKS.Slipway.") || span.name == "AKS.CSE.cse_start";
            !(native && ours)
        }
        Source::Trace => !events
            .iter()
            .any(|(name, start)| *name == span.name && start.duration_since(span.start.wall).abs() <= SAME),
        Source::Systemd => span.certainty != Certainty::Rounded || !units.contains(&span.name),
        Source::CloudInit => {
            stages.contains(&(span.name.clone(), span.certainty)) && told.insert(span.name.clone())
        }
        Source::Agent => repeated.insert((span.name.clone(), span.start.wall, span.end.wall)),
        _ => true,
    });
}

/// A traced task that never came to its end took until the scripts ended, which their own event tells.
fn unfinished(spans: &mut [Span]) {
    let envelopes: Vec<(Stamp, Stamp)> =
        spans.iter().filter(|span| span.envelope).map(|span| (span.start, span.end)).collect();
    let traced = |span: &&mut Span| span.source == Source::Trace && span.outcome.is_some();
    for span in spans.iter_mut().filter(traced) {
        let around = envelopes
            .iter()
            .filter(|(start, end)| start.wall <= span.start.wall && span.end.wall <= end.wall);
        // Where the scripts ran again, the log went on: the task was over when those ended in which it began.
        let begun = envelopes
            .iter()
            .filter(|(start, end)| start.wall <= span.start.wall && span.start.wall <= end.wall);
        let around = around.min_by_key(|(_, end)| end.wall);
        if let Some((_, end)) = around.or_else(|| begun.max_by_key(|(_, end)| end.wall)) {
            span.end = *end;
        }
    }
}

/// Logs and events outlive a start of the machine; what was before the last one is not about it.
fn this_start(evidence: &mut Evidence, clock: &Clock) {
    let moment = |name: &str| {
        let told = evidence.seen.iter().filter(|seen| seen.source == Source::Systemd && seen.name == name);
        told.map(|seen| clock.resolve(seen.time).0).max()
    };
    let Some(boot) = moment("kernel-started").or_else(|| moment("userspace-started")) else { return };
    let of_it = |stamp: Stamp| clock.resolve(stamp).0.duration_since(boot) >= -ROUNDING;
    let works = |span: &Span| span.phase >= Phase::Bootstrap && of_it(span.end);
    // A clock that was ahead until it was set puts the start after everything else.
    if evidence.spans.iter().any(|span| span.phase >= Phase::Bootstrap) && !evidence.spans.iter().any(works) {
        return;
    }
    let before = evidence.spans.len();
    evidence.spans.retain(|span| span.phase == Phase::Platform || of_it(span.end));
    evidence.seen.retain(|seen| seen.source == Source::Platform || of_it(seen.time));
    evidence.signs.retain(|sign| sign.time.is_none_or(of_it));
    evidence.ended.retain(|ended| ended.time.is_none_or(of_it));
    let left_out = before - evidence.spans.len();
    if left_out > 0 {
        let message = format!("{left_out} intervals of earlier starts of the machine are left out");
        evidence.problems.push(Problem::new("evidence", None, message));
    }
}

/// Azure's records go back for months, and a scale set is written for many machines: the last order before the machine's
/// start is the one that made it, unless that is too long ago to be about this start.
fn ordered(evidence: &mut Evidence, clock: &Clock) {
    let time = |seen: &Seen| clock.resolve(seen.time).0;
    let platform = |seen: &&Seen| seen.source == Source::Platform;
    let own = || evidence.seen.iter().filter(|seen| !platform(seen));
    let kernel = own().filter(|seen| seen.name == "kernel-started");
    let kernel = kernel.min_by_key(|seen| (seen.certainty, time(seen))).map(time);
    let spans = evidence.spans.iter().map(|span| clock.resolve(span.start).0);
    let Some(start) = kernel.or_else(|| own().map(time).chain(spans).min()) else { return };
    // Azure's clock is another one.
    let before = |seen: &&Seen| time(seen).duration_since(start) <= ROUNDING;
    let of_it = |seen: &Seen| start.duration_since(time(seen)) <= LONGEST_ORDER;
    let orders = evidence.seen.iter().filter(platform).filter(|seen| seen.name == "vm-requested");
    let order = orders.filter(before).filter(|seen| of_it(seen)).map(time).max();
    let count = evidence.seen.len();
    evidence.seen.retain(|seen| match seen.name {
        _ if seen.source != Source::Platform => true,
        "vm-requested" => Some(time(seen)) == order,
        "vm-created" => before(&seen) && of_it(seen) && order.is_none_or(|order| order <= time(seen)),
        _ => of_it(seen) && order.is_none_or(|order| order <= time(seen)),
    });
    let left_out = count - evidence.seen.len();
    if left_out > 0 {
        let message = format!("{left_out} records of Azure's are about other starts, and are left out");
        evidence.problems.push(Problem::new("evidence", None, message));
    }
}

/// What went wrong after the node was Ready is not about its start: pods are pulled for as long as it lives.
fn until_ready(evidence: &mut Evidence, clock: &Clock) {
    let ready = evidence.seen.iter().filter(|seen| seen.name == "node-ready");
    let ready = ready.min_by_key(|seen| (seen.certainty, clock.resolve(seen.time).0));
    let Some(ready) = ready.map(|seen| clock.resolve(seen.time).0) else { return };
    evidence.signs.retain(|sign| sign.time.is_none_or(|time| clock.resolve(time).0 <= ready));
}
