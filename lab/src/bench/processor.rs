//! Who uses the processors: a machine that comes to rest, a machine that is kept busy, and everybody else.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::moment::Moment;
use crate::space::children;
use crate::{Error, Lab, Machine};

/// A machine at rest uses less of one processor than this.
const REST: f64 = 0.02;
const GLANCE: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_mins(2);
/// The unit of the times in `/proc`: the kernel shows hundredths of a second on every architecture of ours.
const TICK: Duration = Duration::from_millis(10);

/// Waits until nothing more goes on in a machine.
pub(super) fn wait_rest(machine: &Machine) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        let (before, began) = (machine.processor_time(), Moment::now());
        thread::sleep(GLANCE);
        let used = machine.processor_time().saturating_sub(before);
        if used.as_secs_f64() < REST * Moment::now().since(began).as_secs_f64() {
            return Ok(());
        }
        if start.elapsed() > LONGEST {
            let evidence = machine.run("systemctl", &["list-jobs"]).unwrap_or_default();
            let what = format!("{} to come to rest", machine.name);
            return Err(Error::Late { what, waited: LONGEST, evidence });
        }
    }
}

/// One loop per processor, in the machine's own share of them.
pub(super) struct Loops(Vec<u32>);

impl Loops {
    const COMMAND: &str = "while :; do :; done";

    /// No load.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    pub(super) fn start(machine: &Machine) -> Result<Self, Error> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        for number in 0..processors {
            let unit = format!("--unit=busy-{number}");
            machine.run("systemd-run", &["--quiet", &unit, "/bin/sh", "-c", Self::COMMAND])?;
        }
        let is_loop = |id: &u32| {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            line.split(|octet| *octet == 0).any(|word| word == Self::COMMAND.as_bytes())
        };
        Ok(Self(machine.leader().into_iter().flat_map(children).filter(is_loop).collect()))
    }

    /// What the loops themselves have used so far.
    fn processor_time(&self) -> Duration {
        let used = |id: &u32| {
            let statistics = fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
            statistics.split_whitespace().next().and_then(|word| word.parse::<u64>().ok()).unwrap_or_default()
        };
        Duration::from_nanos(self.0.iter().map(used).sum())
    }
}

/// What was used of the processors up to a moment.
#[derive(Debug, Clone)]
pub(super) struct Used {
    at: Moment,
    /// By all of this machine.
    all: Duration,
    /// By the lab: its control plane, its machines, this process.
    lab: Duration,
    /// By each of the machines, without loops.
    machines: Vec<Duration>,
}

impl Used {
    pub(super) fn now(lab: &Lab, machines: &[Machine], loops: &[Loops]) -> Self {
        let at = Moment::now();
        let with_loops: Vec<Duration> = machines.iter().map(Machine::processor_time).collect();
        let alone =
            with_loops.iter().zip(loops).map(|(all, loops)| all.saturating_sub(loops.processor_time()));
        let own = Self::of_process(std::process::id()) + Self::in_namespace(lab.space.keeper());
        let lab = own + with_loops.iter().sum::<Duration>();
        Self { at, all: Self::of_everything(), lab, machines: alone.collect() }
    }

    /// What each machine used since.
    pub(super) fn by_machines_since(&self, earlier: &Self) -> Vec<Duration> {
        let pairs = self.machines.iter().zip(&earlier.machines);
        pairs.map(|(now, before)| now.saturating_sub(*before)).collect()
    }

    /// How many processors everybody else kept busy since.
    pub(super) fn by_others_since(&self, earlier: &Self) -> f64 {
        let all = self.all.saturating_sub(earlier.all);
        let lab = self.lab.saturating_sub(earlier.lab);
        let passed = self.at.since(earlier.at).as_secs_f64();
        if passed > 0.0 { all.saturating_sub(lab).as_secs_f64() / passed } else { 0.0 }
    }

    /// User, nice, system, interrupts: the first three, the sixth and the seventh number.
    fn of_everything() -> Duration {
        let statistics = fs::read_to_string("/proc/stat").unwrap_or_default();
        let numbers = statistics.lines().next().unwrap_or_default().split_whitespace().skip(1);
        let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
        let busy = [0, 1, 2, 5, 6].iter().filter_map(|index| numbers.get(*index)).sum();
        TICK * busy
    }

    /// The processes in the namespace of another, and not below it.
    fn in_namespace(of: u32) -> Duration {
        let namespace = |id: &str| fs::read_link(format!("/proc/{id}/ns/pid")).ok();
        let lab = namespace(&of.to_string());
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let ids = ids.filter(|id| id.starts_with(|first: char| first.is_ascii_digit()));
        let inside = ids.filter(|id| lab.is_some() && namespace(id) == lab);
        inside.filter_map(|id| id.parse().ok()).map(Self::of_process).sum()
    }

    /// User and system time are the 12th and 13th field behind the name in parentheses, which may hold anything.
    fn of_process(id: u32) -> Duration {
        let statistics = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields = statistics.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
        let times = fields.split_whitespace().skip(11).take(2);
        TICK * times.filter_map(|time| time.parse::<u32>().ok()).sum()
    }
}
