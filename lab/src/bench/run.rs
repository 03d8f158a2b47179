//! One run: from the start of a command to a Ready node, and everything that was seen on the way.

use std::fs;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::contender::{Contender, ENDED};
use super::moment::Moment;
use super::processes::{Processes, Seen};
use super::processor::{Loops, Used};
use super::watch::Watch;
use crate::{Error, Lab, Machine};

const LONGEST: Duration = Duration::from_mins(2);
/// How exactly the moments of sockets and files are known.
const GLANCE: Duration = Duration::from_millis(2);
const SOCKET: &str = "/run/containerd/containerd.sock";
const CREDENTIALS: &str = "/var/lib/kubelet/pki/kubelet-client-current.pem";

/// What one run of one contender came to. Of machines that were provisioned at once, the last one counts.
#[derive(Debug, Clone)]
pub struct Run {
    /// The contender's name.
    pub contender: String,
    /// The floor that it is compared with.
    pub floor: &'static str,
    /// Which round of interleaved runs.
    pub round: usize,
    /// With one loop per processor in the machine's own share.
    pub busy: bool,
    /// From the command's start until containerd's socket accepted.
    pub socket: Option<Duration>,
    /// … until the client certificate was there.
    pub credentials: Option<Duration>,
    /// … until kubelet was executed.
    pub kubelet: Option<Duration>,
    /// … until the API server told of a Node.
    pub registered: Option<Duration>,
    /// … until it told that the Node is Ready.
    pub ready: Duration,
    /// Processor time of the command and what it waited for.
    pub command_cpu: Duration,
    /// Processor time of the whole machine until Ready.
    pub machine_cpu: Duration,
    /// Processes that came to be on the machine until Ready.
    pub processes: usize,
    /// Processes that the command started, to its end.
    pub by_command: usize,
    /// How often the machine's service manager read all its units again, to the command's end.
    pub reloads: usize,
    /// How many processors were used by what is not of the lab.
    pub others: f64,
    /// How far Slipway's own account of Registered and Ready is from what was seen here.
    pub account: Option<Account>,
}

/// Slipway's account of a node's start, compared with the watch's.
#[derive(Debug, Clone)]
pub struct Account {
    /// All of it.
    pub anatomy: Value,
    /// Its Registered minus ours, in seconds.
    pub registered: Option<f64>,
    /// Its Ready minus ours, in seconds.
    pub ready: Option<f64>,
}

/// What the API server and the machine's files showed of one machine.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    socket: Option<Moment>,
    credentials: Option<Moment>,
    registered: Option<Moment>,
    ready: Option<Moment>,
}

/// Lets a contender make the prepared machines nodes, all at once.
pub(super) fn measure(
    lab: &Lab,
    nodes: &Watch,
    contender: &Contender,
    machines: &[Machine],
    loops: &[Loops],
) -> Result<Run, Error> {
    let reloaded = machines.iter().map(reloads).collect::<Result<Vec<_>, _>>()?;
    let processes = Processes::of(machines)?;
    let before = Used::now(lab, machines, loops);
    let started = thread::scope(|scope| {
        let starting: Vec<_> =
            machines.iter().map(|machine| scope.spawn(|| contender.start(machine))).collect();
        starting.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    });
    started?;
    let shown = watch(nodes, machines)?;
    let seen = processes.seen();
    let after = Used::now(lab, machines, loops);
    let commands = machines.iter().map(command_end).collect::<Result<Vec<_>, _>>()?;
    let to_the_end = processes.seen();
    let reloads: Vec<usize> = machines.iter().map(reloads).collect::<Result<_, _>>()?;
    let begins = seen.iter().filter_map(|seen| seen.command).min();
    let zero = begins.ok_or_else(|| {
        Error::refused(
            "the kernel told nothing about the command's start",
            "benchmarks need CONFIG_PROC_EVENTS and root outside of namespaces",
        )
    })?;
    let last = |moment: &dyn Fn(&Shown) -> Option<Moment>| {
        let all: Option<Vec<Moment>> = shown.iter().map(moment).collect();
        all?.into_iter().max().map(|moment| moment.since(zero))
    };
    let kubelets: Option<Vec<Moment>> = seen.iter().map(|seen| seen.kubelet).collect();
    let most = |count: &dyn Fn(&Seen) -> usize, of: &[Seen]| of.iter().map(count).max().unwrap_or_default();
    let again = reloads.iter().zip(&reloaded).map(|(after, before)| after.saturating_sub(*before));
    let account = match (contender.is_slipway(), machines, &shown[..]) {
        (true, [machine], [shown]) => Some(account(machine, shown)?),
        _ => None,
    };
    Ok(Run {
        contender: contender.name.clone(),
        floor: contender.floor_name(),
        round: 0,
        busy: false,
        socket: last(&|shown| shown.socket),
        credentials: last(&|shown| shown.credentials),
        kubelet: kubelets.and_then(|all| all.into_iter().max()).map(|moment| moment.since(zero)),
        registered: last(&|shown| shown.registered),
        ready: last(&|shown| shown.ready).unwrap_or_default(),
        command_cpu: commands.into_iter().max().unwrap_or_default(),
        machine_cpu: after.by_machines_since(&before).into_iter().max().unwrap_or_default(),
        processes: most(&|seen| seen.forked, &seen),
        by_command: most(&|seen| seen.by_command, &to_the_end),
        reloads: again.max().unwrap_or_default(),
        others: after.by_others_since(&before),
        account,
    })
}

/// Looks at the machines until all of them are Ready.
fn watch(nodes: &Watch, machines: &[Machine]) -> Result<Vec<Shown>, Error> {
    let start = Instant::now();
    let mut shown = vec![Shown::default(); machines.len()];
    while shown.iter().any(|shown| shown.ready.is_none()) {
        if start.elapsed() > LONGEST {
            let journal = |machine: &Machine| machine.run("journalctl", &["--no-pager", "--lines=40"]);
            let evidence = machines.iter().filter_map(|machine| journal(machine).ok()).collect();
            return Err(Error::Late { what: "Ready".to_owned(), waited: LONGEST, evidence });
        }
        if let Some(event) = nodes.next(GLANCE)
            && let Some(index) = machines.iter().position(|machine| machine.name == event.name())
        {
            shown[index].registered.get_or_insert(event.at);
            if event.has("Ready") {
                shown[index].ready.get_or_insert(event.at);
            }
        }
        for (machine, shown) in machines.iter().zip(&mut shown) {
            let moment = Moment::now();
            if shown.socket.is_none() && UnixStream::connect(machine.path(SOCKET)).is_ok() {
                shown.socket = Some(moment);
            }
            if shown.credentials.is_none() && fs::symlink_metadata(machine.path(CREDENTIALS)).is_ok() {
                shown.credentials = Some(moment);
            }
        }
    }
    Ok(shown)
}

/// How long the command was on a processor, once it has succeeded.
fn command_end(machine: &Machine) -> Result<Duration, Error> {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(machine.path(ENDED)).unwrap_or_default();
        if let [_, children, code] = text.lines().collect::<Vec<_>>()[..] {
            if code == "0" {
                return Ok(children.split_whitespace().filter_map(shell_time).sum());
            }
            let journal = machine.run("journalctl", &["--no-pager", "--unit=slipway-bench"]);
            return Err(Error::refused(
                format!("the command ended with {code}\n{}", journal.unwrap_or_default()),
                "run it in a machine of the lab: `cargo lab boot`, `cargo lab run`",
            ));
        }
        if start.elapsed() > LONGEST {
            let evidence = machine.run("systemctl", &["status", "slipway-bench"]).unwrap_or_default();
            return Err(Error::Late { what: "the command's end".to_owned(), waited: LONGEST, evidence });
        }
        thread::sleep(GLANCE);
    }
}

/// A time as bash writes it: `0m0.012s`.
fn shell_time(text: &str) -> Option<Duration> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    let minutes = Duration::from_secs(minutes.parse::<u64>().ok()? * 60);
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok().map(|seconds| minutes + seconds)
}

/// systemd says in its journal when it reads all its units again.
fn reloads(machine: &Machine) -> Result<usize, Error> {
    let journal = machine.run("journalctl", &["--quiet", "--no-pager", "--output=cat", "_PID=1"])?;
    Ok(journal.lines().filter(|line| line.starts_with("Reloading") && !line.contains("finished")).count())
}

/// Compares `slipway anatomy` with what was seen here.
fn account(machine: &Machine, shown: &Shown) -> Result<Account, Error> {
    let text = machine.run(crate::native::PROGRAM, &["anatomy", "--output", "json"])?;
    let anatomy: Value = serde_json::from_str(&text).unwrap_or_default();
    // The anatomy has the time of day, which is only compared over the few seconds since.
    let (moment, time) = (Moment::now(), Timestamp::now());
    let difference = |name: &str, ours: Option<Moment>| {
        let told: Timestamp = anatomy["milestones"][name].as_str()?.parse().ok()?;
        Some(moment.since(ours?).as_secs_f64() - time.duration_since(told).as_secs_f64())
    };
    let registered = difference("node-registered", shown.registered);
    let ready = difference("node-ready", shown.ready);
    Ok(Account { anatomy, registered, ready })
}

impl Run {
    /// Everything about the run.
    pub fn json(&self) -> Value {
        let seconds = |duration: Duration| duration.as_secs_f64();
        json!({
            "contender": self.contender,
            "floor": self.floor,
            "round": self.round,
            "busy": self.busy,
            "seconds": {
                "containerd_socket": self.socket.map(seconds),
                "credentials": self.credentials.map(seconds),
                "kubelet_exec": self.kubelet.map(seconds),
                "registered": self.registered.map(seconds),
                "ready": seconds(self.ready),
            },
            "processor_seconds": {
                "command": seconds(self.command_cpu),
                "machine_until_ready": seconds(self.machine_cpu),
            },
            "processes": {"machine_until_ready": self.processes, "command": self.by_command},
            "manager_reloads": self.reloads,
            "processors_used_by_others": self.others,
            "anatomy": self.account.as_ref().map(|account| &account.anatomy),
            "anatomy_minus_watch_seconds": self.account.as_ref().map(|account| json!({
                "registered": account.registered,
                "ready": account.ready,
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_shell_are_read() {
        assert_eq!(shell_time("1m0.012s"), Some(Duration::from_millis(60_012)));
        assert_eq!(shell_time("0.012"), None);
    }
}
