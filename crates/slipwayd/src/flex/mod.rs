//! `slipwayd flex`: looks at the machine, decides, repairs, and says so; one thing after another, in one thread.

mod cluster;
mod eye;
mod page;
mod pool;
mod repair;
mod tale;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use slipway_flex::goal::{Mark, Resource};
use slipway_flex::keep::{
    Clocks, Decision, Health, Keeper, NodeSeen, Observation, Reason, Repair, STATUS, Status,
};
use slipway_host::{Held, Host as _, Lock, Machine, make_directory, os_text, place};

use crate::VERSION;
use crate::cli::Flex;
use crate::log::{Level, Log};

use cluster::Cluster;
use eye::Eye;
use page::Shown;
use pool::Pool;
use repair::Repairs;
use tale::Tale;

/// Why the daemon does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FlexError {
    #[error("the machine cannot be kept: {}", os_text(.0))]
    System(#[from] io::Error),
}

/// Keeps the machine until a signal ends the process, or its own program is replaced.
pub(crate) fn run(arguments: &Flex) -> Result<(), FlexError> {
    let host = Machine::live()?;
    let own = std::env::current_exe()?;
    let (log, _writer) = Log::start(if arguments.quiet { Level::Warning } else { Level::Info })?;
    let shown = Shown::default();
    if let Err(error) = page::serve(arguments.metrics, Arc::clone(&shown)) {
        // The node is worth more than its numbers.
        let line = log.line(Level::Warning, "metrics are not served");
        line.with("address", arguments.metrics.to_string()).with("problem", os_text(&error)).end();
    }
    log.line(Level::Info, "keeping this machine").with("version", VERSION).end();
    let began = host.entry(&own)?;
    let mut daemon = Daemon {
        eye: Eye::new(&host, &arguments.config),
        cluster: Cluster::new(&host),
        pool: Pool::new(&host, own.with_file_name("slipway"), &arguments.config),
        repairs: Repairs::new(&host, own.with_file_name("slipway"), &arguments.config),
        tale: Tale::default(),
        keeper: Keeper::default(),
        clocks: Clocks::default(),
        began: Instant::now(),
        status: Status {
            version: VERSION.to_owned(),
            began: now(),
            every: arguments.every,
            config: arguments.config.display().to_string(),
            ..Status::default()
        },
        trouble: None,
        refusal: None,
        log: &log,
        quiet: arguments.quiet,
        shown,
    };
    while host.entry(&own)? == began {
        daemon.turn();
        thread::sleep(Duration::from_secs(arguments.every));
    }
    log.line(Level::Info, "this program was replaced; whoever started it starts the new one").end();
    Ok(())
}

/// The time, to the second.
fn now() -> String {
    format!("{:.0}", Timestamp::now())
}

struct Daemon<'a> {
    eye: Eye<'a>,
    cluster: Cluster<'a>,
    pool: Pool<'a>,
    repairs: Repairs<'a>,
    tale: Tale,
    keeper: Keeper,
    clocks: Clocks,
    began: Instant,
    status: Status,
    /// What was wrong at the last look.
    trouble: Option<String>,
    /// Why Azure did not say what it wants, as it was last told.
    refusal: Option<String>,
    log: &'a Log,
    /// Whether the command line says how much is logged.
    quiet: bool,
    shown: Shown,
}

impl Daemon<'_> {
    /// One look, and what follows from it.
    fn turn(&mut self) {
        let steady = self.began.elapsed();
        self.notice_jump(steady);
        self.status.looks += 1;
        if let Err(Held::By(other)) = Lock::take(Path::new(Lock::MACHINE), &holder()) {
            self.eye.forget();
            self.cluster.forget();
            self.pool.forget();
            return self.say(Health::Paused, Some(format!("{other} is at it")));
        }
        if let Err(problem) = self.repairs.recover() {
            self.log.line(Level::Error, "a credential is not put back").with("problem", problem).end();
        }
        let seen = self.look(steady);
        self.log.line(Level::Debug, "looked").with("seen", format!("{seen:?}")).end();
        match self.keeper.decide(steady, &seen) {
            Decision::Fine => self.say(Health::Healthy, None),
            Decision::Watch(why) => self.say(Health::Troubled, Some(why)),
            Decision::Wait(repair, reason, until) => {
                let seconds = until.saturating_sub(steady).as_secs();
                let why = format!("{}: {repair} in {seconds} s", reason.name());
                self.say(Health::Waiting, Some(why));
            }
            Decision::Act(repair, reason) => self.act(repair, reason, &seen),
        }
        self.cluster.tell(&mut self.tale, &self.status.node);
    }

    fn look(&mut self, steady: Duration) -> Observation {
        let mut seen = self.eye.look(&mut self.status);
        if let Some(level) = self.eye.logs().filter(|_| !self.quiet) {
            self.log.keep_from(level);
        }
        if self.eye.has_node() {
            let name = self.status.node.name.clone();
            seen.node = self.cluster.look(steady, Duration::from_secs(self.status.every), &name);
            self.cluster.show(&mut self.status.node);
            seen.mark = self.cluster.mark();
        }
        match self.eye.asks_azure() {
            Some(interval) => {
                let urgent = seen.mark == Mark::Deleting || seen.node == NodeSeen::Absent;
                let goal = self.status.goal.get_or_insert_default();
                seen.goal = Some(self.pool.look(steady, interval, urgent, goal));
                self.notice_refusal(seen.goal);
            }
            None => self.status.goal = None,
        }
        seen
    }

    /// Says once why Azure does not say what it wants.
    fn notice_refusal(&mut self, goal: Option<Resource>) {
        let why = self.status.goal.as_ref().and_then(|goal| goal.why.clone());
        let refusal = why.filter(|_| goal == Some(Resource::Unknown));
        // Each answer has another number: once is enough until there was another one.
        if refusal.is_some() && self.refusal.is_none() {
            let line = self.log.line(Level::Warning, "Azure does not say what it wants of this machine");
            line.with_some("problem", refusal.clone()).end();
            self.tale.add("GoalUnknown", refusal.as_deref().unwrap_or_default(), true);
        }
        if refusal.is_some() || goal != Some(Resource::Unknown) {
            self.refusal = refusal;
        }
    }

    fn act(&mut self, repair: Repair, reason: Reason, seen: &Observation) {
        let about = about(repair, seen);
        self.log
            .line(Level::Info, "repairing")
            .with("repair", repair.name())
            .with("reason", reason.name())
            .with("about", about.as_str())
            .end();
        self.say(Health::Repairing, Some(format!("{}: {repair}", reason.name())));
        let begun = Instant::now();
        let done = self.repairs.perform(repair, reason);
        self.eye.forget();
        self.cluster.forget();
        if repair == Repair::Goal {
            self.pool.forget();
        }
        let level = if done.is_ok() { Level::Info } else { Level::Error };
        let line = self.log.line(level, if done.is_ok() { "repaired" } else { "a repair failed" });
        let line = line.with("repair", repair.name()).with("milliseconds", millis(begun.elapsed()));
        line.with_some("problem", done.as_ref().err().cloned()).end();
        match &done {
            Ok(()) => {
                self.tale.add("Repaired", &format!("{repair} ({}): {about}", reason.name()), false);
                if matches!(repair, Repair::Files | Repair::Rejoin | Repair::Goal) {
                    self.eye.settle();
                }
            }
            Err(error) => {
                self.tale.add("RepairFailed", &format!("{repair} ({}): {error}", reason.name()), true);
            }
        }
        self.status.remember(slipway_flex::keep::Repaired {
            time: now(),
            repair: repair.name().to_owned(),
            reason: reason.name().to_owned(),
            about,
            error: done.as_ref().err().cloned(),
        });
        self.page(|page| page.count(repair.name(), done.is_ok()));
        self.say(Health::Waiting, Some("looking whether the repair helped".to_owned()));
    }

    fn notice_jump(&mut self, steady: Duration) {
        let Some(seconds) = self.clocks.look(steady, Timestamp::now().as_millisecond()) else { return };
        self.status.clock_jumps += 1;
        let line = self.log.line(Level::Warning, "the clock was set, or the machine slept");
        line.with("seconds", seconds).end();
        self.tale.add("ClockJumped", &format!("the clock jumped by {seconds} s"), true);
    }

    /// Writes down how the machine is.
    fn say(&mut self, health: Health, why: Option<String>) {
        let trouble = why.clone().filter(|_| health == Health::Troubled);
        if trouble != self.trouble {
            let (level, message) = match &trouble {
                Some(_) => (Level::Warning, "something is wrong that is not repaired from here"),
                None => (Level::Info, "the trouble is over"),
            };
            self.log.line(level, message).with_some("problem", trouble.clone()).end();
            self.trouble = trouble;
        }
        (self.status.health, self.status.why) = (health, why);
        (self.status.looked, self.status.looked_seconds) = (now(), Timestamp::now().as_second());
        self.page(|page| page.status.clone_from(&self.status));
        let path = Path::new(STATUS);
        // Texts and numbers can always be written.
        let text = serde_json::to_string_pretty(&self.status).unwrap_or_default() + "\n";
        let directory = path.parent().unwrap_or(Path::new("/"));
        let written = make_directory(directory).and_then(|()| place(path, text.as_bytes(), 0o644));
        if let Err(error) = written {
            let line = self.log.line(Level::Error, "the status cannot be written");
            line.with("file", STATUS).with("problem", os_text(&error)).end();
        }
    }

    fn page(&self, change: impl FnOnce(&mut page::Numbers)) {
        let shown: &Mutex<page::Numbers> = &self.shown;
        change(&mut shown.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Who holds the lock while something small is repaired.
fn holder() -> String {
    format!("slipwayd flex, process {}", std::process::id())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What a repair is about, in a line.
fn about(repair: Repair, seen: &Observation) -> String {
    const SHOWN: usize = 3;
    match repair {
        Repair::Start(unit) | Repair::Restart(unit) => unit.to_owned(),
        Repair::Files | Repair::Rejoin if !seen.strayed.is_empty() => {
            let text = seen.strayed.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
            match seen.strayed.len().saturating_sub(SHOWN) {
                0 => text,
                more => format!("{text} and {more} more"),
            }
        }
        _ => "this machine".to_owned(),
    }
}
