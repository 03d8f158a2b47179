//! What the tests are made of: plans, a scripted outside, throw-away roots, trees to compare.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use slipway_apply::{
    Attempt, Options, Outside, Patience, Problem, ReadyOrder, ResetOptions, ResetReport, Unwatched,
};
use slipway_host::{EntryKind, Host, Machine, Writer};
use slipway_model::{Attributes, ExitReason, Secret, Sources, Verb};
use slipway_plan::{
    Action, Artifact, Content, Directory, File, Link, OnFailure, Op, Plan, Remove, Stage, Step, StepId,
    TlsBootstrap, Unit,
};

/// A step that fails the attempt if it fails.
pub(crate) fn step(id: &'static str, needs: &[&'static str], actions: Vec<Action>) -> Step {
    Step {
        id: StepId(id),
        title: id,
        needs: needs.iter().map(|need| StepId(need)).collect(),
        stage: Stage::Join,
        on_failure: OnFailure::Fail(ExitReason::UnitStart),
        within: Duration::from_secs(20),
        sources: Sources::none(),
        ops: actions.into_iter().map(|action| Op { action, sources: Sources::none() }).collect(),
    }
}

pub(crate) fn plan(steps: Vec<Step>) -> Plan {
    Plan::new(steps, Vec::new()).unwrap()
}

pub(crate) fn file(path: &str, mode: u32, text: &str) -> Action {
    let content = Content::Plain(text.to_owned());
    Action::File(File { path: path.into(), attributes: Attributes::root(mode), content })
}

pub(crate) fn secret(path: &str, text: &str) -> Action {
    let content = Content::Secret(Secret::from(text));
    Action::File(File { path: path.into(), attributes: Attributes::root(0o600), content })
}

pub(crate) fn directory(path: &str, mode: u32) -> Action {
    Action::Directory(Directory { path: path.into(), attributes: Attributes::root(mode) })
}

pub(crate) fn link(path: &str, target: &str) -> Action {
    Action::Link(Link { path: path.into(), target: target.into() })
}

pub(crate) fn remove(path: &str) -> Action {
    Action::Remove(Remove { path: path.into() })
}

pub(crate) fn unit(name: &str, verb: Option<Verb>, enabled: Option<bool>) -> Action {
    Action::Unit(Unit { name: name.to_owned(), verb, enabled, wait: None, required: true })
}

pub(crate) fn options(workers: usize) -> Options {
    Options { workers: NonZeroUsize::new(workers).unwrap(), ..Options::within(Duration::from_secs(30)) }
}

pub(crate) fn apply(plan: &Plan, host: &dyn Host) -> Attempt {
    slipway_apply::apply(plan, host, &Nowhere, &options(1), &Unwatched, &|| false).unwrap()
}

pub(crate) fn reset(host: &dyn Host) -> ResetReport {
    slipway_apply::reset(host, ResetOptions::default(), &Unwatched).unwrap()
}

/// Each step's name and the word for how it ended.
pub(crate) fn words(attempt: &Attempt) -> Vec<(&'static str, &'static str)> {
    attempt.steps.iter().map(|step| (step.id, step.outcome.word())).collect()
}

/// Everything on a host except Slipway's own record: kind, mode, owner, content, and when files changed.
pub(crate) fn tree(host: &dyn Host) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    walk(host, Path::new("/"), &mut all);
    all.retain(|path, _| !path.starts_with("/var/lib/slipway"));
    all
}

/// The same without times, and without the directories that only the record needs.
pub(crate) fn timeless(host: &dyn Host) -> BTreeMap<PathBuf, String> {
    let mut all = tree(host);
    all.retain(|path, _| !["/var", "/var/lib"].contains(&path.to_str().unwrap()));
    all.into_iter().map(|(path, text)| (path, text.split(" @").next().unwrap().to_owned())).collect()
}

fn walk(host: &dyn Host, directory: &Path, all: &mut BTreeMap<PathBuf, String>) {
    for name in host.list(directory).unwrap() {
        let path = directory.join(name);
        let entry = host.entry(&path).unwrap().unwrap();
        let Attributes { mode, uid, gid } = entry.attributes;
        let what = match entry.kind {
            EntryKind::Directory => "directory".to_owned(),
            EntryKind::Link => format!("-> {}", host.read_link(&path).unwrap().display()),
            EntryKind::File => {
                let text = String::from_utf8_lossy(&host.read(&path).unwrap()).into_owned();
                format!("{text:?} @{}.{}", entry.modified.seconds, entry.modified.nanoseconds)
            }
            EntryKind::Other => "other".to_owned(),
        };
        all.insert(path.clone(), format!("{mode:04o} {uid}:{gid} {what}"));
        if entry.kind == EntryKind::Directory {
            walk(host, &path, all);
        }
    }
}

/// A directory that goes away with the test, in memory where that is possible.
pub(crate) struct Root(pub(crate) PathBuf);

impl Root {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("slipway-apply-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn machine(&self) -> Machine {
        Machine::below(&self.0).unwrap()
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Writes a file with the directories above it, and an old time.
pub(crate) fn seed(host: &dyn Host, path: &str, mode: u32, text: &str) {
    let path = Path::new(path);
    let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
    above.reverse();
    for directory in above {
        if host.entry(directory).unwrap().is_none() {
            host.make_directory(directory, Attributes::root(0o755)).unwrap();
        }
    }
    host.create(path, Attributes::root(mode)).unwrap().write_all(text.as_bytes()).unwrap();
    let modified = slipway_host::Modified { seconds: 1_700_000_000, nanoseconds: 123_456_789 };
    host.set_modified(path, modified).unwrap();
}

/// An outside where nobody answers.
pub(crate) struct Nowhere;

impl Outside for Nowhere {
    fn fetch(
        &self,
        artifact: &Artifact,
        open: &mut dyn FnMut(&Path) -> io::Result<Box<dyn Writer>>,
        _patience: Patience<'_>,
    ) -> Result<(), Problem> {
        for (_, path) in &artifact.members {
            let written = open(path).and_then(|mut writer| writer.write_all(b"from the network"));
            written.map_err(|error| Problem::system(path.display().to_string(), &error))?;
        }
        if artifact.url.expose().contains("broken") {
            return Err(Problem::new("the artifact", "the connection broke"));
        }
        Ok(())
    }

    fn bootstrap(
        &self,
        _order: &TlsBootstrap,
        _ca: &[u8],
        _key: &Secret<String>,
        _patience: Patience<'_>,
    ) -> Result<String, Problem> {
        Err(Problem::new("the API server", "does not answer"))
    }

    fn wait_ready(&self, order: &ReadyOrder<'_>, patience: Patience<'_>) -> Result<(), Problem> {
        match patience.sleep(Duration::from_millis(if order.node == "late" { 60_000 } else { 30 })) {
            Ok(()) => Ok(()),
            Err(end) => Err(end.problem(format!("node {}", order.node))),
        }
    }

    fn reach(&self, _host: &str, _port: u16, _patience: Patience<'_>) -> Result<String, Problem> {
        Err(Problem::new("the host", "does not answer"))
    }
}
