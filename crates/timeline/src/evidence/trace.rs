//! `cluster-provision.log`: the shell's trace. Each task of the scripts writes its times into it, so that also a task
//! that never came to its event is known; lines whose prompt has the time become steps of their own.

use std::io::BufRead;

use jiff::{SignedDuration, Timestamp};

use super::lines::Lines;
use super::{Certainty, Page, Place, Source, Span, signs, stamp};
use crate::phase::Phase;

/// A command that took less is not worth a line of its own.
const SHORTEST: SignedDuration = SignedDuration::from_millis(250);

/// A task that has begun.
struct Task {
    name: String,
    start: Option<Timestamp>,
    place: Place,
}

/// A command with the time at which it began, and its line.
struct Command {
    text: String,
    start: Timestamp,
    line: u64,
}

/// Tasks are within each other, but never this deep.
const DEEPEST: usize = 64;

pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut tasks: Vec<Task> = Vec::new();
    let mut running: Option<Command> = None;
    let mut last: Option<Timestamp> = None;
    while let Some((number, line)) = lines.next(page) {
        let Some(command) = traced(&line) else {
            page.look(number, &line, None, &signs::SCRIPTS);
            continue;
        };
        let (time, command) = prompt(command, page);
        if let Some(time) = time {
            last = Some(time);
            if let Some(before) = running.take() {
                end_of(&before, time, page);
            }
            running = Some(Command { text: command.to_owned(), start: time, line: number });
        }
        let Some(assigned) = command.strip_prefix("local ").filter(|_| !page.full) else { continue };
        let assigned = assigned.trim_matches('\'');
        if let Some(name) = assigned.strip_prefix("task=").filter(|_| tasks.len() < DEEPEST) {
            // No task is within itself: the scripts gave up in it, and run again.
            if tasks.iter().any(|task| task.name == name) {
                given_up(page, std::mem::take(&mut tasks), last);
            }
            tasks.push(Task { name: name.to_owned(), start: None, place: page.place(number, command) });
        } else if let Some(time) = assigned.strip_prefix("startTime=") {
            let time = stamp::civil(time, page.zone);
            if let (Some(task), Some(_)) = (tasks.last_mut().filter(|task| task.start.is_none()), time) {
                (task.start, last) = (time, time);
            }
        } else if let Some(time) = assigned.strip_prefix("endTime=") {
            let end = stamp::civil(time, page.zone);
            if let (Some(end), Some(task)) = (end, tasks.pop()) {
                last = Some(end);
                if let Some(start) = task.start {
                    page.span(span(task.name, start, end, task.place, None));
                }
            }
        }
    }
    // A log that was cut, too.
    given_up(page, tasks, last);
}

/// Tasks that never came to their end.
fn given_up(page: &mut Page<'_>, tasks: Vec<Task>, last: Option<Timestamp>) {
    for task in tasks {
        if let Some((start, last)) = task.start.zip(last) {
            let unfinished = span(task.name, start, last, task.place, Some("unfinished"));
            page.span(Span { certainty: Certainty::Inferred, ..unfinished });
        }
    }
}

fn end_of(command: &Command, end: Timestamp, page: &mut Page<'_>) {
    if end.duration_since(command.start) >= SHORTEST {
        let place = page.place(command.line, &command.text);
        page.span(span(signs::excerpt(&command.text), command.start, end, place, None));
    }
}

/// The command in a line of the trace: `++ command`.
fn traced(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('+');
    if rest.len() < line.len() { Some(rest.trim_start()) } else { None }
}

/// The time in a prompt, where it has one: `+ 2026-11-15T20:17:43.238Z command`, `+ 1794773863.238 command`.
fn prompt<'a>(command: &'a str, page: &Page<'_>) -> (Option<Timestamp>, &'a str) {
    let Some(first) = command.bytes().next().filter(|byte| byte.is_ascii_digit() || *byte == b'[') else {
        return (None, command);
    };
    let inner = if first == b'[' { &command[1..] } else { command };
    for words in [1, 2] {
        let Some(end) = inner.match_indices(' ').nth(words - 1).map(|(at, _)| at) else { continue };
        let text = inner[..end].trim_end_matches(']');
        let seconds = Some(text).filter(|text| words == 1 && text.len() > 9).and_then(|it| it.parse().ok());
        let time = seconds.and_then(stamp::epoch).or_else(|| stamp::any(text, page.zone));
        if time.is_some() {
            return (time, inner[end..].trim_start());
        }
    }
    (None, command)
}

fn span(name: String, start: Timestamp, end: Timestamp, place: Place, outcome: Option<&str>) -> Span {
    Span {
        name,
        phase: Phase::Bootstrap,
        start: start.into(),
        end: end.max(start).into(),
        source: Source::Trace,
        certainty: Certainty::Measured,
        place,
        outcome: outcome.map(str::to_owned),
        after: None,
        critical: None,
        envelope: false,
    }
}
