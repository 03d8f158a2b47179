//! A contract on a machine that has been lived in, and the real process at work on it.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use serde_json::Value;

use crate::tree::{Tree, What};

/// `slipway`, on a host where things go wrong.
static BINARY: LazyLock<PathBuf> = LazyLock::new(slipway_peers::binary::faulty);

const RESULT: &str = "var/log/azure/aks/provision.json";
/// The file that says that an attempt has ended.
pub(crate) const SENTINEL: &str = "/opt/azure/containers/provision.complete";

/// What is provisioned, and on what.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) contract: &'static str,
    pub(crate) facts: &'static str,
    /// The machine before.
    pub(crate) before: Tree,
    /// How it is after an undisturbed attempt.
    pub(crate) after: Tree,
    /// How the steps end in one.
    pub(crate) steps: Vec<(String, String)>,
    /// What an undisturbed attempt does.
    pub(crate) operations: Vec<String>,
}

/// A directory that stands for the machine, in memory where that is possible. It is gone when this is dropped.
pub(crate) struct Root(PathBuf);

/// A process that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; none, if it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Root {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("slipway-crash-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join("root")).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.join("root")
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path.trim_start_matches('/'))
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::read(&self.path())
    }

    /// The result, if there is one; a part of one is a panic.
    pub(crate) fn result(&self) -> Option<Value> {
        let text = fs::read(self.path().join(RESULT)).ok()?;
        Some(serde_json::from_slice(&text).expect("a result is whole"))
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.at(SENTINEL).exists()
    }

    /// The operations of the last process that came to an end.
    pub(crate) fn operations(&self) -> Vec<String> {
        let text = fs::read_to_string(self.0.join("operations")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Runs `slipway` on this machine.
    pub(crate) fn run(&self, arguments: &[&str], fault: Option<&str>, workers: usize) -> Ended {
        let operations = self.0.join("operations");
        let _ = fs::remove_file(&operations);
        let mut command = Command::new(BINARY.as_path());
        command.args(arguments).arg("--root").arg(self.path()).stdin(Stdio::null());
        command.env("OPERATIONS", operations).env("WORKERS", workers.to_string()).env_remove("SLIPWAY_ROOT");
        match fault {
            Some(fault) => command.env("FAULT", fault),
            None => command.env_remove("FAULT"),
        };
        let output = command.output().unwrap();
        let signal = output.status.signal();
        assert!(signal.is_none_or(|signal| signal == 9), "{fault:?}: {}", output.status);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs `slipway reset`.
    pub(crate) fn reset(&self, fault: Option<&str>) -> Ended {
        self.run(&["reset"], fault, 1)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Case {
    /// A case, with what an undisturbed attempt makes of it.
    pub(crate) fn new(
        name: &'static str,
        contract: &'static str,
        facts: &'static str,
        before: impl FnOnce(&Self) -> Tree,
    ) -> Self {
        let mut case = Self {
            name,
            contract,
            facts,
            before: Tree::default(),
            after: Tree::default(),
            steps: Vec::new(),
            operations: Vec::new(),
        };
        // What is managed is known from an attempt on an empty machine.
        case.settle();
        case.before = before(&case);
        case.settle();
        case
    }

    fn settle(&mut self) {
        let root = self.root();
        let ended = self.provision(&root, None);
        assert_eq!(ended.code, Some(0), "{}: {}", self.name, ended.stderr);
        self.operations = root.operations();
        self.after = root.tree().lasting();
        self.steps = steps(&root.result().unwrap());
        let bad = self.steps.iter().find(|(_, outcome)| !["well", "skipped"].contains(&outcome.as_str()));
        assert_eq!(bad, None, "{}", ended.stderr);
    }

    /// The machine before anything.
    pub(crate) fn root(&self) -> Root {
        let root = Root::new();
        self.before.write(&root.path());
        root
    }

    /// Runs `slipway provision` with one worker.
    pub(crate) fn provision(&self, root: &Root, fault: Option<&str>) -> Ended {
        self.command(root, "provision", fault, 1)
    }

    /// Runs a command that takes a contract.
    pub(crate) fn command(&self, root: &Root, command: &str, fault: Option<&str>, workers: usize) -> Ended {
        self.command_with(root, &[command], fault, workers)
    }

    /// The same with more arguments.
    pub(crate) fn with(&self, root: &Root, arguments: &[&str]) -> Ended {
        self.command_with(root, arguments, None, 1)
    }

    fn command_with(&self, root: &Root, given: &[&str], fault: Option<&str>, workers: usize) -> Ended {
        let (contract, facts) = (here(self.contract), here(self.facts));
        let more = ["--provision-config", contract.to_str().unwrap(), "--facts", facts.to_str().unwrap()];
        root.run(&[given, &more].concat(), fault, workers)
    }

    /// Whether the machine is as after an undisturbed attempt, the result included.
    pub(crate) fn is_made(&self, root: &Root) -> Result<(), String> {
        let tree = root.tree();
        if let Some(difference) = self.after.difference(&tree.lasting()) {
            return Err(format!("the machine is another one:\n    {difference}"));
        }
        let unfinished = tree.0.keys().find(|path| path.contains("slipway-new"));
        if let Some(path) = unfinished {
            return Err(format!("{path} is left over"));
        }
        let result = root.result().ok_or("there is no result")?;
        let expected = (Some("0"), Some(""), &self.steps);
        let found = (result["ExitCode"].as_str(), result["Error"].as_str(), &steps(&result));
        if found != expected {
            return Err(format!("the result is another one: {result}"));
        }
        if root.is_complete() { Ok(()) } else { Err("the sentinel is missing".to_owned()) }
    }

    /// Provisions undisturbed, after whatever went wrong before; the end has to be the same.
    pub(crate) fn is_made_good(&self, root: &Root) -> Result<(), String> {
        let ended = self.provision(root, None);
        match ended.code {
            Some(0) => self.is_made(root),
            _ => Err(format!("the next attempt fails: {}", ended.stderr)),
        }
    }
}

/// Resets undisturbed; the machine has to be the one before.
pub(crate) fn is_undone(root: &Root, before: &Tree) -> Result<(), String> {
    let ended = root.reset(None);
    let clean = ended.stdout.contains(", 0 kept, 0 failed\n") || ended.stdout == "nothing to undo\n";
    if ended.code != Some(0) || !clean {
        return Err(format!("the reset does not undo all: {}{}", ended.stdout, ended.stderr));
    }
    match before.difference(&root.tree().without_logs()) {
        None => Ok(()),
        Some(difference) => Err(format!("the reset leaves another machine:\n    {difference}")),
    }
}

/// How steps ended, whether or not there was something to change.
pub(crate) fn steps(result: &Value) -> Vec<(String, String)> {
    let word = |step: &Value, name: &str| step[name].as_str().unwrap_or_default().to_owned();
    let all = result["Steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let one = |step: &Value| match word(step, "outcome").as_str() {
        "done" | "unchanged" => (word(step, "id"), "well".to_owned()),
        other => (word(step, "id"), other.to_owned()),
    };
    all.iter().map(one).collect()
}

/// A file of the repository.
fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Tries all of these, as many at once as there are processors; what failed is told at the end.
pub(crate) fn all<T: Sync + std::fmt::Display>(items: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = check(item) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{item}: {why}"));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), items.len(), some(&failed));
}

/// Ten of them, from everywhere.
fn some(failed: &[String]) -> String {
    failed.iter().step_by(failed.len().div_ceil(10)).cloned().collect::<Vec<_>>().join("\n")
}

/// The content of a file in a tree.
pub(crate) fn content<'a>(tree: &'a Tree, path: &str) -> Option<&'a [u8]> {
    match &tree.0.get(path)?.what {
        What::File(content) => Some(content),
        _ => None,
    }
}
