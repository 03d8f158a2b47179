//! The command that does the work: the image's scripts, or a pre-rendered file.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use slipway_host::{self as host, Child, Ended, Exit};
use slipway_model::{Mode, Secret};
use slipway_timeline::text;

use crate::{Sensitivity, TABLE, Value, Variables, assignments, environment, paths};

/// What starts the scripts. Every value comes by environment: nothing of a contract is ever part of this text.
const SCRIPTS: &str = r#"echo "$(date),$(hostname)" >"$PROVISION_OUTPUT"; if [ -f "$INIT_AKS_CLOUD_FILEPATH" ]; then "$INIT_AKS_CLOUD_FILEPATH" >>/var/log/azure/cluster-provision.log 2>&1 || exit $?; fi; /usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/provision_start.sh""#;

/// How long the output of a finished command is waited for when something it started holds on to it.
const LINGER: Duration = Duration::from_secs(5);

/// The longest `NAME=VALUE` that Linux passes to a process, its closing NUL included.
const LONGEST_VARIABLE: usize = 128 * 1024;

/// What tells the scripts to prepare an image and make no node.
const PREPARE_ONLY: &str = "PRE_PROVISION_ONLY";

/// A command line for bash, with its environment.
#[derive(Debug)]
pub(crate) struct Command {
    arguments: Vec<OsString>,
    /// `None` is ours as it is.
    environment: Option<Vec<(OsString, OsString)>>,
    prepares_only: bool,
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
    pub(crate) fn file(path: &Path, mode: Mode) -> Result<Self, String> {
        let shown = path.display();
        match host::is_regular(path) {
            Err(error) => {
                Err(format!("read NBC command file {shown}: stat {shown}: {}", host::os_text(&error)))
            }
            Ok(false) => Err(format!("NBC command file {shown} must be a regular file")),
            Ok(true) => {
                let set = match mode {
                    Mode::Compat => BTreeMap::new(),
                    Mode::Ours => host::read(path).map(|text| assignments(&text)).unwrap_or_default(),
                };
                let secret = |name: &str| {
                    let row = TABLE.iter().find(|variable| variable.name == name);
                    row.is_some_and(|variable| variable.sensitivity() == Sensitivity::Secret)
                };
                let secrets = set.iter().filter(|(name, _)| secret(name)).map(|(_, value)| text(value));
                Ok(Self {
                    // The two dashes keep a name that starts with one from being an option.
                    arguments: vec!["--".into(), cleaned(path).into()],
                    environment: None,
                    prepares_only: set.get(PREPARE_ONLY).is_some_and(|value| value == b"true"),
                    secrets: secrets.map(Secret::new).collect(),
                })
            }
        }
    }

    /// The image's scripts, with a contract's variables.
    pub(crate) fn scripts(variables: &Variables<'_>, mode: Mode) -> Result<Self, String> {
        let environment = environment(std::env::vars_os(), variables, mode);
        let owned = |(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned());
        let secrets = match mode {
            Mode::Compat => Vec::new(),
            Mode::Ours => {
                variables.iter().try_for_each(passable)?;
                let hidden = variables.iter().filter(|value| value.shown() != value.reveal());
                hidden.map(|value| Secret::from(value.reveal())).collect()
            }
        };
        Ok(Self {
            arguments: vec!["-c".into(), SCRIPTS.into()],
            prepares_only: environment.get(PREPARE_ONLY) == Some(OsStr::new("true")),
            environment: Some(environment.iter().map(owned).collect()),
            secrets,
        })
    }

    /// The file that the scripts leave when they have ended.
    pub(crate) fn sentinel(&self) -> &'static str {
        if self.prepares_only { paths::PREPARED } else { paths::COMPLETE }
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
        match child.hiding(self.secrets).run() {
            Err(error) => Finished {
                process_code: 1,
                error: Some(match error.kind() {
                    // The only thing that Rust itself refuses to pass on.
                    io::ErrorKind::InvalidInput => "exec: environment variable contains NUL".to_owned(),
                    _ => format!("fork/exec /bin/bash: {}", host::os_text(&error)),
                }),
                ..Finished::not_run()
            },
            Ok(ended) => finished(&ended),
        }
    }
}

/// Whether a value can reach the scripts at all; the operating system's own refusal names no variable.
fn passable(value: &Value<'_>) -> Result<(), String> {
    let (name, text) = (value.name(), value.reveal());
    let length = name.len() + text.len() + "=\0".len();
    if text.contains('\0') {
        return Err(format!("{name} cannot be passed to the scripts: it contains a NUL character"));
    }
    if length > LONGEST_VARIABLE {
        return Err(format!(
            "{name} cannot be passed to the scripts: it is {} bytes long, and {} are possible",
            text.len(),
            LONGEST_VARIABLE - name.len() - "=\0".len()
        ));
    }
    Ok(())
}

fn finished(ended: &Ended) -> Finished {
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
    Finished { code, process_code, stdout: text(&ended.stdout), stderr: text(&ended.stderr), error }
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
