//! Credentials that a program hands out: the `exec` of a kubeconfig's user, such as `kubelogin`.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use slipway_host::{Child, Ended, Exit};
use slipway_kubernetes::{
    Credential, CredentialRequest, EXEC_INFO, ExecCluster, ExecCredential, ExecVersion,
};
use slipway_model::Secret;

use crate::failure::Failure;
use crate::screen::printable;

/// How long a program may take by itself, and with a user who has to log in somewhere.
const ALONE: Duration = Duration::from_mins(1);
const WITH_A_USER: Duration = Duration::from_mins(5);
/// No credential is longer.
const LONGEST: usize = 1024 * 1024;

const OTHERWISE: &str =
    "a kubeconfig with a token needs no program: kubectl create token, or az aks get-credentials --admin";

/// A program that is asked for a credential.
pub(super) struct Program<'a> {
    path: PathBuf,
    arguments: Vec<&'a str>,
    environment: Vec<(&'a str, &'a str)>,
    version: ExecVersion,
    interaction: Interaction,
    install_hint: Option<&'a str>,
    /// Told only to programs that want to know.
    cluster: Option<ExecCluster>,
}

/// Whether the program speaks with the user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interaction {
    Never,
    IfAvailable,
    Always,
}

impl<'a> Program<'a> {
    /// What a kubeconfig in the directory `beside` says of the program.
    pub(super) fn of(exec: &'a Value, beside: &Path, cluster: ExecCluster) -> Result<Self, String> {
        let command = exec["command"].as_str().filter(|command| !command.is_empty());
        let command = command.ok_or("exec has no command")?;
        let version = exec["apiVersion"].as_str().unwrap_or_default();
        let version = ExecVersion::parse(version).ok_or_else(|| {
            format!(
                "exec has the apiVersion {version:?}; client.authentication.k8s.io/v1 and v1beta1 are known"
            )
        })?;
        let interaction = match (exec["interactiveMode"].as_str(), version) {
            (Some("Never"), _) => Interaction::Never,
            (Some("IfAvailable"), _) | (None, ExecVersion::V1Beta1) => Interaction::IfAvailable,
            (Some("Always"), _) => Interaction::Always,
            (None, ExecVersion::V1) => {
                return Err("exec has no interactiveMode, which its version asks for".to_owned());
            }
            (Some(other), _) => {
                return Err(format!(
                    "exec has the interactiveMode {other:?}; Never, IfAvailable and Always are known"
                ));
            }
        };
        let wants_cluster = exec["provideClusterInfo"].as_bool().unwrap_or_default();
        Ok(Self {
            // A name is looked for on the search path, a path is relative to the kubeconfig.
            path: if command.contains('/') { beside.join(command) } else { command.into() },
            arguments: texts(&exec["args"], "args")?,
            environment: variables(&exec["env"])?,
            version,
            interaction,
            install_hint: exec["installHint"].as_str().filter(|hint| !hint.trim().is_empty()),
            cluster: wants_cluster.then_some(cluster),
        })
    }

    /// Runs the program. What it says goes to standard error as it comes, what it prints is shown nowhere.
    pub(super) fn credential(&self) -> Result<Credential, Failure> {
        let has_user = io::stdin().is_terminal();
        if self.interaction == Interaction::Always && !has_user {
            return Err(
                self.failure("it wants to ask the user something, and standard input is not a terminal")
            );
        }
        let is_interactive = self.interaction != Interaction::Never && has_user;
        let ended = self.child(is_interactive).run().map_err(|error| self.not_started(&error))?;
        let printed = self.printed(ended)?;
        ExecCredential::parse(printed.expose(), self.version)
            .map(|answer| answer.credential)
            .map_err(|problem| self.failure(&format!("what it printed cannot be used: {problem}")))
    }

    fn child(&self, is_interactive: bool) -> Child {
        let request =
            CredentialRequest { version: self.version, is_interactive, cluster: self.cluster.clone() };
        let mut child = Child::new(&self.path, &self.arguments)
            .showing_complaints()
            .keeping(LONGEST)
            .lingering(Duration::from_secs(1))
            .within(if is_interactive { WITH_A_USER } else { ALONE });
        if is_interactive {
            child = child.sharing_terminal();
        }
        for (name, value) in &self.environment {
            child = child.variable(name, value);
        }
        child.variable(EXEC_INFO, &request.to_json())
    }

    fn printed(&self, ended: Ended) -> Result<Secret<Vec<u8>>, Failure> {
        let printed = Secret::new(ended.stdout);
        match ended.exit {
            _ if ended.timed_out => Err(self.failure("it did not end in time")),
            Exit::Code(0) if printed.expose().len() < LONGEST => Ok(printed),
            Exit::Code(0) => Err(self.failure("it printed more than any credential has")),
            Exit::Code(code) => Err(self.failure(&format!("it ended with code {code}"))),
            Exit::Signal(signal, _) => Err(self.failure(&format!("it was ended by signal {signal}"))),
        }
    }

    fn not_started(&self, error: &io::Error) -> Failure {
        let failure = self.failure(&error.to_string());
        match self.install_hint {
            Some(hint) if error.kind() == io::ErrorKind::NotFound => {
                let words: Vec<&str> = hint.split_whitespace().collect();
                failure.with_hint(printable(&words.join(" ")))
            }
            _ => failure,
        }
    }

    fn failure(&self, found: &str) -> Failure {
        let program = self.path.display().to_string();
        Failure::machine(
            "no-credential",
            format!("cannot get a credential from {}", printable(&program)),
            found,
        )
        .with_hint(OTHERWISE)
    }
}

fn texts<'a>(list: &'a Value, name: &str) -> Result<Vec<&'a str>, String> {
    let items = list.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().ok_or_else(|| format!("exec.{name} holds something that is not a text")))
        .collect()
}

fn variables(list: &Value) -> Result<Vec<(&str, &str)>, String> {
    let items = list.as_array().into_iter().flatten();
    items
        .map(|item| {
            let pair = item["name"].as_str().zip(item["value"].as_str());
            pair.filter(|(name, _)| !name.is_empty() && !name.contains(['=', '\0'])).ok_or_else(|| {
                "exec.env holds something that is not a variable with name and value".to_owned()
            })
        })
        .collect()
}
