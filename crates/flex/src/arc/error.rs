use std::io;

use slipway_azure::arm::ArmError;
use slipway_azure::credential::TokenError;
use slipway_model::Blame;

use super::{AgentError, Conflict};

/// Why a machine is not known to Azure Arc, or still is.
#[derive(Debug, thiserror::Error)]
pub enum ArcError {
    /// Azure.
    #[error(transparent)]
    Azure(#[from] ArmError),
    /// No token for the agent.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The agent.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// Something stands against it.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// What would be done could not be written down, so it was not done.
    #[error("what is about to be done in Azure cannot be recorded: {0}")]
    Record(io::Error),
    /// Somebody was to assign roles, and has not.
    #[error("these roles are not assigned: {}", .0.join("; "))]
    RolesMissing(Vec<String>),
}

impl ArcError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Azure(error) => error.blame(),
            Self::Token(error) => error.blame(),
            Self::Agent(AgentError::Tag(_)) | Self::Conflict(_) | Self::RolesMissing(_) => Blame::Input,
            Self::Agent(_) | Self::Record(_) => Blame::Machine,
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Azure(error) => error.hint(),
            Self::Token(error) => error.hint().to_owned(),
            Self::Agent(error) => error.hint().to_owned(),
            Self::Conflict(conflict) => conflict.hint().to_owned(),
            Self::Record(_) => "make room on the disk of /var/lib/slipway".to_owned(),
            Self::RolesMissing(_) => {
                "assign them to the machine's identity, or set azure.arc.autoRoleAssignment".to_owned()
            }
        }
    }
}
