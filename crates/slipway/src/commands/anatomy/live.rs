//! The evidence of this machine: the files that tell of its start, its journal, and what the service manager knows.

use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_host::{Host, Program, now};
use slipway_scripts::paths;
use slipway_timeline::Evidence;
use slipway_timeline::evidence::{HEAD, Kind};

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

/// A file is read in pieces of this size.
const PIECE: usize = 64 * 1024;

/// Where the script extension keeps what its commands printed, a directory for each.
const DOWNLOADS: &str = "/var/lib/waagent/custom-script/download";

/// Everything that this machine tells of its start. What is not there tells nothing.
pub(super) fn evidence(host: &dyn Host) -> Evidence {
    let mut all: Evidence = files(host).iter().filter_map(|path| file(host, path)).collect();
    if host.is_live() {
        all.add(boot::moments(host).evidence());
        let journal = journal(host);
        let mut lines = Cursor::new(journal);
        all.add(Evidence::read(Kind::JournalJson, "journal", now().time_zone(), &mut lines));
    }
    all
}

/// The files that tell of a start, whether they are there or not; of those in directories, the ones that are.
pub(crate) fn files(host: &dyn Host) -> Vec<PathBuf> {
    let inside = |directory: &Path| -> Vec<PathBuf> {
        let names = host.list(directory).unwrap_or_default();
        names.into_iter().map(|name| directory.join(name)).collect()
    };
    let downloads = inside(Path::new(DOWNLOADS));
    let outputs = downloads.iter().flat_map(|at| ["stdout", "stderr"].map(|name| at.join(name)));
    FILES.iter().map(PathBuf::from).chain(inside(Path::new(paths::EVENTS))).chain(outputs).collect()
}

fn file(host: &dyn Host, path: &Path) -> Option<Evidence> {
    let name = path.to_string_lossy();
    let mut content = BufReader::with_capacity(PIECE, Pieces { host, path, at: 0 });
    let head = content.fill_buf().ok()?;
    let kind = Kind::of(&name, head.get(..HEAD).unwrap_or(head))?;
    Some(Evidence::read(kind, &name, now().time_zone(), &mut content))
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

/// Lines of the present boot's journal, as JSON. A machine without a journal has none.
pub(crate) fn journal(host: &dyn Host) -> Vec<u8> {
    let mut arguments: Vec<String> =
        ["--boot", "--output=json", "--no-pager", "--quiet"].map(str::to_owned).to_vec();
    let boot = host.boot_moments().ok().map(|boot| boot.userspace / 1_000_000).filter(|boot| *boot > 0);
    arguments.extend(boot.map(|boot| format!("--until=@{}", boot + 3_600)));
    arguments.extend(SELECTION.map(str::to_owned));
    let program =
        Program { path: PathBuf::from(JOURNALCTL), arguments, input: None, within: Duration::from_secs(10) };
    host.run(&program).map(|ended| ended.stdout).unwrap_or_default()
}
