//! cloud-init's logs.

use std::collections::HashMap;
use std::io::BufRead;

use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::lines::Lines;
use super::{Certainty, Page, Place, Seen, Source, Span, signs, stamp};
use crate::phase::Phase;

/// How a start of the machine begins in these logs.
const FIRST: &str = " running 'init-local' at ";

/// More parts do not run at once.
const MOST_OPEN: usize = 200;

/// Stages, and the moment at which each begins.
const STAGES: [(&str, &str); 5] = [
    ("init-local", "cloud-init-started"),
    ("init-network", "cloud-init-network-started"),
    ("init", "cloud-init-network-started"),
    ("modules-config", "cloud-init-config-started"),
    ("modules-final", "cloud-init-final-started"),
];

/// `2026-11-15 20:17:31,123 - handlers.py[DEBUG]: finish: init-local/check-cache: SUCCESS: …`
pub(super) fn log(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    let mut open: HashMap<String, (Timestamp, Place)> = HashMap::new();
    // A stage begins before it can log: its first line is as near as the log comes.
    let mut stage: Option<(Timestamp, Place)> = None;
    let mut last = None;
    while let Some((number, line)) = lines.next(page) {
        let Some((_, said)) = line.split_once("]: ") else { continue };
        let is_first = said.contains(FIRST);
        if page.is_full() && !is_first {
            continue;
        }
        // Whatever the machine's zone: its formatter writes UTC.
        let time = || stamp::civil(line.get(..23)?, &TimeZone::UTC);
        if is_first {
            // The log goes on from one start of the machine to the next.
            page.forget();
            open.clear();
            stage = None;
        }
        if stage.is_none() {
            stage = time().map(|time| (time, page.place(number, said)));
        }
        if let Some(rest) = said.strip_prefix("start: ") {
            let (Some(time), Some((what, _))) = (time(), rest.split_once(": ")) else { continue };
            last = Some(time);
            if open.len() >= MOST_OPEN {
                page.problem(Some(number), "more parts began than ever ran at once: they are forgotten");
                open.clear();
            }
            open.insert(what.to_owned(), (time, page.place(number, said)));
        } else if let Some(rest) = said.strip_prefix("finish: ") {
            let (Some(time), Some((what, how))) = (time(), rest.split_once(": ")) else { continue };
            last = Some(time);
            let outcome = how.split(':').next().map(str::to_lowercase);
            let began = open.remove(what);
            let is_stage = !what.contains('/');
            let certainty = if began.is_some() { Certainty::Measured } else { Certainty::Inferred };
            match began.or_else(|| stage.take().filter(|_| is_stage)) {
                Some((start, place)) => {
                    if let Some(name) = stage_moment(what) {
                        seen(page, name, start, certainty, &place);
                    }
                    page.span(Span { certainty, ..span(what, start, time, place, outcome) });
                }
                None => page.problem(Some(number), format!("{what} ends and never began")),
            }
            if is_stage {
                stage = None;
            }
        } else if said.contains("169.254.169.254") || said.contains("ock /var/lib") {
            let time = time().map(Into::into);
            page.look(number, said, time, &signs::SCRIPTS);
        }
    }
    // A log that was cut, or a stage that hangs.
    let mut open: Vec<_> = open.into_iter().collect();
    open.sort_by_key(|(_, (start, _))| *start);
    for (what, (start, place)) in open {
        let end = last.unwrap_or(start);
        let unfinished = span(&what, start, end, place, Some("unfinished".to_owned()));
        page.span(Span { certainty: Certainty::Inferred, ..unfinished });
    }
}

/// `Cloud-init v. 24.4 running 'init-local' at Sun, 15 Nov 2026 20:17:30 +0000. Up 5.23 seconds.`
pub(super) fn output(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let mut lines = Lines::new(input);
    while let Some((number, line)) = lines.next(page) {
        if line.contains(FIRST) {
            page.forget();
        }
        output_line(page, number, &line);
    }
}

/// One line of what cloud-init prints, also where the journal has it.
pub(super) fn output_line(page: &mut Page<'_>, number: u64, line: &str) {
    let Some(at) = line.find("Cloud-init v.") else {
        return page.look(number, line, None, &signs::SCRIPTS);
    };
    let Some((head, rest)) = line[at..].split_once(" at ") else { return };
    let Some((date, rest)) = rest.split_once(". ") else { return };
    let Ok(zoned) = rfc2822::parse(date.trim()) else { return };
    let place = page.place(number, &line[at..]);
    if head.ends_with("finished") {
        seen(page, "cloud-init-finished", zoned.timestamp(), Certainty::Rounded, &place);
    } else if let Some(stage) = head.split('\'').nth(1) {
        let known = STAGES.iter().find(|(name, _)| stage.replace(':', "-") == *name);
        if let Some((_, name)) = known {
            seen(page, name, zoned.timestamp(), Certainty::Rounded, &place);
        }
    }
    // The time since the start, which a container shares with its host.
    let up = rest.split_once("Up ").and_then(|(_, up)| up.split(' ').next()?.parse::<f64>().ok());
    let up = up.and_then(|seconds| SignedDuration::try_from_secs_f64(seconds).ok());
    if let Some(kernel) = up.and_then(|up| zoned.timestamp().checked_sub(up).ok()) {
        seen(page, "kernel-started", kernel, Certainty::Inferred, &place);
    }
}

pub(super) fn seen(
    page: &mut Page<'_>,
    name: &'static str,
    time: Timestamp,
    certainty: Certainty,
    place: &Place,
) {
    let (source, place) = (Source::CloudInit, place.clone());
    page.seen(Seen { name, time: time.into(), source, certainty, place });
}

/// The moment at which a stage begins.
pub(super) fn stage_moment(stage: &str) -> Option<&'static str> {
    STAGES.iter().find(|(name, _)| *name == stage).map(|(_, moment)| *moment)
}

/// A stage or a part of one.
pub(super) fn span(
    what: &str,
    start: Timestamp,
    end: Timestamp,
    place: Place,
    outcome: Option<String>,
) -> Span {
    Span {
        name: format!("cloud-init {what}"),
        phase: Phase::CloudInit,
        start: start.into(),
        end: end.max(start).into(),
        source: Source::CloudInit,
        certainty: Certainty::Measured,
        place,
        outcome,
        after: None,
        critical: None,
        envelope: false,
    }
}
