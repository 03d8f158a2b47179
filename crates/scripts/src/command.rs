//! The command that does the work: the image's scripts, or a pre-rendered file.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use slipway_host::{self as host, Child, Ended, Exit};
use slipway_model::{Mode, Secret};
use slipway_timeline::text;

use crate::{Sensitivity, Value, Variables, environment};

/// What starts the scripts. Every value comes by environment: nothing of a contract is ever part of this text.
const SCRIPTS: &str = r#"echo "$(date),$(hostname)" >"$PROVISION_OUTPUT"; if [ -f "$INIT_AKS_CLOUD_FILEPATH" ]; then "$INIT_AKS_CLOUD_FILEPATH" >>/var/log/azure/cluster-provision.log 2>&1 || exit $?; fi; /usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/provision_start.sh""#;

/// How long the output of a finished command is waited for when something it started holds on to it.
const LINGER: Duration = Duration::from_secs(5);

/// A command line for bash, with its environment.
#[derive(Debug)]
pub(crate) struct Command {
    arguments: Vec<OsString>,
    /// `None` is ours as it is.
    environment: Option<Vec<(OsString, OsString)>>,
    /// What must not be seen in what the command prints.
    secrets: Vec<Secret<String>>,
}

/// A command that ended, or that could not be started.
#[derive(Debug)]
pub(crate) struct Finished {
    /// As the result file has it: -1 where there is no code.
    pub(crate) code: i32,
    /// What our own process exits with.
    pub(crate) process_code: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) error: Option<String>,
}

impl Finished {
    pub(crate) fn not_run() -> Self {
        Self { code: -1, process_code: 0, stdout: String::new(), stderr: String::new(), error: None }
    }
}

impl Command {
    /// A pre-rendered command file, with our environment.
    pub(crate) fn file(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        match host::is_regular(path) {
            Err(error) => {
                Err(format!("read NBC command file {shown}: stat {shown}: {}", host::os_text(&error)))
            }
            Ok(false) => Err(format!("NBC command file {shown} must be a regular file")),
            Ok(true) => Ok(Self {
                // The two dashes keep a name that starts with one from being an option.
                arguments: vec!["--".into(), cleaned(path).into()],
                environment: None,
                secrets: Vec::new(),
            }),
        }
    }

    /// The image's scripts, with a contract's variables.
    pub(crate) fn scripts(variables: &Variables<'_>, mode: Mode) -> Self {
        let environment = environment(std::env::vars_os(), variables, mode);
        let owned = |(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned());
        let secret = |value: &&Value<'_>| value.sensitivity() == Sensitivity::Secret;
        Self {
            arguments: vec!["-c".into(), SCRIPTS.into()],
            environment: Some(environment.iter().map(owned).collect()),
            secrets: variables.iter().filter(secret).map(|value| Secret::from(value.reveal())).collect(),
        }
    }

    /// The command line, for the log.
    pub(crate) fn text(&self) -> String {
        let words = self.arguments.iter().map(|word| word.to_string_lossy());
        std::iter::once("/bin/bash".into()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Runs it to its end, its output passed on.
    pub(crate) fn run(self, mode: Mode) -> Finished {
        let mut child = Child::new("/bin/bash", &self.arguments).passing_output();
        if let Some(environment) = self.environment {
            child = child.environment(environment);
        }
        if mode == Mode::Ours {
            child = child.lingering(LINGER).yielding_to_signals();
        }
        match child.run() {
            Err(error) => Finished {
                process_code: 1,
                error: Some(format!("fork/exec /bin/bash: {}", host::os_text(&error))),
                ..Finished::not_run()
            },
            Ok(ended) => finished(&ended, if mode == Mode::Ours { &self.secrets } else { &[] }),
        }
    }
}

fn finished(ended: &Ended, secrets: &[Secret<String>]) -> Finished {
    let (code, process_code, error) = match ended.exit {
        Exit::Code(0) if ended.interrupted.is_none() => (0, 0, None),
        // Asked to stop, and the scripts said that all was well: it is not known to be.
        Exit::Code(0) => (143, 143, Some("exit status 0".to_owned())),
        Exit::Code(code) => (code, u8::try_from(code).unwrap_or(255), Some(format!("exit status {code}"))),
        Exit::Signal(signal, dumped) => {
            let dumped = if dumped { " (core dumped)" } else { "" };
            (-1, 255, Some(format!("signal: {}{dumped}", host::signal_name(signal))))
        }
    };
    let error = match (error, ended.interrupted) {
        (Some(error), Some(signal)) => {
            Some(format!("provisioning was interrupted ({}): {error}", host::signal_name(signal)))
        }
        (error, _) => error,
    };
    let seen = |bytes: &[u8]| {
        let mut shown = text(bytes);
        for secret in secrets.iter().filter(|secret| secret.expose().len() > 3) {
            shown = shown.replace(secret.expose().as_str(), Secret::<String>::MASK);
        }
        shown
    };
    Finished { code, process_code, stdout: seen(&ended.stdout), stderr: seen(&ended.stderr), error }
}

/// A path without `.` and doubled slashes, `..` resolved by its words.
fn cleaned(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            Component::ParentDir if clean.has_root() => {}
            other => clean.push(other),
        }
    }
    if clean.as_os_str().is_empty() { PathBuf::from(".") } else { clean }
}
