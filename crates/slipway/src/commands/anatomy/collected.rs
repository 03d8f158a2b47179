//! Evidence that was collected from some node: a directory, or an archive of one.

use std::fs::{self, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use jiff::tz::{Offset, TimeZone};
use serde_json::Value;
use slipway_timeline::Evidence;
use slipway_timeline::evidence::Problem;

use crate::failure::Failure;
use crate::files;

/// What is larger is no list of files.
const LARGEST: u64 = 4 * 1024 * 1024;

/// How deep folders are looked into.
const DEEPEST: usize = 16;

/// An archive is read in pieces of this size.
const PIECE: usize = 64 * 1024;

/// What `slipway collect` says of what it took.
const CONTENTS: &str = "contents.json";

/// Everything that a directory or an archive tells. Times without a zone are in the machine's, where it says which that is,
/// and else in UTC, as AKS's nodes have it.
pub(super) fn evidence(path: &Path) -> Result<Evidence, Failure> {
    let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    let mut gathered = Gathered { evidence: Evidence::default(), files: 0, zone: TimeZone::UTC };
    if about.is_dir() {
        gathered.directory(path, "", 0);
    } else {
        gathered.archive(path)?;
    }
    if gathered.files == 0 {
        let found = "there is no file in it that tells of a node's start";
        return Err(Failure::input("no-evidence", format!("cannot use {}", path.display()), found)
            .with_hint(
                "give a directory with the node's logs and events, or a tar archive of one (gzip or plain)",
            ));
    }
    Ok(gathered.evidence)
}

struct Gathered {
    evidence: Evidence,
    files: usize,
    zone: TimeZone,
}

impl Gathered {
    /// Takes a file where it is of a kind that tells something.
    fn take(&mut self, name: &str, input: impl Read) {
        if Path::new(name).file_name() == Some(CONTENTS.as_ref()) {
            // It stands before everything that it is about.
            self.zone = zone(input).unwrap_or_else(|| self.zone.clone());
            return;
        }
        match Evidence::of_file(name, &self.zone, input) {
            Ok(Some(told)) => {
                self.files += 1;
                self.evidence.add(told);
            }
            Ok(None) => {}
            Err(error) => self.problem(name, &error),
        }
    }

    fn problem(&mut self, name: &str, error: &io::Error) {
        self.evidence.problems.push(Problem::new(name, None, format!("cannot be read: {error}")));
    }

    /// Takes the files of a directory, in order of their names. Links are not followed: they may lead out of it.
    fn directory(&mut self, path: &Path, name: &str, depth: usize) {
        let entries: io::Result<Vec<_>> = fs::read_dir(path).and_then(Iterator::collect);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.problem(name, &error),
        };
        entries.sort_by_key(|entry| (entry.file_name() != CONTENTS, entry.file_name()));
        for entry in entries {
            let own = entry.file_name();
            let own = own.to_string_lossy();
            let name = if name.is_empty() { own.into_owned() } else { format!("{name}/{own}") };
            let about = entry.metadata();
            if about.as_ref().is_ok_and(Metadata::is_dir) && depth < DEEPEST {
                self.directory(&entry.path(), &name, depth + 1);
            } else if about.is_ok_and(|about| about.is_file()) {
                match files::open(&entry.path()) {
                    Ok(file) => self.take(&name, file),
                    Err(failure) => self.problem(&name, &io::Error::other(failure.found)),
                }
            }
        }
    }

    /// Takes the files of an archive. One that is cut gives what was before the cut.
    fn archive(&mut self, path: &Path) -> Result<(), Failure> {
        let mut file = BufReader::with_capacity(PIECE, files::open(path)?);
        let head = file.fill_buf().map_err(|error| unreadable(path, &error))?;
        if head.starts_with(&[0x1f, 0x8b]) {
            self.entries(path, MultiGzDecoder::new(file));
        } else {
            self.entries(path, file);
        }
        Ok(())
    }

    fn entries(&mut self, path: &Path, input: impl Read) {
        let mut archive = tar::Archive::new(input);
        let name = path.display().to_string();
        let entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => return self.problem(&name, &error),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.problem(&name, &error),
            };
            if entry.header().entry_type().is_file() {
                let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                let name = name.trim_start_matches("./");
                self.take(name, entry);
            }
        }
    }
}

/// The zone in which the machine wrote its times: its distance from UTC, because names of zones need a database.
fn zone(contents: impl Read) -> Option<TimeZone> {
    let contents: Value = serde_json::from_reader(BufReader::new(contents.take(LARGEST))).ok()?;
    let seconds = i32::try_from(contents.get("utc_offset_seconds")?.as_i64()?).ok()?;
    Offset::from_seconds(seconds).ok().map(TimeZone::fixed)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::input("file-unreadable", format!("cannot read {}", path.display()), error)
        .with_hint("check the path and your permissions")
}
