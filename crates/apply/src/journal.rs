//! What happened, line by line, and what follows from it for the next attempt.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use slipway_host::Host;
use slipway_model::Verb;

use crate::home;
use crate::lines::Lines;

/// A line of the journal. What is about steps belongs to the attempt that began last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Line {
    AttemptBegan {
        id: String,
        time: String,
        plan: String,
        version: String,
        stages: Vec<String>,
        live: bool,
        /// The machine's start in which it ran, if it was live.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        boot: Option<String>,
        steps: Vec<String>,
    },
    StepBegan {
        step: String,
        time: String,
    },
    /// Something is about to change.
    Changing {
        step: String,
        what: String,
    },
    /// A job on a unit was done.
    Job {
        step: String,
        unit: String,
        verb: Verb,
    },
    /// The service manager read its unit files.
    Reloaded {
        step: String,
    },
    /// A program ran to its end.
    Ran {
        step: String,
        program: String,
    },
    StepEnded {
        step: String,
        time: String,
        outcome: String,
        changed: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waited_for: Option<String>,
    },
    AttemptEnded {
        time: String,
        outcome: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<FailureLine>,
        critical: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailureLine {
    pub(crate) step: Option<String>,
    pub(crate) code: i16,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// A time as the journal writes it.
pub(crate) fn written(time: Timestamp) -> String {
    format!("{time:.9}")
}

/// All lines, oldest first.
pub(crate) fn read(host: &dyn Host) -> io::Result<Vec<Line>> {
    Ok(Lines::open(host, Path::new(home::JOURNAL))?.1)
}

pub(crate) struct Journal {
    inner: Mutex<Inner>,
}

struct Inner {
    lines: Lines,
    history: History,
}

/// When what happened last, counted in lines.
#[derive(Debug, Default)]
struct History {
    now: u64,
    changed: BTreeMap<String, u64>,
    units_changed: BTreeMap<String, u64>,
    reloaded: u64,
    jobs: BTreeMap<String, u64>,
    ran: BTreeMap<String, u64>,
    /// The first attempt after the machine's last start: whatever runs then has read what was there before.
    booted: u64,
    last: Option<Running>,
    open: bool,
}

/// Where an attempt ran: on a machine, in one of its starts, or in the root of one.
#[derive(Debug, PartialEq, Eq)]
struct Running {
    live: bool,
    boot: Option<String>,
}

impl Running {
    /// Whether the machine was started between an attempt and this later one.
    fn started_since(&self, earlier: &Self) -> bool {
        let known = self.boot.is_some() && earlier.boot.is_some();
        self.live && (!earlier.live || (known && self.boot != earlier.boot))
    }
}

impl Journal {
    pub(crate) fn open(host: &dyn Host) -> io::Result<Self> {
        let (lines, past) = Lines::open::<Line>(host, Path::new(home::JOURNAL))?;
        let mut history = History::default();
        for line in &past {
            history.add(line);
        }
        Ok(Self { inner: Mutex::new(Inner { lines, history }) })
    }

    /// Whether the last attempt came to no end.
    pub(crate) fn is_open(&self) -> bool {
        self.inner().history.open
    }

    pub(crate) fn add(&self, host: &dyn Host, line: &Line) -> io::Result<()> {
        let mut inner = self.inner();
        inner.lines.append(host, line)?;
        inner.history.add(line);
        Ok(())
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.inner().lines.sync()
    }

    /// Whether one of these steps, or the unit's own files, changed after our last job on a unit.
    pub(crate) fn is_due(&self, unit: &str, steps: &[&str]) -> bool {
        let inner = self.inner();
        let history = &inner.history;
        let last = history.jobs.get(unit).copied().unwrap_or_default().max(history.booted);
        let files = history.units_changed.get(unit).into_iter();
        files.chain(steps.iter().filter_map(|step| history.changed.get(*step))).any(|at| *at > last)
    }

    /// Whether a unit file changed after the service manager last read them.
    pub(crate) fn reload_is_due(&self) -> bool {
        let inner = self.inner();
        let read = inner.history.reloaded.max(inner.history.booted);
        inner.history.units_changed.values().any(|at| *at > read)
    }

    /// Whether a program ran to its end.
    pub(crate) fn has_run(&self, program: &str) -> bool {
        self.inner().history.ran.contains_key(program)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl History {
    fn add(&mut self, line: &Line) {
        self.now += 1;
        let now = self.now;
        match line {
            Line::AttemptBegan { live, boot, .. } => {
                self.open = true;
                let running = Running { live: *live, boot: boot.clone() };
                if self.last.as_ref().is_some_and(|earlier| running.started_since(earlier)) {
                    self.booted = now;
                }
                self.last = Some(running);
            }
            Line::AttemptEnded { .. } => self.open = false,
            Line::Changing { step, what } => {
                if !enables(what) {
                    self.changed.insert(step.clone(), now);
                }
                if let Some(unit) = unit_of(what) {
                    self.units_changed.insert(unit.to_owned(), now);
                }
            }
            Line::Job { unit, .. } => {
                self.jobs.insert(unit.clone(), now);
            }
            Line::Reloaded { .. } => self.reloaded = now,
            Line::Ran { program, .. } => {
                self.ran.insert(program.clone(), now);
            }
            Line::StepBegan { .. } | Line::StepEnded { .. } => {}
        }
    }
}

/// Where a path is below the directories of unit files.
fn among_units(path: &str) -> Option<&str> {
    let inside = |directory: &&str| path.strip_prefix(*directory)?.strip_prefix('/');
    crate::install::DIRECTORIES.iter().find_map(inside)
}

/// Whether a path is that of a link that enables a unit: it matters at the next boot, and to nothing that runs.
fn enables(path: &str) -> bool {
    let directory =
        among_units(path).and_then(|inside| inside.split_once('/')).map(|(directory, _)| directory);
    directory
        .and_then(|directory| directory.rsplit_once('.'))
        .is_some_and(|(_, kind)| matches!(kind, "wants" | "requires"))
}

/// The unit whose file or drop-in is at a path; a link that enables a unit is neither.
fn unit_of(path: &str) -> Option<&str> {
    let inside = among_units(path)?;
    let name = inside.split('/').next()?;
    let (name, drop_in) = match name.strip_suffix(".d") {
        Some(name) => (name, true),
        None => (name, false),
    };
    (drop_in || name.len() == inside.len()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_files_and_drop_ins_count_as_units_and_enabling_links_do_not() {
        for (path, unit) in [
            ("/etc/systemd/system/kubelet.service", Some("kubelet.service")),
            ("/etc/systemd/system/kubelet.service.d/10-a.conf", Some("kubelet.service")),
            ("/etc/systemd/system/multi-user.target.wants/kubelet.service", None),
            ("/etc/systemd/resolved.conf", None),
        ] {
            assert_eq!(unit_of(path), unit, "{path}");
        }
    }

    #[test]
    fn enabling_a_unit_that_runs_does_not_restart_it() {
        let changing = |what: &str| Line::Changing { step: "start".into(), what: what.into() };
        let enabled = after(&[changing("/etc/systemd/system/multi-user.target.wants/containerd.service")]);
        assert!(!enabled.is_due("containerd.service", &["start"]));
        let configured = after(&[changing("/etc/containerd/config.toml")]);
        assert!(configured.is_due("containerd.service", &["start"]));
    }

    fn began(live: bool, boot: Option<&str>) -> Line {
        let (id, time, plan, version) = Default::default();
        let boot = boot.map(str::to_owned);
        Line::AttemptBegan { id, time, plan, version, stages: vec![], live, boot, steps: vec![] }
    }

    fn after(lines: &[Line]) -> Journal {
        let host = slipway_host::Recorded::live();
        home::make(&host).unwrap();
        let journal = Journal::open(&host).unwrap();
        for line in lines {
            journal.add(&host, line).unwrap();
        }
        journal
    }

    #[test]
    fn what_changed_before_the_machine_started_needs_neither_reload_nor_restart() {
        let changing =
            Line::Changing { step: "u".into(), what: "/etc/systemd/system/kubelet.service".into() };
        let due = |before: Line, then: Line| {
            let journal = after(&[before, changing.clone(), then]);
            let restart = journal.is_due("kubelet.service", &["u"]);
            assert_eq!(journal.reload_is_due(), restart);
            restart
        };
        assert!(!due(began(false, None), began(true, Some("a"))), "an image was booted");
        assert!(!due(began(true, Some("a")), began(true, Some("b"))), "a machine was booted again");
        assert!(due(began(true, Some("a")), began(true, Some("a"))), "the same start");
        assert!(due(began(true, None), began(true, Some("a"))), "nobody knows");
        assert!(due(began(false, None), began(false, None)), "an image is baked again");
    }
}
