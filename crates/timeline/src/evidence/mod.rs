//! What a node left behind, read file by file. No reader needs another one's file, and none fails: what cannot be
//! understood is said with its place, and the rest counts.

mod agent;
mod cloud_init;
mod cloud_init_status;
mod events;
mod extension;
mod journal;
mod kind;
mod lines;
mod platform;
mod result;
mod signs;
mod slipway;
mod stamp;
mod trace;
mod units;

use std::io::{self, BufRead, BufReader, Cursor, Read};

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::phase::Phase;

pub use journal::JOURNAL_FIELDS;
pub use kind::{HEAD, Kind};
pub use signs::Sign;
pub(crate) use stamp::as_seconds;
pub use stamp::{Clock, ClockStep, Stamp, Tick};

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Slipway's own journal.
    Journal,
    /// A guest-agent event.
    Event,
    /// A result file.
    Result,
    /// cloud-init's logs and status.
    CloudInit,
    /// The log of Azure's agent.
    Agent,
    /// What the script extension wrote.
    Extension,
    /// The trace of the scripts.
    Trace,
    /// The service manager.
    Systemd,
    /// Kubelet's log.
    Kubelet,
    /// The container runtime's log.
    Containerd,
    /// Azure's records of the machine.
    Platform,
    /// The API server.
    ApiServer,
}

/// How well a time is known; the better ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// It was written when it happened.
    Measured,
    /// It was written in whole seconds.
    Rounded,
    /// It follows from other times.
    Inferred,
}

/// Where something stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, as it is called in the evidence.
    pub file: String,
    /// The line, counted from 1; absent for what is about all of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What stands there, shortened and without secrets.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Something that ran for a time, as one file tells it.
#[derive(Debug, Clone)]
pub struct Span {
    /// What.
    pub name: String,
    /// Of which part of the start.
    pub phase: Phase,
    /// From when.
    pub start: Stamp,
    /// To when.
    pub end: Stamp,
    /// Who says so.
    pub source: Source,
    /// How well the times are known.
    pub certainty: Certainty,
    /// Where it stands.
    pub place: Place,
    /// How it ended, where that is told.
    pub outcome: Option<String>,
    /// What it waited for last, where that is told.
    pub after: Option<String>,
    /// Whether Ready waited for it, where that is told.
    pub critical: Option<bool>,
    /// Whether it only holds others together, or watches them: time in it that none of them explains is time between steps.
    pub envelope: bool,
}

/// Something that happened, as one file tells it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// What, such as `kubelet-started`.
    pub name: &'static str,
    /// When.
    pub time: Stamp,
    /// Who says so.
    pub source: Source,
    /// How well the time is known.
    pub certainty: Certainty,
    /// Where it stands.
    pub place: Place,
}

/// How an attempt ended, as a result tells it.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The exit code; `None` where the result says none.
    pub exit_code: Option<i64>,
    /// What it says about the failure.
    pub error: String,
    /// When, where that is told; of some, when it began.
    pub time: Option<Stamp>,
    /// Where it stands.
    pub place: Place,
}

/// What could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong with it.
    pub message: String,
}

/// What files tell.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// What ran.
    pub spans: Vec<Span>,
    /// What happened.
    pub seen: Vec<Seen>,
    /// Lines that tell of known troubles.
    pub signs: Vec<Sign>,
    /// How attempts ended.
    pub ended: Vec<Ended>,
    /// Moments of which two clocks tell.
    pub ticks: Vec<Tick>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// More than this of one kind from one file says nothing more, and would fill the memory.
const MOST: usize = 5_000;

/// A file is read in pieces of this size.
const PIECE: usize = 64 * 1024;

/// As much of a name is kept, in bytes.
const LONGEST_NAME: usize = 240;

/// More problems of one file than this are counted, not listed.
const MOST_PROBLEMS: usize = 20;

impl Problem {
    /// What is wrong with a file, or with a line of it.
    pub fn new(file: &str, line: Option<u64>, message: impl AsRef<str>) -> Self {
        Self { file: signs::shown(file), line, message: signs::shown(message.as_ref()) }
    }
}

impl Evidence {
    /// Reads a file of whatever kind it is; `None` for one that tells nothing here. Times without a zone are in the given
    /// one.
    pub fn of_file(file: &str, zone: &TimeZone, mut input: impl Read) -> io::Result<Option<Self>> {
        let mut head = Vec::with_capacity(HEAD);
        // One read may give a few bytes only, such as the last of a compressed block.
        (&mut input).take(HEAD as u64).read_to_end(&mut head)?;
        let Some(kind) = Kind::of(file, &head) else { return Ok(None) };
        let mut whole = BufReader::with_capacity(PIECE, Cursor::new(head).chain(input));
        Ok(Some(Self::read(kind, file, zone, &mut whole)))
    }

    /// Reads one file. Times without a zone are in the given one.
    pub fn read(kind: Kind, file: &str, zone: &TimeZone, input: &mut dyn BufRead) -> Self {
        let file = &signs::shown(file);
        let mut page = Page::new(file, zone);
        match kind {
            Kind::SlipwayJournal => slipway::read(&mut page, input),
            Kind::Result => result::read(&mut page, input),
            Kind::Event => events::read(&mut page, input),
            Kind::CloudInitLog => cloud_init::log(&mut page, input),
            Kind::CloudInitOutput => cloud_init::output(&mut page, input),
            Kind::CloudInitStatus => cloud_init_status::read(&mut page, input),
            Kind::AgentLog => agent::read(&mut page, input),
            Kind::ExtensionLog => extension::log(&mut page, input),
            Kind::ExtensionOutput => extension::output(&mut page, input),
            Kind::ExtensionSettings => extension::settings(&mut page, input),
            Kind::Trace => trace::read(&mut page, input),
            Kind::JournalJson => journal::json(&mut page, input),
            Kind::JournalExport => journal::export(&mut page, input),
            Kind::Units => units::show(&mut page, input),
            Kind::ManagerDump => units::dump(&mut page, input),
            Kind::Platform => platform::read(&mut page, input),
        }
        page.finish()
    }

    /// Takes what another file tells, too.
    pub fn add(&mut self, other: Self) {
        self.spans.extend(other.spans);
        self.seen.extend(other.seen);
        self.signs.extend(other.signs);
        self.ended.extend(other.ended);
        self.ticks.extend(other.ticks);
        self.problems.extend(other.problems);
    }
}

impl FromIterator<Self> for Evidence {
    fn from_iter<I: IntoIterator<Item = Self>>(files: I) -> Self {
        let mut all = Self::default();
        files.into_iter().for_each(|file| all.add(file));
        all
    }
}

/// A file while it is read.
struct Page<'a> {
    file: &'a str,
    zone: &'a TimeZone,
    evidence: Evidence,
    unlisted: usize,
    full: bool,
    /// How many earlier starts of the machine were forgotten.
    earlier: usize,
}

impl<'a> Page<'a> {
    fn new(file: &'a str, zone: &'a TimeZone) -> Self {
        Self { file, zone, evidence: Evidence::default(), unlisted: 0, full: false, earlier: 0 }
    }
}

impl Page<'_> {
    fn place(&self, line: u64, text: &str) -> Place {
        Place { file: self.file.to_owned(), line: Some(line), text: signs::excerpt(text) }
    }

    /// All of the file.
    fn whole(&self, text: &str) -> Place {
        Place { file: self.file.to_owned(), line: None, text: signs::excerpt(text) }
    }

    fn span(&mut self, mut span: Span) {
        if self.evidence.spans.len() < MOST {
            span.name.truncate(span.name.floor_char_boundary(LONGEST_NAME));
            span.name = signs::shown(&span.name);
            span.outcome = span.outcome.as_deref().map(signs::shown);
            span.after = span.after.as_deref().map(signs::shown);
            self.evidence.spans.push(span);
        } else if !self.full {
            self.full = true;
            self.problem(None, format!("more than {MOST} intervals: the rest is left out"));
        }
    }

    /// Whether more of the same would be left out.
    fn is_full(&self) -> bool {
        self.full || self.evidence.seen.len() >= MOST
    }

    fn seen(&mut self, seen: Seen) {
        if self.evidence.seen.len() < MOST {
            self.evidence.seen.push(seen);
        }
    }

    /// Notes the troubles that a line tells of.
    fn look(&mut self, line: u64, text: &str, time: Option<Stamp>, signs: &[signs::Known]) {
        let Some(id) = signs::find(text, signs) else { return };
        let same = self.evidence.signs.iter().filter(|sign| sign.id == id).count();
        if same < signs::MOST {
            let place = self.place(line, text);
            self.evidence.signs.push(Sign { id, time, place });
        }
    }

    /// Forgets what was read of an earlier start of the machine.
    fn forget(&mut self) {
        let Evidence { spans, seen, signs, ticks, problems, .. } = std::mem::take(&mut self.evidence);
        let tells = !(spans.is_empty() && seen.is_empty() && signs.is_empty() && ticks.is_empty());
        self.earlier += usize::from(tells);
        self.evidence = Evidence { problems, ..Evidence::default() };
        self.full = false;
    }

    fn problem(&mut self, line: Option<u64>, message: impl Into<String>) {
        if self.evidence.problems.len() < MOST_PROBLEMS {
            self.evidence.problems.push(Problem::new(self.file, line, message.into()));
        } else {
            self.unlisted += 1;
        }
    }

    fn finish(mut self) -> Evidence {
        match self.earlier {
            0 => {}
            1 => self.problem(None, "tells of an earlier start of the machine, which is left out"),
            many => self
                .problem(None, format!("tells of {many} earlier starts of the machine, which are left out")),
        }
        if self.unlisted > 0 {
            let message = format!("{} more problems of this kind", self.unlisted);
            self.evidence.problems.push(Problem::new(self.file, None, message));
        }
        self.evidence
    }
}
