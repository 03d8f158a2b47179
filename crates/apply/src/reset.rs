//! Takes back everything that attempts did, in an order in which nothing is pulled away from under something else.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_host::{Exit, Host, Program};
use slipway_model::{Secret, Verb};

use crate::attempt::{ApplyError, Problem};
use crate::home;
use crate::install;
use crate::ledger::{Entry, Ledger, Place};
use crate::ops::kernel;
use crate::ops::swap::is_on;
use crate::ops::traces::LINKS;
use crate::traces;
use crate::tree::beside;
use crate::undo::{Item, Undone, items};
use crate::watcher::{Event, Watcher};

/// How long a unit has to stop or start, and a program to take back what another did.
const PATIENCE: Duration = Duration::from_secs(90);

/// The unit of the service that goes on with what was cut short.
const KEEPER: &str = "slipway-flex.service";

const IP: &str = "/sbin/ip";
/// What shows a firewall's rules, and what changes them.
const FIREWALLS: [(&str, &str); 2] = [
    ("/usr/sbin/iptables-save", "/usr/sbin/iptables-restore"),
    ("/usr/sbin/ip6tables-save", "/usr/sbin/ip6tables-restore"),
];
/// The slice of all pods.
const PODS: &str = "kubepods.slice";

/// How a reset is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResetOptions {
    /// Also what someone else changed since goes back to what it was before.
    pub force: bool,
    /// Only says what it would do.
    pub dry_run: bool,
}

/// What a reset did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResetReport {
    /// What was put back, in the order in which it was.
    pub undone: Vec<String>,
    /// What was left as it is.
    pub kept: Vec<Kept>,
    /// What could not be put back. The record stays, so that another reset can try again.
    pub failed: Vec<Kept>,
}

/// Something that a reset leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// What it is about.
    pub what: String,
    /// Why it is left.
    pub why: String,
}

/// Puts the machine back to what it was before the first attempt.
///
/// What someone else changed since is kept and named, unless `force` says otherwise. Killed at any moment and run again,
/// it comes to the same end. Whoever calls holds the lock.
pub fn reset(host: &dyn Host, options: ResetOptions, watch: &dyn Watcher) -> Result<ResetReport, ApplyError> {
    let state = |source| ApplyError::State { path: home::LEDGER.into(), source };
    if !options.dry_run {
        home::sweep(host).map_err(state)?;
    }
    if !home::exists(host).map_err(state)? {
        return Ok(ResetReport::default());
    }
    let entries = Ledger::open(host).map_err(state)?.entries();
    let mut reset = Reset { host, options, watch, report: ResetReport::default() };
    if host.is_live() {
        reset.programs(&entries);
        reset.stop(&entries);
        reset.mounts(&entries);
        reset.settings(&entries);
    }
    if !options.dry_run
        && let Err(error) = sweep(host, &entries)
    {
        reset.fail("temporary files", &error);
    }
    let items = items(&entries);
    let keeper: Vec<PathBuf> =
        items.iter().map(|item| item.path().to_owned()).filter(|path| path.ends_with(KEEPER)).collect();
    // Who goes on after a power cut is there until there is nothing left to go on with.
    let is_last = |item: &Item| keeper.iter().any(|path| path.starts_with(item.path()));
    let (last, first): (Vec<Item>, Vec<Item>) = items.into_iter().rev().partition(is_last);
    for item in first.into_iter().chain(last) {
        let what = item.path().display().to_string();
        let undone = item.undo(host, options);
        reset.take(what, undone);
    }
    if host.is_live() {
        reset.reload(&entries);
        reset.revive(&entries);
        reset.swaps(&entries);
    }
    if reset.report.failed.is_empty() && !options.dry_run {
        let made = entries.iter().find_map(|entry| match entry {
            Entry::Home { made } => Some(made.clone()),
            _ => None,
        });
        host.sync().and_then(|()| home::remove(host, &made.unwrap_or_default())).map_err(state)?;
    }
    Ok(reset.report)
}

/// Removes what a crash left under the names of things in the making.
pub(crate) fn sweep(host: &dyn Host, entries: &[Entry]) -> io::Result<()> {
    let mut paths: BTreeSet<&Path> = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Path { path, .. } | Entry::Fetched { path, .. } => {
                paths.insert(path);
            }
            Entry::Moved { from, to, .. } => paths.extend([from.as_path(), to.as_path()]),
            _ => {}
        }
    }
    paths.into_iter().try_for_each(|path| home::clear(host, &beside(path)))
}

/// Of each unit, of each service's traces and of each image, the first entry: it knows what was there before Slipway.
fn firsts(entries: &[Entry]) -> Vec<&Entry> {
    let mut seen = BTreeSet::new();
    let mut firsts = Vec::new();
    for entry in entries {
        let name = match entry {
            Entry::Unit { name, .. } => ("unit", name),
            Entry::Traces { unit, .. } => ("traces", unit),
            Entry::Image { name, .. } => ("image", name),
            _ => continue,
        };
        if seen.insert(name) {
            firsts.push(entry);
        }
    }
    firsts
}

/// Whether nobody listens at a socket.
fn is_silent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

/// Runs a program that must succeed, and gives what it printed.
fn run(host: &dyn Host, program: &Program) -> io::Result<String> {
    let ended = host.run(program)?;
    match ended.exit {
        Exit::Code(0) => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
        exit => Err(io::Error::other(format!("{} ended with {exit:?}", program.path.display()))),
    }
}

struct Reset<'a> {
    host: &'a dyn Host,
    options: ResetOptions,
    watch: &'a dyn Watcher,
    report: ResetReport,
}

impl Reset<'_> {
    fn programs(&mut self, entries: &[Entry]) {
        for entry in entries.iter().rev() {
            let Entry::Program { path, arguments } = entry else { continue };
            let program =
                Program { path: path.clone(), arguments: arguments.clone(), input: None, within: PATIENCE };
            let undone = self.act(|host| run(host, &program).map(drop));
            self.take(path.display().to_string(), undone);
        }
    }

    /// Before files go back, what did not run stops, in the opposite order of its start, and what it left goes with it.
    fn stop(&mut self, entries: &[Entry]) {
        for entry in firsts(entries).into_iter().rev() {
            match entry {
                Entry::Unit { name, ran: false, verb: Verb::Start | Verb::Restart } => {
                    self.job(name, Verb::Stop);
                }
                Entry::Traces { places, pods, links, chains, .. } => {
                    self.pods(pods.as_deref());
                    self.places(places, &traces::made(entries));
                    for link in links {
                        self.link(link);
                    }
                    self.chains(chains);
                }
                Entry::Image { socket, name } => self.image(socket, name),
                _ => {}
            }
        }
    }

    /// When files are back, what ran runs again as it did.
    fn revive(&mut self, entries: &[Entry]) {
        for entry in firsts(entries).into_iter().rev() {
            match entry {
                Entry::Unit { name, ran: true, verb: Verb::Stop } => self.job(name, Verb::Start),
                Entry::Unit { name, ran: true, verb: verb @ (Verb::Restart | Verb::Reload) } => {
                    self.job(name, *verb);
                }
                _ => {}
            }
        }
    }

    fn job(&mut self, name: &str, verb: Verb) {
        let undone = self.host.unit(name).and_then(|unit| {
            // One that has failed would stay in the manager's list after its file is gone.
            let has_ended = !unit.runs() && unit.active != "failed";
            if !unit.exists || (verb == Verb::Stop && has_ended) {
                return Ok(Undone::Nothing);
            }
            self.act(|host| host.job(name, verb, Some(PATIENCE)))
        });
        self.take(name.to_owned(), undone);
    }

    /// A runtime that is not there has no pods that run: they would have kept their slice.
    fn pods(&mut self, socket: Option<&Path>) {
        let Some(socket) = socket else { return };
        let pods = match self.host.pods(socket) {
            Err(error) if is_silent(&error) && !self.has_running_pods() => return,
            Err(error) => return self.fail("pods", &error),
            Ok(pods) => pods,
        };
        for pod in pods {
            let undone = self.act(|host| host.remove_pod(socket, &pod));
            self.take(format!("pod {}", pod.name), undone);
        }
    }

    /// A runtime that does not run keeps what it has.
    fn image(&mut self, socket: &Path, name: &str) {
        let undone = match self.host.has_image(socket, name) {
            Ok(false) => Ok(Undone::Nothing),
            Ok(true) => self.act(|host| host.remove_image(socket, name)),
            Err(error) if is_silent(&error) => {
                Ok(Undone::Kept("the container runtime does not run".to_owned()))
            }
            Err(error) => Err(error),
        };
        self.take(format!("image {name}"), undone);
    }

    /// Areas that were in use are again, when the table and the units that name them are back.
    fn swaps(&mut self, entries: &[Entry]) {
        for entry in entries {
            let Entry::Swap { swap } = entry else { continue };
            let undone = is_on(self.host, &swap.path).and_then(|on| {
                if on {
                    return Ok(Undone::Nothing);
                }
                if self.host.entry(&swap.path)?.is_none() {
                    return Ok(Undone::Kept("it is not there any more".to_owned()));
                }
                self.act(|host| host.swap_on(swap, PATIENCE))
            });
            self.take(format!("swap {}", swap.path.display()), undone);
        }
    }

    fn has_running_pods(&self) -> bool {
        self.host.runs(PODS).is_ok_and(|runs| runs)
    }

    fn places(&mut self, places: &[Place], ours: &BTreeSet<&Path>) {
        for place in places {
            match traces::left(self.host, place, ours) {
                Err(error) => self.fail(&place.path.display().to_string(), &error),
                Ok(left) => {
                    for path in left {
                        let undone = self.act(|host| traces::remove(host, &path));
                        self.take(path.display().to_string(), undone);
                    }
                }
            }
        }
    }

    fn link(&mut self, name: &str) {
        let arguments = ["link", "delete", name].map(str::to_owned).to_vec();
        let program = Program { path: IP.into(), arguments, input: None, within: PATIENCE };
        let undone = self.host.entry(&Path::new(LINKS).join(name)).and_then(|link| match link {
            None => Ok(Undone::Nothing),
            Some(_) => self.act(|host| run(host, &program).map(drop)),
        });
        self.take(format!("network link {name}"), undone);
    }

    fn chains(&mut self, beginnings: &[String]) {
        for (save, restore) in FIREWALLS.iter().filter(|_| !beginnings.is_empty()) {
            let undone = self.host.entry(Path::new(save)).and_then(|there| {
                if there.is_none() {
                    return Ok(Undone::Nothing);
                }
                let look =
                    Program { path: save.into(), arguments: Vec::new(), input: None, within: PATIENCE };
                let saved = run(self.host, &look)?;
                let Some(removal) = traces::removal(&saved, beginnings) else { return Ok(Undone::Nothing) };
                let arguments = ["--wait=60", "--noflush"].map(str::to_owned).to_vec();
                let input = Some(Secret::new(removal));
                let program = Program { path: restore.into(), arguments, input, within: PATIENCE };
                self.act(|host| run(host, &program).map(drop))
            });
            self.take(format!("firewall chains of pods ({restore})"), undone);
        }
    }

    fn mounts(&mut self, entries: &[Entry]) {
        let paths: BTreeSet<&PathBuf> = entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Mount { path } => Some(path),
                _ => None,
            })
            .collect();
        for path in paths.into_iter().rev() {
            let undone = self.host.is_mount_point(path).and_then(|mounted| {
                if mounted { self.act(|host| host.unmount(path)) } else { Ok(Undone::Nothing) }
            });
            self.take(format!("mount of {}", path.display()), undone);
        }
    }

    fn settings(&mut self, entries: &[Entry]) {
        let mut settings: Vec<(&PathBuf, &String, Vec<&String>)> = Vec::new();
        for entry in entries {
            let Entry::Setting { path, was, leaves } = entry else { continue };
            match settings.iter_mut().find(|(known, ..)| *known == path) {
                Some((_, _, all)) => all.push(leaves),
                None => settings.push((path, was, vec![leaves])),
            }
        }
        for (path, was, leaves) in settings.into_iter().rev() {
            let undone = self.host.setting(path).and_then(|now| match now.map(|now| kernel::current(&now)) {
                None => Ok(Undone::Nothing),
                Some(now) if now == *was => Ok(Undone::Nothing),
                Some(now) if leaves.contains(&&now) || self.options.force => {
                    self.act(|host| host.set_setting(path, was))
                }
                Some(_) => Ok(Undone::Kept("someone changed it since".to_owned())),
            });
            self.take(path.display().to_string(), undone);
        }
    }

    fn reload(&mut self, entries: &[Entry]) {
        let in_units = |path: &Path| install::DIRECTORIES.iter().any(|directory| path.starts_with(directory));
        if entries.iter().any(|entry| matches!(entry, Entry::Path { path, .. } if in_units(path))) {
            let undone = self.act(|host| host.reload_units());
            self.take("unit files".to_owned(), undone);
        }
    }

    fn act(&self, act: impl FnOnce(&dyn Host) -> io::Result<()>) -> io::Result<Undone> {
        if !self.options.dry_run {
            act(self.host)?;
        }
        Ok(Undone::Done)
    }

    fn take(&mut self, what: String, undone: io::Result<Undone>) {
        match undone {
            Ok(Undone::Nothing) => {}
            Ok(Undone::Done) => {
                self.watch.saw(&Event::Undone { what: &what });
                self.report.undone.push(what);
            }
            Ok(Undone::Kept(why)) => self.report.kept.push(Kept { what, why }),
            Err(error) => self.fail(&what, &error),
        }
    }

    fn fail(&mut self, what: &str, error: &io::Error) {
        let why = Problem::system(what, error).found;
        self.report.failed.push(Kept { what: what.to_owned(), why });
    }
}
