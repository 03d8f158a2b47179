//! Benchmarks: how long a machine takes to be a Ready node, and what it costs, for each of several contenders.
//!
//! Comes in: contenders, how often, under which conditions. Goes out: every run, and a table of them.
//!
//! Each run has a fresh clone of one image, which has come to rest before its time begins. Runs of the contenders
//! alternate, so that whatever else goes on hits all of them alike. There is one clock, the kernel's monotonic one.
//! Zero is the exec of the contender's command; Registered and Ready are when a watch of the API server tells them.

mod boot;
mod contender;
mod delays;
mod moment;
mod processes;
mod processor;
mod run;
mod statistics;
mod table;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use delays::{Approver, slow_containerd};
use processor::{Loops, wait_rest};
use watch::Watch;

use crate::command::Run as _;
use crate::{Error, Lab, Machine, Order, Progress, Storage, native};

pub use boot::{Boot, Form, boot_table, boots, provisioning};
pub use contender::Contender;
pub use run::{Account, Run};
pub use statistics::Spread;
pub use table::{ratio, ready, table};

/// Runs that count leave at most this much of one processor to what is not of the lab.
const QUIET: f64 = 0.12;
/// A quiet run is tried this often in a round.
const TRIES: usize = 5;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Bench {
    /// Who.
    pub contenders: Vec<Contender>,
    /// How often each.
    pub runs: usize,
    /// Under which conditions: with busy loops or without.
    pub busy: Vec<bool>,
    /// How many machines are provisioned at once.
    pub nodes: usize,
    /// How machines get their files.
    pub storage: Storage,
    /// The build of Slipway.
    pub slipway: PathBuf,
    /// What the machines of users' commands have besides: files below the root directory.
    pub files: Option<PathBuf>,
    /// How much longer the approval of client certificates and the start of containerd take, if they do.
    pub delay: Option<Duration>,
    /// Do a run again during which something else used the processors.
    pub quiet_only: bool,
}

impl Bench {
    /// Runs the contenders by turns.
    pub fn run(&self, lab: &Lab, progress: Progress) -> Result<Vec<Run>, Error> {
        let nodes = Watch::start(lab, "/api/v1/nodes")?;
        let azure = native::azure(lab, &[])?;
        let _approver = self.delay.map(|delay| Approver::start(lab, delay)).transpose()?;
        let mut runs = Vec::new();
        let mut names = names(lab, "bench");
        for round in 1..=self.runs {
            for busy in &self.busy {
                for contender in &self.contenders {
                    let condition = if *busy { "busy" } else { "idle" };
                    let title = format!("{} {condition}, {round} of {}", contender.name, self.runs);
                    let run = progress.part(&title, || {
                        let mut run = self.once(lab, &azure, &nodes, contender, *busy, &mut names)?;
                        for _ in 1..TRIES {
                            if self.quiet_only && run.others > QUIET {
                                run = self.once(lab, &azure, &nodes, contender, *busy, &mut names)?;
                            }
                        }
                        Ok(run)
                    })?;
                    if !self.quiet_only || run.others <= QUIET {
                        runs.push(Run { round, busy: *busy, ..run });
                    }
                }
            }
        }
        Ok(runs)
    }

    /// One run on machines of its own.
    fn once(
        &self,
        lab: &Lab,
        azure: &crate::azure::Azure,
        nodes: &Watch,
        contender: &Contender,
        busy: bool,
        names: &mut impl Iterator<Item = String>,
    ) -> Result<Run, Error> {
        let slipway = contender.is_baked().then(|| self.slipway.clone());
        let order = Order { storage: self.storage, slipway, ..Order::default() };
        let mut machines = Vec::new();
        for name in names.take(self.nodes) {
            let machine = lab.boot(&name, &order, Progress::silent())?;
            azure.admit(native::metadata(&machine)?);
            contender.prepare(lab, &machine, self)?;
            if let Some(delay) = self.delay {
                slow_containerd(&machine, delay)?;
            }
            machines.push(machine);
        }
        if self.storage == Storage::Copy {
            // What was copied must not be on its way to the disk while others wait for it.
            rustix::fs::sync();
        }
        machines.iter().try_for_each(wait_rest)?;
        let load = |machine: &Machine| if busy { Loops::start(machine) } else { Ok(Loops::none()) };
        let loops = machines.iter().map(load).collect::<Result<Vec<_>, _>>()?;
        let run = run::measure(lab, nodes, contender, &machines, &loops)?;
        for machine in machines {
            let name = machine.name.clone();
            machine.remove(&lab.space)?;
            lab.cluster.kubectl(&lab.space, &["delete", "node", &name]).printed()?;
        }
        Ok(run)
    }
}

/// Names for machines, without those that an interrupted benchmark has left.
fn names(lab: &Lab, stem: &'static str) -> impl Iterator<Item = String> {
    let machines = lab.directory().join("machines");
    (0..).map(move |number: u32| format!("{stem}-{number}")).filter(move |name| !machines.join(name).exists())
}
