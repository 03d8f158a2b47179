//! What the script extension wrote: its log, what its command printed, and its settings, of which only names are read.

use std::io::BufRead;

use jiff::Timestamp;
use serde_json::Value;

use super::lines::{Lines, document};
use super::{Certainty, Page, Place, Seen, Source, Span, result, signs, stamp};
use crate::phase::Phase;

/// As much of what a command printed may hold a result; the extension itself keeps less.
const RESULT: usize = 64 * 1024;

/// The program that runs the command, and which holds everything that the command does.
const ENABLE: &str = "enable";
const COMMAND: &str = "command";

/// Events that end an operation, and how. It says no more when it has failed, and leaves early what was done before.
const ENDS: [(&str, Option<&str>); 4] = [
    ("end", None),
    ("failed to handle", Some("failed")),
    ("pre-check failed", Some("failed")),
    ("exit", None),
];

/// Events that end the command of `enable`, and how.
const COMMAND_ENDS: [(&str, Option<&str>); 2] =
    [("executed command", None), ("failed to execute command", Some("failed"))];

/// An operation that runs, or its command.
struct Running {
    operation: String,
    start: Timestamp,
    place: Place,
}

/// `time=2026-11-15T20:17:42Z version=v2.1.6 operation=enable seq=0 event=start`
pub(super) fn log(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let (mut open, mut command): (Option<Running>, Option<Running>) = (None, None);
    let mut last = String::new();
    while let Some((number, line)) = lines.next(page) {
        let Some(time) = value(&line, "time=") else {
            page.look(number, &line, None, &signs::SCRIPTS);
            continue;
        };
        if page.is_full() {
            continue;
        }
        time.clone_into(&mut last);
        let event = value(&line, "event=").unwrap_or_default();
        let operation = value(&line, "operation=").unwrap_or_default();
        let command_end = COMMAND_ENDS.iter().find(|(name, _)| *name == event);
        let operation_end = ENDS.iter().find(|(name, _)| *name == event);
        let begins = matches!(event, "start" | "executing command");
        if !begins && command_end.is_none() && operation_end.is_none() {
            continue;
        }
        let Some(time) = stamp::any(time, page.zone) else { continue };
        moment(page, number, &line);
        if event == "start" {
            end(page, command.take(), time, Some("unfinished"));
            end(page, open.take(), time, Some("unfinished"));
            let (operation, place) = (operation.to_owned(), page.place(number, &line));
            open = Some(Running { operation, start: time, place });
        } else if begins {
            let place = page.place(number, &line);
            command = Some(Running { operation: COMMAND.to_owned(), start: time, place });
        } else if let Some((_, how)) = command_end {
            end(page, command.take(), time, *how);
        } else if let Some((_, how)) = operation_end {
            end(page, command.take(), time, *how);
            match open.take() {
                Some(running) if running.operation == operation => end(page, Some(running), time, *how),
                _ => page.problem(Some(number), format!("{operation} ends and never began")),
            }
        }
    }
    // It runs still, or was ended.
    if let Some(last) = stamp::any(&last, page.zone) {
        end(page, command, last, Some("unfinished"));
        end(page, open, last, Some("unfinished"));
    }
}

fn end(page: &mut Page<'_>, running: Option<Running>, time: Timestamp, outcome: Option<&str>) {
    let Some(Running { operation, start, place }) = running else { return };
    page.span(Span {
        name: format!("extension {operation}"),
        phase: Phase::Extension,
        start: start.into(),
        end: time.max(start).into(),
        source: Source::Extension,
        certainty: Certainty::Rounded,
        place,
        outcome: outcome.map(str::to_owned),
        after: None,
        critical: None,
        envelope: [ENABLE, COMMAND].contains(&operation.as_str()),
    });
}

/// When `enable` and its command began, also where another log quotes the extension's own.
pub(super) fn moment(page: &mut Page<'_>, number: u64, line: &str) {
    if value(line, "operation=") != Some(ENABLE) {
        return;
    }
    let name = match value(line, "event=") {
        Some("start") => "extension-enabled",
        Some("executing command") => "extension-command-started",
        _ => return,
    };
    let Some(time) = value(line, "time=").and_then(|time| stamp::any(time, page.zone)) else { return };
    let (source, certainty) = (Source::Extension, Certainty::Rounded);
    let place = page.place(number, line);
    page.seen(Seen { name, time: time.into(), source, certainty, place });
}

/// The value of `key=value`, quoted or not.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(key)?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(' ').next(),
    }
}

/// What the command printed: signs in each line, and the result where it is there.
pub(super) fn output(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut tail = String::new();
    while let Some((number, line)) = lines.next(page) {
        page.look(number, &line, None, &signs::SCRIPTS);
        tail.push_str(&line);
        tail.push('\n');
        if tail.len() > 2 * RESULT {
            let from = tail.ceil_char_boundary(tail.len() - RESULT);
            tail.drain(..from);
        }
    }
    result::tell(page, &tail, false);
}

/// Settings: protected ones are encrypted, public ones may hold anything. Neither is kept; a document that is none is said.
pub(super) fn settings(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let Some(document) = document(page, input) else { return };
    let handler = document.pointer("/runtimeSettings/0/handlerSettings").and_then(Value::as_object);
    if handler.is_none() {
        page.problem(None, "has no handler settings");
    }
}
