//! What repairs a machine: jobs on units, and the sibling `slipway` for everything that a plan is needed for.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_apply::{NodeCredential, credential_of_node};
use slipway_flex::keep::{Reason, Repair};
use slipway_host::{Child, Exit, Held, Host, Lock, os_text, unix_seconds};
use slipway_model::Verb;

use super::eye::KUBECONFIG;
use super::holder;

const KUBELET: &str = "kubelet.service";
/// Where a credential waits while another one is asked for.
const ASIDE: &str = "/var/lib/kubelet/.kubeconfig.slipway-aside";
/// How long a unit has to start.
const JOB_WITHIN: Duration = Duration::from_secs(90);
/// How long a command may take, with slow downloads and pods.
const COMMAND_WITHIN: Duration = Duration::from_mins(30);
/// What a join without the API server leaves out: to wait for it.
const OFFLINE: [&str; 9] = [
    "--yes",
    "--progress",
    "none",
    "--skip",
    "preflight",
    "--skip",
    "await-ready",
    "--skip",
    "probe-api-server",
];
/// What a command is told when nobody is there.
const UNASKED: [&str; 3] = ["--yes", "--progress", "none"];
/// What leaving is told when Azure has removed the machine: it has let the pods leave, and nobody is signed in here.
const DELETED: [&str; 5] = ["--yes", "--lose-pods", "--drain-timeout", "300", "--keep-azure"];
/// How much of a program's last words is kept.
const LAST_WORDS: usize = 600;

pub(super) struct Repairs<'a> {
    host: &'a dyn Host,
    slipway: PathBuf,
    config: PathBuf,
}

impl<'a> Repairs<'a> {
    pub(super) fn new(host: &'a dyn Host, slipway: PathBuf, config: &Path) -> Self {
        Self { host, slipway, config: config.to_owned() }
    }

    /// Repairs, or says why not.
    pub(super) fn perform(&self, repair: Repair, reason: Reason) -> Result<(), String> {
        match repair {
            Repair::Start(unit) => self.job(unit, Verb::Start),
            Repair::Restart(unit) => self.job(unit, Verb::Restart),
            Repair::Files => self.flex("join", &OFFLINE),
            Repair::Renew => self.renew(reason),
            Repair::Rejoin => self.flex("join", &UNASKED),
            Repair::Upgrade => self.flex("upgrade", &UNASKED),
            Repair::Goal => self.flex("goal", &["--apply"]),
            Repair::Leave if reason == Reason::MachineDeleted => self.flex("leave", &DELETED),
            Repair::Leave => self.flex("leave", &["--yes"]),
        }
    }

    /// Puts back what a renewal that lost its power had moved aside: it may be good. Where there is another credential since, the
    /// old one goes.
    pub(super) fn recover(&self) -> Result<(), String> {
        let at = |error: io::Error| format!("{KUBECONFIG}: {}", os_text(&error));
        let is_there = |path| self.host.entry(Path::new(path)).map(|entry| entry.is_some());
        if !is_there(ASIDE).map_err(at)? {
            return Ok(());
        }
        if is_there(KUBECONFIG).map_err(at)? {
            return self.host.remove(Path::new(ASIDE)).map_err(at);
        }
        self.host.rename(Path::new(ASIDE), Path::new(KUBECONFIG)).map_err(at)
    }

    fn job(&self, unit: &str, verb: Verb) -> Result<(), String> {
        let _lock = Lock::take(Path::new(Lock::MACHINE), &holder()).map_err(|held| match held {
            Held::By(other) => format!("{other} is at it"),
            Held::Error(error) => os_text(&error),
        })?;
        let done = self.host.job(unit, verb, Some(JOB_WITHIN));
        done.map_err(|error| format!("{unit}: {}; `journalctl -u {unit}` says why", os_text(&error)))
    }

    /// Trades the token again. Kubelet reads its credential when it starts, and only then.
    fn renew(&self, reason: Reason) -> Result<(), String> {
        let moved = reason == Reason::CredentialUnknown;
        let at = |error: io::Error| format!("{KUBECONFIG}: {}", os_text(&error));
        if moved {
            // What is valid by its date would be kept.
            self.host.rename(Path::new(KUBECONFIG), Path::new(ASIDE)).map_err(at)?;
        }
        let joined = self.flex("join", &OFFLINE);
        let serves = self.serves();
        if moved && serves {
            self.host.remove(Path::new(ASIDE)).map_err(at)?;
        } else if moved {
            self.host.rename(Path::new(ASIDE), Path::new(KUBECONFIG)).map_err(at)?;
        }
        joined?;
        if !serves {
            return Err("the API server gave no certificate; a bootstrap token that has expired has to be \
                        replaced in the configuration"
                .to_owned());
        }
        self.job(KUBELET, Verb::Restart)
    }

    fn serves(&self) -> bool {
        let now = u64::try_from(unix_seconds()).unwrap_or_default();
        match credential_of_node(self.host, Path::new(KUBECONFIG)) {
            NodeCredential::Missing => false,
            NodeCredential::Program => true,
            NodeCredential::Certificate(certificate) => !certificate.has_expired_at(now),
        }
    }

    /// Lets `slipway` do what a person would: what is so already it does not touch.
    fn flex(&self, command: &str, more: &[&str]) -> Result<(), String> {
        let config = self.config.to_string_lossy();
        let arguments = ["flex", command, "--config", &config];
        let child = Child::new(&self.slipway, arguments.iter().chain(more)).within(COMMAND_WITHIN);
        let ended = child.keeping(1 << 16).run();
        let ended = ended.map_err(|error| format!("{}: {}", self.slipway.display(), os_text(&error)))?;
        match ended.exit {
            Exit::Code(0) => Ok(()),
            _ if ended.timed_out => Err(format!("slipway flex {command} took too long")),
            exit => {
                let words = last_words(&ended.stderr);
                Err(words.unwrap_or_else(|| format!("slipway flex {command} ended with {exit:?}")))
            }
        }
    }
}

/// What a program complained last, in one line.
pub(super) fn last_words(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let from =
        lines.iter().rposition(|line| line.starts_with("error")).unwrap_or(lines.len().saturating_sub(2));
    let words = lines.get(from..)?.join("; ");
    let words: String = words.chars().filter(|c| !c.is_control()).take(LAST_WORDS).collect();
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use slipway_host::Recorded;

    use super::*;

    #[test]
    fn a_credential_that_a_power_cut_left_aside_is_put_back_unless_there_is_another() {
        let recovered = |files: &[(&str, &str, u32)]| {
            let host = Recorded::live().with_files(files.iter().copied());
            Repairs::new(&host, "/slipway".into(), Path::new("/config")).recover().unwrap();
            let read = |path| host.read(Path::new(path)).ok().map(|text| String::from_utf8(text).unwrap());
            (read(KUBECONFIG), read(ASIDE))
        };
        let (old, new) = ((ASIDE, "old", 0o600), (KUBECONFIG, "new", 0o600));
        assert_eq!(recovered(&[]), (None, None));
        assert_eq!(recovered(&[old]), (Some("old".to_owned()), None));
        assert_eq!(recovered(&[old, new]), (Some("new".to_owned()), None));
        assert_eq!(recovered(&[new]), (Some("new".to_owned()), None));
    }

    #[test]
    fn the_last_error_and_what_follows_are_the_last_words() {
        let said = b"warning: a\nerror: cannot join\n  hint: wait\n";
        assert_eq!(last_words(said).unwrap(), "error: cannot join; hint: wait");
        assert_eq!(last_words(b"x\ny\nz\n").unwrap(), "y; z");
        assert_eq!(last_words(b" \n"), None);
    }
}
