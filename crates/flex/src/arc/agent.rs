//! The agent that connects a machine to Azure Arc.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use slipway_azure::arm::ResourceId;
use slipway_azure::credential::{AccessToken, ProgramEnd, RunProgram};
use slipway_model::Secret;

const NAME: &str = "azcmagent";
/// The name of the file that the agent reads while it connects.
pub const AGENT_FILE: &str = "arc-connect.json";
const SHOW_WITHIN: Duration = Duration::from_secs(30);
const CONNECT_WITHIN: Duration = Duration::from_mins(5);
const LONGEST_QUOTE: usize = 400;

/// The agent's program, and a directory of ours for what it reads.
pub struct Agent<P> {
    program: P,
    directory: PathBuf,
}

/// What the agent says about the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentState {
    /// The resource that it is connected to.
    pub machine: Option<ResourceId>,
    /// How it is, in its own word, such as `Connected`.
    pub status: String,
}

/// What a machine is connected as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The resource to make.
    pub machine: ResourceId,
    /// The tenant that it belongs to.
    pub tenant: String,
    /// The region to put it in.
    pub location: String,
    /// The cloud, in the agent's word; `None` for the public one.
    pub cloud: Option<String>,
    /// The tags that it gets.
    pub tags: BTreeMap<String, String>,
}

/// Why the agent did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// It cannot be run.
    #[error("{NAME} cannot be run: {0}")]
    NotRun(io::Error),
    /// It failed.
    #[error("`{NAME} {what}` failed ({code}): {said}")]
    Failed {
        /// What it was to do.
        what: &'static str,
        /// How it ended.
        code: String,
        /// What it said.
        said: String,
    },
    /// It says something else than JSON.
    #[error("what `{NAME} show` prints cannot be read: {0}")]
    Unreadable(String),
    /// The file with what it reads cannot be written.
    #[error("{} cannot be written: {problem}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// Why.
        problem: io::Error,
    },
    /// A tag that the agent's form of a list cannot hold.
    #[error("the tag {0:?} cannot be given to {NAME}: a comma, a quote or an equals sign would end it")]
    Tag(String),
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Shown {
    status: String,
    subscription_id: String,
    resource_group: String,
    resource_name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Settings<'a> {
    subscription_id: &'a str,
    resource_group: &'a str,
    resource_name: &'a str,
    tenant_id: &'a str,
    location: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cloud: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<String>,
    access_token: &'a str,
}

impl<P: RunProgram> Agent<P> {
    /// The agent by its program. `directory` belongs to us; a file is in it while the agent connects.
    pub fn new(program: P, directory: &Path) -> Self {
        Self { program, directory: directory.to_owned() }
    }

    /// What the agent says about the machine.
    pub fn state(&self) -> Result<AgentState, AgentError> {
        let ended = self.run("show", &["show", "-j"], SHOW_WITHIN)?;
        let shown: Shown = serde_json::from_slice(ended.stdout.expose())
            .map_err(|error| AgentError::Unreadable(error.to_string()))?;
        let machine =
            ResourceId::arc_machine(&shown.subscription_id, &shown.resource_group, &shown.resource_name);
        Ok(AgentState { machine: machine.ok(), status: shown.status })
    }

    /// Connects the machine. The token is in a file for as long as it takes, and never among the arguments.
    pub fn connect(&self, connection: &Connection, token: &AccessToken) -> Result<(), AgentError> {
        let settings = connection.settings(token)?;
        let path = self.directory.join(AGENT_FILE);
        let failed = |problem| AgentError::File { path: path.clone(), problem };
        slipway_host::publish(&path, settings.expose().as_bytes(), 0o600).map_err(failed)?;
        let named = path.to_string_lossy();
        let ended = self.run("connect", &["connect", "--config", &named], CONNECT_WITHIN);
        let removed = slipway_host::remove(&path);
        ended.map_err(|error| error.without(token))?;
        removed.map_err(failed)
    }

    /// Makes the agent forget the connection. The resource in Azure is another matter.
    pub fn disconnect(&self) -> Result<(), AgentError> {
        self.run("disconnect", &["disconnect", "--force-local-only"], CONNECT_WITHIN).map(drop)
    }

    fn run(
        &self,
        what: &'static str,
        arguments: &[&str],
        within: Duration,
    ) -> Result<ProgramEnd, AgentError> {
        let ended = self.program.run(arguments, within).map_err(AgentError::NotRun)?;
        let code = match ended.code {
            Some(0) => return Ok(ended),
            Some(code) => format!("code {code}"),
            None => "it took too long".to_owned(),
        };
        // Unless told otherwise the agent complains on its standard output.
        let said = if ended.stderr.trim().is_empty() {
            String::from_utf8_lossy(ended.stdout.expose()).into_owned()
        } else {
            ended.stderr
        };
        Err(AgentError::Failed { what, code, said })
    }
}

impl Connection {
    /// The settings by the names of the agent's options.
    fn settings(&self, token: &AccessToken) -> Result<Secret<String>, AgentError> {
        let unfit = |text: &str| text.contains([',', '"', '\'', '=']);
        if let Some((key, _)) = self.tags.iter().find(|(key, value)| unfit(key) || unfit(value)) {
            return Err(AgentError::Tag(key.clone()));
        }
        let tags: Vec<_> = self.tags.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let settings = Settings {
            subscription_id: self.machine.subscription(),
            resource_group: self.machine.group(),
            resource_name: self.machine.name(),
            tenant_id: &self.tenant,
            location: &self.location,
            cloud: self.cloud.as_deref(),
            tags: Some(tags.join(",")).filter(|tags| !tags.is_empty()),
            access_token: token.secret().expose(),
        };
        let text = serde_json::to_string(&settings);
        let path = PathBuf::from(AGENT_FILE);
        text.map(Secret::new).map_err(|error| AgentError::File { path, problem: error.into() })
    }
}

impl AgentError {
    /// The same without the token, should the agent have printed it, and not too long.
    fn without(self, token: &AccessToken) -> Self {
        match self {
            Self::Failed { what, code, said } => {
                let said = said.replace(token.secret().expose(), Secret::<String>::MASK);
                let said = said.trim().chars().map(|c| if c.is_control() { ' ' } else { c });
                Self::Failed { what, code, said: said.take(LONGEST_QUOTE).collect() }
            }
            error => error,
        }
    }

    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotRun(_) => {
                "install the Azure Connected Machine agent, and see that azcmagent is on the PATH"
            }
            Self::Failed { what: "connect", .. } => {
                "run `azcmagent check`; it tells which endpoint or right is missing"
            }
            Self::Failed { .. } | Self::Unreadable(_) => "run `azcmagent show` and `systemctl status himdsd`",
            Self::File { .. } => "make the directory writable for root, on a disk that is not full",
            Self::Tag(_) => "give the tag in the portal after the join, or in other words",
        }
    }
}
