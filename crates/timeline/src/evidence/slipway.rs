//! Slipway's own journal.

use std::collections::HashSet;
use std::io::BufRead;

use jiff::Timestamp;
use serde::Deserialize;

use super::lines::Lines;
use super::signs::excerpt;
use super::{Certainty, Ended, MOST, Page, Place, Seen, Source, Span};
use crate::phase::Phase;

/// A line, with the members that matter here.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line {
    AttemptBegan {
        id: String,
        time: Timestamp,
        #[serde(default)]
        boot: Option<String>,
        #[serde(default)]
        live: bool,
    },
    StepBegan {
        step: String,
        time: Timestamp,
    },
    StepEnded {
        step: String,
        time: Timestamp,
        outcome: String,
        #[serde(default)]
        waited_for: Option<String>,
    },
    AttemptEnded {
        time: Timestamp,
        outcome: String,
        #[serde(default)]
        failure: Option<Failure>,
        #[serde(default)]
        critical: Vec<String>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Failure {
    code: i64,
    message: String,
}

/// More steps do not run at once.
const MOST_OPEN: usize = 200;

/// An attempt while its lines are read.
struct Attempt {
    id: String,
    boot: Option<String>,
    live: bool,
    began: Timestamp,
    last: Timestamp,
    outcome: Option<String>,
    /// The line that begins it.
    line: u64,
    open: Vec<(String, Timestamp, Place)>,
    steps: Vec<Span>,
    ended: Option<Ended>,
    /// Steps were left out.
    full: bool,
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    /// Attempts of the same start of the machine as the last one that did not end well, as one interval each.
    earlier: Vec<Span>,
    last: Option<Attempt>,
    /// Attempts were left out.
    full: bool,
}

/// The last attempt step by step; those before it in the same start of the machine, as one interval each.
pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut reading = Reading::default();
    while let Some((number, text)) = lines.next(page) {
        if !text.trim().is_empty() {
            reading.line(page, number, &text);
        }
    }
    reading.tell(page);
}

impl Reading {
    fn line(&mut self, page: &mut Page<'_>, number: u64, text: &str) {
        match serde_json::from_str(text) {
            Err(error) => page.problem(Some(number), format!("is not a line of the journal: {error}")),
            Ok(Line::AttemptBegan { id, time, boot, live }) => {
                self.over(page, boot.as_deref());
                self.last = Some(Attempt {
                    id,
                    boot,
                    live,
                    began: time,
                    last: time,
                    outcome: None,
                    line: number,
                    open: Vec::new(),
                    steps: Vec::new(),
                    ended: None,
                    full: false,
                });
            }
            Ok(line) => {
                if let Some(attempt) = &mut self.last {
                    attempt.add(line, || page.place(number, text));
                }
            }
        }
    }

    /// Another attempt begins: of the one before, little is kept, and of those of an earlier start nothing.
    fn over(&mut self, page: &Page<'_>, boot: Option<&str>) {
        let Some(before) = self.last.take() else { return };
        if before.boot.is_none() || before.boot.as_deref() != boot {
            return self.earlier.clear();
        }
        // One that ended well changed nothing about how the node came up.
        if before.outcome.as_deref() == Some("done") {
            return;
        }
        self.full |= self.earlier.len() >= MOST;
        if !self.full {
            let place = page.place(before.line, &format!("attempt {} began", before.id));
            self.earlier.push(before.whole(place));
        }
    }

    fn tell(self, page: &mut Page<'_>) {
        let Some(last) = self.last else { return };
        for attempt in self.earlier {
            page.span(attempt);
        }
        if last.full || self.full {
            let most = format!("more than {MOST} attempts or steps, or {MOST_OPEN} at once");
            page.problem(None, format!("{most}: the rest is left out"));
        }
        page.evidence.ended.extend(last.ended);
        // Where kubelet's log is missing, the step that waited for Ready has seen it.
        let waited =
            |step: &&Span| last.live && step.name == "await-ready" && step.outcome.as_deref() == Some("done");
        if let Some(step) = last.steps.iter().find(waited) {
            let (time, source, place) = (step.end, Source::Journal, step.place.clone());
            page.seen(Seen { name: "node-ready", time, source, certainty: Certainty::Inferred, place });
        }
        for (step, began, place) in last.open {
            let step = span(step, began, last.last, place);
            page.span(Span {
                certainty: Certainty::Inferred,
                outcome: Some("unfinished".to_owned()),
                ..step
            });
        }
        for step in last.steps {
            page.span(step);
        }
    }
}

impl Attempt {
    /// Takes a line; its place is asked for where it is kept.
    fn add(&mut self, line: Line, place: impl FnOnce() -> Place) {
        match line {
            Line::StepBegan { step, time } => {
                self.last = self.last.max(time);
                self.full |= self.open.len() >= MOST_OPEN || self.steps.len() >= MOST;
                if !self.full {
                    self.open.push((step, time, place()));
                }
            }
            Line::StepEnded { step, time, outcome, waited_for } => {
                self.last = self.last.max(time);
                if let Some(at) = self.open.iter().position(|(open, ..)| *open == step) {
                    let (step, began, _) = self.open.swap_remove(at);
                    let step = span(step, began, time, place());
                    self.steps.push(Span { outcome: Some(outcome), after: waited_for, ..step });
                }
            }
            Line::AttemptEnded { time, outcome, failure, critical } => {
                self.last = self.last.max(time);
                let critical: HashSet<String> = critical.into_iter().collect();
                for step in &mut self.steps {
                    step.critical = Some(critical.contains(&step.name));
                }
                let (code, error) = failure.map_or((0, String::new()), |it| (it.code, excerpt(&it.message)));
                let (time, place) = (Some(time.into()), place());
                self.ended = Some(Ended { exit_code: Some(code), error, time, place });
                self.outcome = Some(outcome);
            }
            Line::AttemptBegan { .. } | Line::Other => {}
        }
    }

    fn whole(self, place: Place) -> Span {
        let outcome = self.outcome.unwrap_or_else(|| "interrupted".to_owned());
        let span = span(format!("attempt {}", self.id), self.began, self.last, place);
        Span { outcome: Some(outcome), ..span }
    }
}

fn span(name: String, start: Timestamp, end: Timestamp, place: Place) -> Span {
    Span {
        name,
        phase: Phase::Bootstrap,
        start: start.into(),
        end: end.into(),
        source: Source::Journal,
        certainty: Certainty::Measured,
        place,
        outcome: None,
        after: None,
        critical: None,
        envelope: false,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    /// What is kept of a journal in which a line comes again and again, after these: attempts, steps, steps that run.
    fn kept(first: &str, again: impl Fn(usize) -> String) -> (usize, usize, usize) {
        let zone = TimeZone::UTC;
        let mut page = Page::new("x", &zone);
        let mut reading = Reading::default();
        reading.line(&mut page, 1, first);
        for at in 0..2 * MOST + 10 {
            again(at).lines().for_each(|line| reading.line(&mut page, 2, line));
        }
        let last = reading.last.as_ref().unwrap();
        let kept = (reading.earlier.len(), last.steps.len(), last.open.len());
        assert!(last.full || reading.full);
        reading.tell(&mut page);
        assert!(page.evidence.problems.iter().any(|problem| problem.message.starts_with("more than")));
        kept
    }

    #[test]
    fn a_journal_of_any_length_is_kept_in_bounded_memory() {
        let line = |event: &str, rest: &str| {
            format!("{{\"event\":\"{event}\",\"time\":\"2026-11-15T08:00:00Z\",{rest}}}")
        };
        let attempt = |at: usize| line("attempt-began", &format!("\"id\":\"a{at}\",\"boot\":\"b\""));
        let began = |at: usize| line("step-began", &format!("\"step\":\"s{at}\""));
        let ended = |at: usize| line("step-ended", &format!("\"step\":\"s{at}\",\"outcome\":\"done\""));
        assert_eq!(kept(&attempt(0), began), (0, 0, MOST_OPEN));
        assert_eq!(kept(&attempt(0), |at| format!("{}\n{}", began(at), ended(at))), (0, MOST, 0));
        assert_eq!(kept(&attempt(0), attempt), (MOST, 0, 0));
    }
}
