//! `slipway collect`: what tells of this machine's start, in one archive that may be given away.

mod secrets;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use serde::Serialize;
use slipway_host::{Host, now, os_text};
use slipway_scripts::paths;
use slipway_timeline::{BOOT_UNITS, Scrubber, text};

use super::anatomy::live;
use crate::cli::Collect;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings, files};

const MIB: u64 = 1024 * 1024;

/// All files together are kept up to this; what comes after is named and left out.
const ALL: u64 = 64 * MIB;

/// What the archive says of itself, in its first file.
#[derive(Serialize)]
struct Contents {
    slipway: String,
    collected: Timestamp,
    /// How far the machine's clock on the wall is ahead of UTC: logs have times without a zone.
    utc_offset_seconds: i32,
    files: Vec<Kept>,
}

/// A file of the archive, or one that could not be had.
#[derive(Serialize)]
struct Kept {
    name: String,
    /// Its size on the machine.
    bytes: u64,
    /// How much of it was left out of its middle.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(crate) fn run(
    arguments: &Collect,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = &*around.host(&arguments.place)?;
    let local = now();
    let now = local.timestamp();
    let path = arguments.output.clone().unwrap_or_else(|| default_name(host, now));
    let mut gathered = Gathered {
        host,
        most: u64::from(arguments.most) * MIB,
        known: secrets::of(host),
        files: Vec::new(),
        kept: Vec::new(),
        room: ALL,
    };
    gathered.everything();
    let contents = Contents {
        slipway: around.version.to_owned(),
        collected: now,
        utc_offset_seconds: local.offset().seconds(),
        files: gathered.kept,
    };
    files::publish_private(&path, |file| archive(file, &contents, &gathered.files))?;
    let problems = contents.files.iter().filter(|file| file.problem.is_some()).count();
    screen.line(format_args!("{}: {} files, secrets removed", path.display(), gathered.files.len()));
    if problems > 0 {
        screen.warning(format_args!(
            "{problems} files could not be read, or not all of them; contents.json in it says why"
        ));
    }
    screen.line(format_args!("slipway anatomy --from {} shows what they tell", path.display()));
    Ok(Outcome::Done)
}

fn default_name(host: &dyn Host, now: Timestamp) -> PathBuf {
    let name = host.read(Path::new(paths::HOST_NAME)).map(|name| text(&name)).unwrap_or_default();
    let name: String = name.trim().chars().filter(|it| it.is_ascii_alphanumeric() || *it == '-').collect();
    let name = if name.is_empty() { "machine".to_owned() } else { name };
    PathBuf::from(format!("slipway-{name}-{}.tar.gz", now.strftime("%Y%m%dT%H%M%SZ")))
}

struct Gathered<'h> {
    host: &'h dyn Host,
    /// Of each file.
    most: u64,
    known: Vec<slipway_model::Secret<String>>,
    files: Vec<(String, String)>,
    kept: Vec<Kept>,
    /// How much still fits.
    room: u64,
}

impl Gathered<'_> {
    fn everything(&mut self) {
        let (files, missing) = live::files(self.host);
        for path in files {
            self.file(&path);
        }
        for (path, error) in missing {
            self.missing(path.to_string_lossy().trim_start_matches('/'), 0, os_text(&error));
        }
        if self.host.is_live() {
            self.printed("journal.jsonl", live::journal(self.host));
            self.systemctl("manager.txt", &[]);
            let units: Vec<&str> = BOOT_UNITS.iter().map(|(unit, _)| *unit).collect();
            self.systemctl("units.txt", &units);
        }
    }

    /// What the service manager says of these units, or of itself.
    fn systemctl(&mut self, name: &str, units: &[&str]) {
        let arguments = ["--no-pager", "show"].iter().chain(units).map(|&word| word.to_owned()).collect();
        self.printed(name, live::ask(self.host, "/usr/bin/systemctl", arguments));
    }

    /// Takes what a program printed, or its beginning and end.
    fn printed(&mut self, name: &str, asked: io::Result<live::Printed>) {
        let live::Printed { text: printed, problem } = match asked {
            Ok(printed) => printed,
            Err(error) => return self.missing(name, 0, os_text(&error)),
        };
        let printed = &printed[..];
        let (bytes, most) = (printed.len() as u64, self.most.min(self.room));
        if bytes > most {
            let half = usize::try_from(most / 2).unwrap_or(usize::MAX);
            self.keep_ends(name, bytes, &printed[..half], &printed[printed.len() - half..]);
        } else if bytes > 0 {
            self.keep(name, bytes, 0, &[printed]);
        }
        match self.kept.last_mut().filter(|kept| kept.name == name) {
            Some(kept) => kept.problem = problem,
            None => problem.into_iter().for_each(|problem| self.missing(name, 0, problem)),
        }
    }

    fn missing(&mut self, name: &str, bytes: u64, problem: String) {
        self.kept.push(Kept { name: name.to_owned(), bytes, left_out: 0, problem: Some(problem) });
    }

    /// Takes a file's beginning and end, or all of it; one that is not there tells nothing.
    fn file(&mut self, path: &Path) {
        let Ok(Some(entry)) = self.host.entry(path) else { return };
        let name = path.to_string_lossy();
        let name = name.trim_start_matches('/');
        let bytes = entry.size;
        let most = self.most.min(self.room);
        let half = usize::try_from(most / 2).unwrap_or(usize::MAX);
        let kept = if bytes <= most {
            self.host.read(path).map(|content| self.keep(name, bytes, 0, &[&content]))
        } else {
            let first = self.host.read_part(path, 0, half);
            let last = self.host.read_part(path, bytes - most / 2, half);
            first.and_then(|first| Ok((first, last?))).map(|(first, last)| {
                self.keep_ends(name, bytes, &first, &last);
            })
        };
        if let Err(error) = kept {
            self.missing(name, bytes, os_text(&error));
        }
    }

    /// Keeps the whole lines of a beginning and an end: half a secret would not be known as one.
    fn keep_ends(&mut self, name: &str, bytes: u64, first: &[u8], last: &[u8]) {
        let is_end = |byte: &u8| *byte == b'\n';
        let first = &first[..first.iter().rposition(is_end).map_or(0, |at| at + 1)];
        let last = &last[last.iter().position(is_end).map_or(last.len(), |at| at + 1)..];
        let left_out = bytes - (first.len() + last.len()) as u64;
        self.keep(name, bytes, left_out, &[first, last]);
    }

    /// Keeps parts of a file. Each is cleaned for itself: a private key that one begins may end in what is left out.
    fn keep(&mut self, name: &str, bytes: u64, left_out: u64, parts: &[&[u8]]) {
        let mut clean = String::new();
        for part in parts {
            let mut scrubber = Scrubber::knowing(self.known.iter().map(|it| it.expose().as_str().into()));
            for line in text(part).lines().filter_map(|line| scrubber.line(line)) {
                clean.push_str(&line);
                clean.push('\n');
            }
        }
        self.room = self.room.saturating_sub(clean.len() as u64);
        self.files.push((name.to_owned(), clean));
        self.kept.push(Kept { name: name.to_owned(), bytes, left_out, problem: None });
    }
}

fn archive(file: impl Write, contents: &Contents, files: &[(String, String)]) -> io::Result<()> {
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::default()));
    let about = serde_json::to_string_pretty(contents).map_err(io::Error::other)?;
    for (name, content) in
        std::iter::once((&"contents.json".to_owned(), &about)).chain(files.iter().map(|it| (&it.0, &it.1)))
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(contents.collected.as_second()).unwrap_or(0));
        archive.append_data(&mut header, name, content.as_bytes())?;
    }
    archive.into_inner()?.finish()?.flush()
}

#[cfg(test)]
mod tests {
    use slipway_host::Recorded;

    use super::*;

    #[test]
    fn what_a_program_printed_is_kept_with_a_word_about_what_is_missing() {
        let host = Recorded::live()
            .with_program("/usr/bin/journalctl", 0, &"a line of the journal\n".repeat(1_000_000))
            .with_program("/usr/bin/systemctl", 1, "Id=kubelet.service\n");
        let mut gathered = Gathered {
            host: &host,
            most: MIB,
            known: Vec::new(),
            files: Vec::new(),
            kept: Vec::new(),
            room: ALL,
        };
        gathered.everything();
        let said: Vec<(&str, u64, Option<&str>)> = gathered
            .kept
            .iter()
            .map(|kept| (kept.name.as_str(), kept.bytes, kept.problem.as_deref()))
            .collect();
        let failed = Some("/usr/bin/systemctl failed: no reason given");
        assert_eq!(
            said,
            [
                ("journal.jsonl", 16 * MIB, Some("more than 16 MiB: what comes after is missing")),
                ("manager.txt", 19, failed),
                ("units.txt", 19, failed),
            ]
        );
    }
}
