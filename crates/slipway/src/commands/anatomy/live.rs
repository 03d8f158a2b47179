//! The evidence of this machine: the files that tell of its start, its journal, and what the service manager knows.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_host::{Exit, Host, Program, now, os_text};
use slipway_scripts::paths;
use slipway_timeline::evidence::{JOURNAL_FIELDS, Kind, Problem};
use slipway_timeline::{Evidence, text};

use crate::native::boot;

/// What the journal of the machine's services is read with.
const JOURNALCTL: &str = "/usr/bin/journalctl";

/// Whose lines of it tell of a start.
const SELECTION: [&str; 9] = [
    "_PID=1",
    "+",
    "_SYSTEMD_UNIT=kubelet.service",
    "+",
    "_SYSTEMD_UNIT=containerd.service",
    "+",
    "SYSLOG_IDENTIFIER=cloud-init",
    "+",
    "SYSLOG_IDENTIFIER=aks-boothook",
];

/// Files that tell of a start.
const FILES: [&str; 10] = [
    "/var/lib/slipway/journal.jsonl",
    paths::RESULT,
    "/var/log/azure/cluster-provision.log",
    "/var/log/azure/cluster-provision-cse-output.log",
    "/var/log/azure/custom-script/handler.log",
    "/var/log/cloud-init.log",
    "/var/log/cloud-init-output.log",
    "/var/lib/cloud/data/status.json",
    "/var/log/waagent.log",
    "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/CommandExecution.log",
];

/// How long a program has to say what it knows.
const WITHIN: Duration = Duration::from_secs(10);

/// As much of what it says is kept: some fifty thousand lines of the journal.
const MOST: usize = 16 << 20;

/// Where the script extension keeps what its commands printed, a directory for each.
const DOWNLOADS: &str = "/var/lib/waagent/custom-script/download";

/// Everything that this machine tells of its start. What is not there tells nothing.
pub(super) fn evidence(host: &dyn Host) -> Evidence {
    let (files, missing) = files(host);
    let mut all: Evidence = files.iter().map(|path| file(host, path)).collect();
    all.problems.extend(missing.iter().map(|(path, error)| unreadable(path, error)));
    if host.is_live() {
        all.add(boot::moments(host).evidence());
        all.add(journaled(host));
    }
    all
}

/// What could not be read, and why.
type Missing = Vec<(PathBuf, io::Error)>;

/// The files that tell of a start, whether they are there or not; of those in directories, the ones that are. Then the
/// directories that cannot be looked into.
pub(crate) fn files(host: &dyn Host) -> (Vec<PathBuf>, Missing) {
    let mut missing = Missing::new();
    let mut inside = |directory: &Path| -> Vec<PathBuf> {
        match host.list(directory) {
            Ok(names) => names.into_iter().map(|name| directory.join(name)).collect(),
            Err(error) => {
                missing.extend(is_there(&error).then(|| (directory.to_owned(), error)));
                Vec::new()
            }
        }
    };
    let (downloads, events) = (inside(Path::new(DOWNLOADS)), inside(Path::new(paths::EVENTS)));
    let outputs = downloads.iter().flat_map(|at| ["stdout", "stderr"].map(|name| at.join(name)));
    (FILES.iter().map(PathBuf::from).chain(events).chain(outputs).collect(), missing)
}

/// Whether something that cannot be read is there.
fn is_there(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::NotFound
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(&path.to_string_lossy(), None, format!("cannot be read: {}", os_text(error)))
}

fn file(host: &dyn Host, path: &Path) -> Evidence {
    let content = Pieces { host, path, at: 0 };
    match Evidence::of_file(&path.to_string_lossy(), now().time_zone(), content) {
        Ok(told) => told.unwrap_or_default(),
        Err(error) => {
            let problem = is_there(&error).then(|| unreadable(path, &error));
            Evidence { problems: problem.into_iter().collect(), ..Evidence::default() }
        }
    }
}

/// A file of the machine, a piece at a time: a log may be larger than the memory that is left.
struct Pieces<'a> {
    host: &'a dyn Host,
    path: &'a Path,
    at: u64,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let piece = self.host.read_part(self.path, self.at, into.len())?;
        into[..piece.len()].copy_from_slice(&piece);
        self.at += piece.len() as u64;
        Ok(piece.len())
    }
}

/// What the machine's journal tells. One without a journal tells nothing.
fn journaled(host: &dyn Host) -> Evidence {
    const NAME: &str = "journal";
    let problem = |message: String| Problem::new(NAME, None, message);
    match journal(host) {
        Ok(Printed { text, problem: missing }) => {
            let mut told = Evidence::read(Kind::JournalJson, NAME, now().time_zone(), &mut Cursor::new(text));
            told.problems.extend(missing.map(problem));
            told
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Evidence::default(),
        Err(error) => Evidence { problems: vec![problem(os_text(&error))], ..Evidence::default() },
    }
}

/// What a program printed, and what is wrong with it.
pub(crate) struct Printed {
    pub(crate) text: Vec<u8>,
    pub(crate) problem: Option<String>,
}

/// Asks a program of the machine for all that it has to say.
pub(crate) fn ask(host: &dyn Host, path: &str, arguments: Vec<String>) -> io::Result<Printed> {
    let program = Program { path: path.into(), arguments, input: None, within: WITHIN };
    let ended = host.run_keeping(&program, MOST)?;
    let problem = if ended.timed_out {
        Some(format!("{path} had not printed all of it after {} s", WITHIN.as_secs()))
    } else if ended.cut {
        Some(format!("more than {} MiB: what comes after is missing", MOST >> 20))
    } else if ended.exit == Exit::Code(0) {
        None
    } else {
        let said = text(&ended.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
        Some(format!("{path} failed: {}", last.trim()))
    };
    Ok(Printed { text: ended.stdout, problem })
}

/// Lines of the present boot's journal, as JSON, with the fields that are looked at: with all of them, a busy first hour
/// has too many.
pub(crate) fn journal(host: &dyn Host) -> io::Result<Printed> {
    let mut arguments: Vec<String> =
        ["--boot", "--output=json", "--no-pager", "--quiet"].map(str::to_owned).to_vec();
    arguments.push(format!("--output-fields={}", JOURNAL_FIELDS.join(",")));
    let boot = host.boot_moments().ok().map(|boot| boot.userspace / 1_000_000).filter(|boot| *boot > 0);
    arguments.extend(boot.map(|boot| format!("--until=@{}", boot + 3_600)));
    arguments.extend(SELECTION.map(str::to_owned));
    ask(host, JOURNALCTL, arguments)
}

#[cfg(test)]
mod tests {
    use slipway_host::{MOST_OUTPUT, Recorded};
    use slipway_timeline::Anatomy;

    use super::*;

    /// A journal in which a node becomes Ready after this many bytes of other lines.
    fn journal_of(bytes: usize) -> String {
        let line = |second: usize, said: &str| {
            format!(
                "{{\"__REALTIME_TIMESTAMP\":\"{}\",\"__MONOTONIC_TIMESTAMP\":\"{}\",\"SYSLOG_IDENTIFIER\":\"kubelet\",\"MESSAGE\":\"I1115 08:00:{second:02}.000000 7 x.go:1] {said}\"}}\n",
                1_794_729_600_000_000 + second * 1_000_000,
                second * 1_000_000,
            )
        };
        let other = line(1, "Flag --address");
        let ready = line(9, "event=\\\"NodeReady\\\"");
        format!("{}{ready}", other.repeat(bytes / other.len()))
    }

    #[test]
    fn a_long_journal_is_read_to_its_end_and_one_that_is_too_long_is_said_to_be_cut() {
        let told = |bytes| {
            let host = Recorded::live().with_program(JOURNALCTL, 0, &journal_of(bytes));
            Anatomy::of(evidence(&host))
        };
        let long = told(2 * MOST_OUTPUT);
        assert!(
            long.milestones.contains_key("node-ready") && long.problems.is_empty(),
            "{:?}",
            long.problems
        );
        let cut = told(MOST + 1);
        let said: Vec<&str> = cut.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert!(said.contains(&"more than 16 MiB: what comes after is missing"), "{said:?}");
    }

    #[test]
    fn a_file_that_is_there_and_cannot_be_read_is_said() {
        let host = Recorded::below().with_files([("/var/log/waagent.log/x", "", 0o644)]);
        let problems = evidence(&host).problems;
        assert_eq!(problems.iter().map(|it| it.file.as_str()).collect::<Vec<_>>(), ["/var/log/waagent.log"]);
    }

    #[test]
    fn a_journal_that_cannot_be_asked_is_said_and_a_machine_without_one_is_not() {
        let host = Recorded::live().with_program(JOURNALCTL, 1, "");
        assert_eq!(evidence(&host).problems[0].message, "/usr/bin/journalctl failed: no reason given");
        assert_eq!(evidence(&Recorded::live()).problems, []);
    }
}
