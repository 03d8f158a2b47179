//! Package managers: what they are told, and how long they are waited for.

use std::path::Path;
use std::thread;

use slipway_host::{self as host, Child, Ended, Exit, find_program, signal_name};
use slipway_model::Mode;
use slipway_timeline::{Record, text};

use super::download::DownloadFailure;
use super::{PACKAGE, Patience, Places, path_error};
use crate::report::Report;

/// Who installs packages here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// apt and dpkg.
    Debian,
    /// dnf, or its small sister tdnf.
    Rpm,
}

/// The distributions that have the package.
const FAMILIES: [(&str, Family); 3] =
    [("ubuntu", Family::Debian), ("azurelinux", Family::Rpm), ("mariner", Family::Rpm)];

impl Family {
    /// By the first `ID=` line of the file that says which distribution this is.
    pub(super) fn detect(os_release: &Path) -> Result<Self, String> {
        let release = host::read_text(os_release).map_err(|error| path_error("open", os_release, &error))?;
        let id = release.lines().find_map(|line| line.strip_prefix("ID="));
        let id = id.map(|id| id.trim().replace('"', "").to_lowercase()).unwrap_or_default();
        let family = FAMILIES.iter().find(|(name, _)| *name == id);
        family.map(|(_, family)| *family).ok_or_else(|| format!("unsupported OS: {id}"))
    }
}

/// The package managers of one machine.
pub(super) struct Packages<'a> {
    pub(super) places: &'a Places,
    pub(super) patience: Patience,
    pub(super) mode: Mode,
    pub(super) report: &'a Report,
}

/// A command line, and whether its output is for us or for whoever started us.
struct Line<'a> {
    program: &'a str,
    arguments: Vec<String>,
    quiet: bool,
}

fn line<'a>(program: &'a str, arguments: &[&str]) -> Line<'a> {
    Line {
        program,
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        quiet: false,
    }
}

impl Packages<'_> {
    /// Installs the package in a version.
    pub(super) fn install(&self, family: Family, version: &str) -> Result<(), DownloadFailure> {
        match family {
            Family::Debian => self.install_deb(version),
            Family::Rpm => {
                let program = if self.find("dnf").is_ok() { "dnf" } else { "tdnf" };
                let package = format!("{PACKAGE}-{version}");
                self.run(&line(program, &["install", "-y", "--refresh", "--allowerasing", &package]))
                    .map(drop)
            }
        }
    }

    fn install_deb(&self, version: &str) -> Result<(), DownloadFailure> {
        let source = ["microsoft-prod.list", "microsoft-prod.sources"]
            .iter()
            .map(|name| self.places.apt_sources.join(name))
            .find(|path| host::exists(path))
            .ok_or_else(|| {
                let directory = self.places.apt_sources.display();
                format!("no microsoft-prod.list or microsoft-prod.sources in {directory}")
            })?;
        self.run(&line("dpkg", &["--configure", "-a", "--force-confdef", "--force-confold"]))?;
        let source = format!("Dir::Etc::sourcelist={}", source.display());
        let mut update = vec!["update", "-o", &source, "-o", "Dir::Etc::sourceparts=-"];
        if self.mode == Mode::Ours {
            // Without it, updating one source throws away the lists of all others.
            update.extend(["-o", "APT::Get::List-Cleanup=0"]);
        }
        update.extend(["-o", "Dpkg::Options::=--force-confold"]);
        self.run(&line("apt-get", &update))?;
        let package = match self.mode {
            Mode::Compat => format!("{PACKAGE}={version}*"),
            Mode::Ours => format!("{PACKAGE}={}", self.deb_version(version)?),
        };
        let install =
            ["install", "-y", "--allow-downgrades", "-o", "Dpkg::Options::=--force-confold", &package];
        self.run(&line("apt-get", &install)).map(drop)
    }

    /// The full version of the package in the repository. What is asked for is followed by nothing or by the
    /// distribution's suffix: `1` must not find `10`.
    fn deb_version(&self, version: &str) -> Result<String, DownloadFailure> {
        let listing = Line { quiet: true, ..line("apt-cache", &["madison", PACKAGE]) };
        let listing = text(&self.run(&listing)?.stdout);
        let available: Vec<&str> =
            listing.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
        let matching = available.iter().find(|available| {
            let suffix = available.strip_prefix(version);
            suffix.is_some_and(|suffix| {
                !suffix.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '.')
            })
        });
        matching.map(|version| (*version).to_owned()).ok_or_else(|| {
            let offer = if available.is_empty() { "none".to_owned() } else { available.join(", ") };
            format!("the package repository has no {PACKAGE} {version}; it has: {offer}").into()
        })
    }

    fn find(&self, program: &str) -> Result<std::path::PathBuf, String> {
        find_program(program, &self.places.search_path)
            .ok_or_else(|| format!("exec: \"{program}\": executable file not found in $PATH"))
    }

    /// Runs a command until it succeeds or patience ends.
    fn run(&self, line: &Line<'_>) -> Result<Ended, DownloadFailure> {
        let mut last = DownloadFailure::from(String::new());
        for attempt in 1..=self.patience.attempts {
            if attempt > 1 {
                thread::sleep(self.patience.pause);
            }
            match self.attempt(line) {
                Ok(ended) => return Ok(ended),
                Err(failure) => last = failure,
            }
            self.report.log(
                &Record::warn("package command failed")
                    .with("command", line.program)
                    .with("args", line.arguments.clone())
                    .with("attempt", attempt)
                    .with("maxRetries", self.patience.attempts)
                    .with("error", last.message.as_str()),
            );
        }
        let DownloadFailure { message, exit_code } = last;
        let attempts = self.patience.attempts;
        Err(DownloadFailure {
            message: format!("{} failed after {attempts} attempts: {message}", line.program),
            exit_code,
        })
    }

    fn attempt(&self, line: &Line<'_>) -> Result<Ended, DownloadFailure> {
        let child = Child::new(self.find(line.program)?, &line.arguments)
            .variable("DEBIAN_FRONTEND", "noninteractive")
            .within(self.patience.limit);
        let child = if line.quiet { child } else { child.passing_output() };
        let ended = child.run().map_err(|error| host::os_text(&error))?;
        match ended.exit {
            Exit::Code(0) => Ok(ended),
            Exit::Code(code) => {
                Err(DownloadFailure { message: format!("exit status {code}"), exit_code: code })
            }
            Exit::Signal(signal, _) => {
                let late = if ended.timed_out { " (it took too long)" } else { "" };
                // The peer exits with -1 then, which a shell sees as this.
                Err(DownloadFailure {
                    message: format!("signal: {}{late}", signal_name(signal)),
                    exit_code: 255,
                })
            }
        }
    }
}
