//! Slipway's own journal.

use std::io::BufRead;

use jiff::Timestamp;
use serde::Deserialize;

use super::lines::Lines;
use super::{Certainty, Ended, Page, Place, Seen, Source, Span};
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

/// An attempt while its lines are read.
struct Attempt {
    id: String,
    boot: Option<String>,
    live: bool,
    began: Timestamp,
    last: Timestamp,
    outcome: Option<String>,
    place: Place,
    open: Vec<(String, Timestamp, Place)>,
    steps: Vec<Span>,
    ended: Option<Ended>,
}

/// The last attempt step by step; those before it in the same start of the machine, as one interval each.
pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut earlier: Vec<Attempt> = Vec::new();
    let mut last: Option<Attempt> = None;
    while let Some((number, text)) = lines.next(page) {
        if text.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(&text) {
            Err(error) => page.problem(Some(number), format!("is not a line of the journal: {error}")),
            Ok(Line::AttemptBegan { id, time, boot, live }) => {
                earlier.extend(last.take());
                let place = page.place(number, &format!("attempt {id} began"));
                last = Some(Attempt {
                    id,
                    boot,
                    live,
                    began: time,
                    last: time,
                    outcome: None,
                    place,
                    open: Vec::new(),
                    steps: Vec::new(),
                    ended: None,
                });
            }
            Ok(line) => {
                if let Some(attempt) = &mut last {
                    let place = page.place(number, &text);
                    attempt.add(line, place);
                }
            }
        }
    }
    let Some(last) = last else { return };
    let same_start = |attempt: &Attempt| attempt.boot.is_some() && attempt.boot == last.boot;
    for attempt in earlier.into_iter().filter(same_start) {
        // One that ended well changed nothing about how the node came up.
        if attempt.outcome.as_deref() != Some("done") {
            page.span(attempt.whole());
        }
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
        page.span(Span { certainty: Certainty::Inferred, outcome: Some("unfinished".to_owned()), ..step });
    }
    for step in last.steps {
        page.span(step);
    }
}

impl Attempt {
    fn add(&mut self, line: Line, place: Place) {
        match line {
            Line::StepBegan { step, time } => {
                self.last = self.last.max(time);
                self.open.push((step, time, place));
            }
            Line::StepEnded { step, time, outcome, waited_for } => {
                self.last = self.last.max(time);
                if let Some(at) = self.open.iter().position(|(open, ..)| *open == step) {
                    let (step, began, _) = self.open.swap_remove(at);
                    let step = span(step, began, time, place);
                    self.steps.push(Span { outcome: Some(outcome), after: waited_for, ..step });
                }
            }
            Line::AttemptEnded { time, outcome, failure, critical } => {
                self.last = self.last.max(time);
                for step in &mut self.steps {
                    step.critical = Some(critical.contains(&step.name));
                }
                self.ended = Some(match failure {
                    None => Ended { exit_code: Some(0), error: String::new(), place },
                    Some(Failure { code, message }) => Ended { exit_code: Some(code), error: message, place },
                });
                self.outcome = Some(outcome);
            }
            Line::AttemptBegan { .. } | Line::Other => {}
        }
    }

    fn whole(self) -> Span {
        let outcome = self.outcome.unwrap_or_else(|| "interrupted".to_owned());
        let span = span(format!("attempt {}", self.id), self.began, self.last, self.place);
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
