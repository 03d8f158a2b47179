//! The phases of an upgrade.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use slipway_apply::{Options, apply, brought, drop_note, keep_note};
use slipway_flex::preflight::look::MachineName;
use slipway_flex::supply::{STORE, Stock};
use slipway_flex::upgrade::{CHOICE, Choice, Expected, Gate, Phase, RECORD, Record, unneeded};
use slipway_host::{Host, os_text};

use super::super::goal;
use super::super::outward::Outward;
use super::super::stock::{self, Chosen};
use super::edition::Edition;
use super::member::{Member, Unserved, kubelet_started};
use super::stores;
use crate::Outcome;
use crate::cli::FlexUpgrade;
use crate::failure::Failure;
use crate::native::progress::{Progress, Told};
use crate::screen::Screen;

/// How long a node has to stay as expected. A kubelet that fails does so in its first seconds.
const STAYS: Duration = Duration::from_secs(10);
/// How long fetching may take.
const FETCHED_WITHIN: Duration = Duration::from_mins(30);
/// The step that our own gate stands for: the API server calls a node Ready long after its kubelet ended.
pub(in super::super) const AWAIT_READY: &str = "await-ready";

/// An upgrade of one machine.
pub(super) struct Work<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) member: Member,
    pub(super) arguments: &'a FlexUpgrade,
    pub(super) told: Told,
    pub(super) outward: &'a Outward,
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

impl Work<'_> {
    /// From one edition to another.
    pub(super) fn go(
        &self,
        mut record: Record,
        from: &Edition,
        to: &Edition,
        chosen: &Chosen,
        screen: &mut Screen,
    ) -> Result<Outcome, Failure> {
        self.prepare(from, to, chosen)?;
        if record.phase == Phase::Draining {
            say(screen, "the new programs are here")?;
            self.keep(&record)?;
            if let Err(failure) = self.clear(screen) {
                // Nothing of the machine was changed: it goes on as it did.
                self.open(&record)?;
                self.drop_record()?;
                return Err(failure);
            }
            record.phase = Phase::Switching;
            self.keep(&record)?;
        }
        say(screen, format_args!("Kubernetes {} takes over", to.kubelet()))?;
        match self.switch(&record, to) {
            Ok(()) => {
                self.settle(&record, from, to)?;
                screen.line(format_args!("this node runs Kubernetes {}", to.kubelet()));
                Ok(Outcome::Done)
            }
            Err(Unserved::Undecided(why)) => Err(undecided(&why)),
            Err(Unserved::Unfit(why)) => {
                say(screen, format_args!("Kubernetes {} does not serve: {why}", to.kubelet()))?;
                let record = Record { phase: Phase::Returning { why }, ..record };
                self.keep(&record)?;
                self.go_back(&record, from, screen)
            }
        }
    }

    /// Back to what there was before.
    pub(super) fn go_back(
        &self,
        record: &Record,
        from: &Edition,
        screen: &mut Screen,
    ) -> Result<Outcome, Failure> {
        say(screen, format_args!("Kubernetes {} takes over again", from.kubelet()))?;
        self.switch(record, from).map_err(|unserved| match unserved {
            Unserved::Undecided(why) => undecided(&why),
            Unserved::Unfit(why) => {
                Failure::machine("return-failed", "the old version does not serve either", why).with_hint(
                    "`journalctl -u kubelet` says why; slipway flex upgrade tries to go back once more",
                )
            }
        })?;
        self.open(record)?;
        self.sweep(&[&from.stock])?;
        self.drop_record()?;
        let why = match &record.phase {
            Phase::Returning { why } => why.as_str(),
            Phase::Draining | Phase::Switching => "it was given up",
        };
        goal::give_up(self.host, version(&record.to), why)?;
        let doing = format!("the upgrade to Kubernetes {} failed", version(&record.to));
        Err(Failure::machine("upgrade-failed", doing, why).with_hint(format!(
            "the node runs {} again, as before; `journalctl -u kubelet` says more",
            from.kubelet()
        )))
    }

    /// Brings everything that is needed, for the way there and for the way back.
    fn prepare(&self, from: &Edition, to: &Edition, chosen: &Chosen) -> Result<(), Failure> {
        stock::bring(chosen, self.host)?;
        let network = self.outward.network(self.host);
        stores::fill(from, to, self.host, &network, Instant::now() + FETCHED_WITHIN, self.stop)?;
        let mut options = Options::within(FETCHED_WITHIN).downloading();
        options.skip = to.all_but_beside(from);
        let attempt = apply(&to.plan, self.host, &network, &options, &Progress::new(self.told), self.stop)
            .map_err(|error| Failure::machine("not-begun", "cannot begin", error))?;
        match attempt.failure {
            None => Ok(()),
            Some(failure) => Err(Failure { code: 1, ..crate::commands::provision::failed(failure) }
                .with_hint("nothing of the node was changed")),
        }
    }

    /// No new pods, and the present ones leave.
    fn clear(&self, screen: &mut Screen) -> Result<(), Failure> {
        let draining = &self.arguments.draining;
        self.member.clear(draining.drain(), draining.within(), self.stop, screen)
    }

    /// Makes an edition the one that runs, and waits until it serves.
    fn switch(&self, record: &Record, edition: &Edition) -> Result<(), Unserved> {
        let undecided =
            |failure: Failure| Unserved::Undecided(format!("{}: {}", failure.doing, failure.found));
        stock::record(&edition.stock, self.host).map_err(undecided)?;
        let network = self.outward.network(self.host);
        let within = Duration::from_secs(self.arguments.ready_timeout);
        let mut options = Options::within(within);
        options.skip.insert(AWAIT_READY.to_owned());
        let attempt =
            apply(&edition.plan, self.host, &network, &options, &Progress::new(self.told), self.stop)
                .map_err(|error| Unserved::Undecided(error.to_string()))?;
        match attempt.failure {
            Some(failure) if attempt.interrupted => {
                return Err(Unserved::Undecided(failure.problem.to_string()));
            }
            Some(failure) => return Err(Unserved::Unfit(failure.problem.to_string())),
            None => {}
        }
        let expected = Expected {
            uid: record.uid.clone(),
            machine: MachineName::default(),
            kubelet: edition.kubelet().to_string(),
            heard_since: kubelet_started(self.host),
        };
        self.member.serves(self.host, Gate::new(expected, within, STAYS), self.stop)
    }

    /// The upgrade is over: pods may come again, and what only it needed goes.
    fn settle(&self, record: &Record, from: &Edition, to: &Edition) -> Result<(), Failure> {
        let choice = Choice { wish: record.wish.clone(), kubernetes: to.kubelet().to_string() };
        keep_note(self.host, CHOICE, &choice.text()).map_err(|error| unrecorded(&error))?;
        self.open(record)?;
        self.sweep(&[&from.stock, &to.stock])?;
        self.drop_record()
    }

    /// Pods may come again where they could before.
    fn open(&self, record: &Record) -> Result<(), Failure> {
        if record.schedulable { self.member.open() } else { Ok(()) }
    }

    /// Removes programs and files of versions that none of these stocks needs.
    fn sweep(&self, stocks: &[&Stock]) -> Result<(), Failure> {
        let swept = || -> io::Result<()> {
            let mut files: Vec<PathBuf> = brought(self.host)?.into_iter().collect();
            let store = Path::new(STORE);
            if self.host.entry(store)?.is_some() {
                files.extend(self.host.list(store)?.into_iter().map(|name| store.join(name)));
            }
            for path in unneeded(&files, stocks) {
                if self.host.entry(&path)?.is_some() {
                    self.host.remove(&path)?;
                }
            }
            Ok(())
        };
        swept().map_err(|error| {
            Failure::machine("not-swept", "cannot remove programs of older versions", os_text(&error))
        })
    }

    fn keep(&self, record: &Record) -> Result<(), Failure> {
        keep_note(self.host, RECORD, &record.text()).map_err(|error| unrecorded(&error))
    }

    fn drop_record(&self) -> Result<(), Failure> {
        drop_note(self.host, RECORD).map_err(|error| unrecorded(&error))
    }
}

/// The version of Kubernetes in a stock.
fn version(stock: &Stock) -> &str {
    super::edition::kubelet(stock).map_or("", |version| version.as_str())
}

/// A line that is seen at once.
fn say(screen: &mut Screen, line: impl std::fmt::Display) -> Result<(), Failure> {
    screen.line(line);
    screen.flush()
}

fn undecided(why: &str) -> Failure {
    Failure::machine("upgrade-unfinished", "the upgrade was cut short", why)
        .with_hint("the same command goes on from here")
}

fn unrecorded(error: &io::Error) -> Failure {
    Failure::machine("no-record", "cannot keep a record below /var/lib/slipway", os_text(error))
}
