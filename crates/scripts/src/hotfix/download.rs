//! `download-hotfix`: what the pointer file asks for, fetched and put in place.

use slipway_host as host;
use slipway_model::Mode;
use slipway_timeline::Record;

use super::packages::{Family, Packages};
use super::staging::{stage, verify};
use super::version::supersedes;
use super::{Patience, Places, Pointer, overrides};
use crate::report::Report;

/// Why there is no hotfix although one is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadFailure {
    /// The sentence.
    pub message: String,
    /// The exit code: the package manager's, or 1.
    pub exit_code: i32,
}

impl From<String> for DownloadFailure {
    fn from(message: String) -> Self {
        Self { message, exit_code: 1 }
    }
}

/// Applies the script overrides and stages the controller that the pointer file wants in place of the running version.
/// Overrides that cannot be applied are only warned about.
pub fn download_hotfix(
    running: &str,
    mode: Mode,
    places: &Places,
    patience: Patience,
    report: &Report,
) -> Result<(), DownloadFailure> {
    report.log(&Record::info("aks-node-controller hotfix download started"));
    let download = Download { running, mode, places, patience, report };
    let done = download.run();
    report.log(&match &done {
        Ok(()) => Record::info("aks-node-controller hotfix download finished"),
        Err(failure) => Record::error("aks-node-controller hotfix download failed")
            .with("error", failure.message.as_str()),
    });
    done
}

struct Download<'a> {
    running: &'a str,
    mode: Mode,
    places: &'a Places,
    patience: Patience,
    report: &'a Report,
}

/// What is said when a part of the pointer leads to nothing: nothing asked, versions that do not compare, not for us.
struct Skips {
    unasked: &'static str,
    incomparable: &'static str,
    untargeted: &'static str,
}

const SCRIPTS: Skips = Skips {
    unasked: "hotfix config does not request a scripts version for this base, skipping nodecustomdata apply",
    incomparable: "failed to compare versions, skipping nodecustomdata apply",
    untargeted: "CSE scripts version not targeted by hotfix, skipping nodecustomdata apply",
};

const BINARY: Skips = Skips {
    unasked: "hotfix config does not request a version for this base, skipping download",
    incomparable: "failed to compare versions, skipping hotfix download",
    untargeted: "ANC version not targeted by hotfix, skipping download",
};

impl Download<'_> {
    fn run(&self) -> Result<(), DownloadFailure> {
        let path = self.places.pointer();
        let pointer = match Pointer::read(&path) {
            Ok(pointer) => pointer,
            Err(error) => {
                let unreadable = "failed to read hotfix config, skipping hotfix download";
                self.report.log(
                    &Record::warn(unreadable).with("path", path.display().to_string()).with("error", error),
                );
                return Ok(());
            }
        };
        let scripts = pointer.scripts_version.trim();
        if self.is_wanted(scripts, &SCRIPTS) {
            self.apply_overrides(scripts);
        }
        let target = pointer.target(self.running);
        if self.is_wanted(target, &BINARY) { self.install(target) } else { Ok(()) }
    }

    /// Whether a version is asked for that supersedes the running one; says why not.
    fn is_wanted(&self, version: &str, skips: &Skips) -> bool {
        let record = match supersedes(version, self.running) {
            _ if version.is_empty() => Record::info(skips.unasked).with("current", self.running),
            Ok(true) => return true,
            Ok(false) => Record::info(skips.untargeted).with("current", self.running).with("hotfix", version),
            Err(error) => Record::warn(skips.incomparable)
                .with("current", self.running)
                .with("hotfix", version)
                .with("error", error),
        };
        self.report.log(&record);
        false
    }

    fn apply_overrides(&self, version: &str) {
        let path = self.places.overrides();
        let record = match overrides::apply(&path, self.mode) {
            Ok(count) => Record::info("applied nodecustomdata")
                .with("current", self.running)
                .with("hotfix", version)
                .with("files", count),
            Err(error) => Record::warn("failed to apply nodecustomdata").with("error", error),
        };
        self.report.log(&record.with("path", path.display().to_string()));
    }

    fn install(&self, version: &str) -> Result<(), DownloadFailure> {
        let staged = self.places.staged();
        if self.mode == Mode::Ours && host::exists(&staged) && verify(&staged, version).is_ok() {
            self.report
                .log(&Record::info("hotfix is staged already, skipping download").with("hotfix", version));
            return Ok(());
        }
        self.report.log(
            &Record::info("downloading ANC hotfix").with("current", self.running).with("target", version),
        );
        let Self { places, patience, mode, report, .. } = *self;
        let family = Family::detect(&places.os_release)?;
        Packages { places, patience, mode, report }.install(family, version)?;
        stage(places, version, mode)?;
        report.log(
            &Record::info("staged ANC hotfix")
                .with("target", version)
                .with("path", staged.display().to_string()),
        );
        Ok(())
    }
}
