//! The log of Azure's agent, also where syslog has its lines, and `CommandExecution.log`, which has those of one extension.
//! What the agent says has changed from version to version; a table has the words of each.

use std::io::BufRead;

use jiff::Timestamp;
use jiff::civil::DateTime;

use super::lines::Lines;
use super::{Certainty, Page, Place, Seen, Source, Span, Stamp, extension, signs, stamp};
use crate::phase::Phase;

/// What the agent says at each moment. The first time counts.
const MOMENTS: [(&str, &str); 6] = [
    ("Azure Linux Agent Version", "guest-agent-started"),
    // From 2.8 on; before, and with every heartbeat still, the next one.
    ("Azure Linux Agent (Goal State Agent version", "guest-agent-running"),
    ("is running as the goal state agent", "guest-agent-running"),
    // `Target handler state`, until 2.2 `Expected handler state`.
    ("handler state: enabled", "extension-requested"),
    // `Initializing extension NAME`, before `Initialize extension directory`.
    ("] Initializ", "extension-initialized"),
    (ENABLE, "extension-enabled"),
];

/// Until 2.2.53 the only word about the command that follows.
const ENABLE: &str = "Enable extension";

/// What it says when a command has ended, and how that was.
const ENDS: [(&str, &str); 3] = [
    ("] Command: ", "done"),
    ("message=Launch command succeeded", "done"),
    // `[ExtensionOperationError] Non-zero exit code: 51, bin/custom-script-shim enable`
    ("Non-zero exit code", "failed"),
];

const LEVELS: [&str; 5] = ["INFO", "VERBOSE", "WARNING", "ERROR", "EVENT"];

/// The level is among the first words of a line; syslog has six before it, or seven for the first days of a month.
const WORDS: usize = 10;

/// Commands of extensions that run, and the agent's own moments.
#[derive(Default)]
pub(super) struct Log {
    open: Option<Command>,
    /// What stands before the level of the last line: its time is read where it is needed.
    last: String,
}

/// A command of an extension.
struct Command {
    name: String,
    start: Timestamp,
    place: Place,
    /// It was said that it would be run, not that it is.
    announced: bool,
}

pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut log = Log::default();
    while let Some((number, line)) = lines.next(page) {
        log.line(page, number, &line);
    }
    log.finish(page);
}

impl Log {
    /// `2026-11-15T20:17:40.123456Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.6] Executing command: …`
    pub(super) fn line(&mut self, page: &mut Page<'_>, number: u64, line: &str) {
        if page.is_full() {
            return;
        }
        let Some((before, said)) = parts(line) else {
            // What an extension's command printed is quoted below its line.
            return extension::moment(page, number, line);
        };
        before.clone_into(&mut self.last);
        let time = || time(before, page);
        if let Some((_, name)) = MOMENTS.iter().find(|(saying, _)| said.contains(saying))
            && let Some(time) = time()
        {
            let (source, certainty) = (Source::Agent, Certainty::Measured);
            let place = page.place(number, said);
            if said.contains(ENABLE) {
                let (name, place) = (extension_of(said), place.clone());
                self.open = Some(Command { name, start: time, place, announced: true });
            }
            page.seen(Seen { name, time: time.into(), source, certainty, place });
        } else if let Some((handler, _)) = said.split_once("Executing command: ") {
            let Some(start) = time() else { return };
            let place = page.place(number, said.split(" with environment").next().unwrap_or(said));
            self.close(page, start, None);
            self.open = Some(Command { name: extension_of(handler), start, place, announced: false });
        } else if let Some((_, outcome)) = ENDS.iter().find(|(saying, _)| said.contains(saying)) {
            if let Some(open) = &mut self.open {
                open.announced = false;
            }
            if let Some(time) = time() {
                self.close(page, time, Some(outcome));
            }
        } else if said.contains("169.254.169.254") {
            let time = time().map(Stamp::from);
            page.look(number, said, time, &signs::AGENT);
        } else if said.contains("GoalState completed [") || said.contains("GoalState failed [") {
            goal_state(page, number, said, time());
        }
    }

    pub(super) fn finish(&mut self, page: &mut Page<'_>) {
        if let Some(open) = &self.open {
            let end = time(&self.last, page).unwrap_or(open.start);
            self.close(page, end, None);
        }
    }

    /// Ends the command that runs. Nothing is wrong with one of which no end is told: it runs still, or the agent's log has
    /// been put away.
    fn close(&mut self, page: &mut Page<'_>, end: Timestamp, outcome: Option<&str>) {
        if let Some(Command { name, start, place, .. }) = self.open.take().filter(|open| !open.announced) {
            let certainty = if outcome.is_some() { Certainty::Measured } else { Certainty::Inferred };
            let outcome = outcome.map(str::to_owned);
            page.span(Span { certainty, outcome, ..span(name, Phase::Extension, start, end, place) });
        }
    }
}

/// What is before a line's level, and what follows it.
fn parts(line: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for word in line.split(' ').take(WORDS) {
        if LEVELS.contains(&word) {
            return Some((&line[..at], &line[at + word.len()..]));
        }
        at += word.len() + 1;
    }
    None
}

/// The time before the level; syslog puts its own before that, which is coarser.
fn time(before: &str, page: &Page<'_>) -> Option<Timestamp> {
    let mut words = before.split_ascii_whitespace().rev();
    let (last, previous) = (words.next()?, words.next());
    if let Some(time) = stamp::any(last, page.zone) {
        return Some(time);
    }
    // Until 2.2.45: `2018/08/08 17:03:41.663160`.
    let old = format!("{} {last}", previous?);
    stamp::at(DateTime::strptime("%Y/%m/%d %H:%M:%S%.f", old).ok()?, page.zone)
}

/// `[Microsoft.Azure.Extensions.CustomScript-2.1.6]` without brackets and version.
fn extension_of(said: &str) -> String {
    let name = said.split_once('[').map_or(said, |(_, name)| name);
    let name = name.split(']').next().unwrap_or(name).trim();
    let name = name.rsplit_once('-').map_or(name, |(name, _)| name);
    format!("command of {name}")
}

/// `ProcessGoalState completed [incarnation 4; 1377 ms]`, from 2.3 on `ProcessExtensionsGoalState completed [incarnation_2 4426
/// ms]` or `[etag_2824367392948713696 4073 ms]`.
fn goal_state(page: &mut Page<'_>, number: u64, said: &str, time: Option<Timestamp>) {
    let took = said.split_once(" ms]").and_then(|(before, _)| before.rsplit(' ').next()?.parse::<i64>().ok());
    let Some((end, took)) = time.zip(took) else { return };
    let Ok(start) = end.checked_sub(jiff::SignedDuration::from_millis(took)) else { return };
    let place = page.place(number, said);
    let outcome = said.contains(" failed [").then(|| "failed".to_owned());
    page.span(Span { outcome, ..span("goal state".to_owned(), Phase::Agent, start, end, place) });
}

fn span(name: String, phase: Phase, start: Timestamp, end: Timestamp, place: Place) -> Span {
    Span {
        name,
        phase,
        start: start.into(),
        end: end.max(start).into(),
        source: Source::Agent,
        certainty: Certainty::Measured,
        place,
        outcome: None,
        after: None,
        critical: None,
        envelope: false,
    }
}
