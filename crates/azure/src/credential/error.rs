use std::fmt;

use slipway_fetch::{HttpError, TrustError, UrlError};
use slipway_model::Blame;

use super::ChallengeError;

/// How the directory says that a signed statement is of another time.
const OUT_OF_TIME: &str = "AADSTS700024";

/// Who gives out tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// The Azure Arc agent on this machine.
    ArcAgent,
    /// The instance metadata service of an Azure machine.
    Metadata,
    /// The directory's sign-in service.
    Entra,
    /// The Azure CLI of the person at the keyboard.
    AzureCli,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Nothing was asked: what we were given cannot be used.
    #[error("{authority} cannot be asked: {problem}")]
    Settings {
        /// Who would have been asked.
        authority: Authority,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// No answer.
    #[error("{authority} gave no token: {problem}")]
    NoAnswer {
        /// Who was asked.
        authority: Authority,
        /// Which part of the way failed.
        problem: HttpError,
    },
    /// An answer that says no.
    #[error("{authority} refuses a token (status {status}): {code}: {message}")]
    Refused {
        /// Who was asked.
        authority: Authority,
        /// The status.
        status: u16,
        /// The error's short name, such as `invalid_client`.
        code: String,
        /// What was said.
        message: String,
    },
    /// An answer that is none.
    #[error("the answer of {authority} cannot be read: {problem}")]
    Unreadable {
        /// Who was asked.
        authority: Authority,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The Arc agent's challenge is not one that we meet.
    #[error("the challenge of the Azure Arc agent is not met: {0}")]
    Challenge(#[from] ChallengeError),
    /// The program failed.
    #[error("{authority} gave no token: {problem}")]
    Program {
        /// Whose program.
        authority: Authority,
        /// How it ended and what it said.
        problem: String,
    },
}

impl fmt::Display for Authority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::ArcAgent => "the Azure Arc agent",
            Self::Metadata => "the instance metadata service",
            Self::Entra => "the sign-in service",
            Self::AzureCli => "the Azure CLI",
        })
    }
}

impl TokenError {
    pub(super) fn address(authority: Authority, problem: &UrlError) -> Self {
        Self::Settings { authority, problem: problem.to_string(), hint: "correct the address" }
    }

    pub(super) fn trust(authority: Authority, problem: &TrustError) -> Self {
        let hint = "install the system's certificate authorities, or name a file of them";
        Self::Settings { authority, problem: problem.to_string(), hint }
    }

    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::NoAnswer { problem, .. } => problem.blame(),
            Self::Refused { status: 429 | 500.., .. } | Self::Unreadable { .. } => Blame::Service,
            Self::Settings { .. } | Self::Refused { .. } => Blame::Input,
            Self::Challenge(_) | Self::Program { .. } => Blame::Machine,
        }
    }

    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Settings { hint, .. } => hint,
            Self::NoAnswer { problem: problem @ HttpError::Untrusted { .. }, .. } => {
                problem.hint().unwrap_or("see whether this machine trusts it")
            }
            Self::NoAnswer { authority, .. } => match authority {
                Authority::ArcAgent => {
                    "see whether himdsd runs (`systemctl status himdsd`, `azcmagent show`)"
                }
                Authority::Metadata => {
                    "this way is for Azure machines only; elsewhere use Azure Arc or a service principal"
                }
                Authority::Entra | Authority::AzureCli => {
                    "see whether this machine reaches the sign-in service"
                }
            },
            // Of a statement that we signed by a clock that is wrong.
            Self::Refused { authority: Authority::Entra, message, .. } if message.contains(OUT_OF_TIME) => {
                "correct this machine's clock: compare `date -u` with the time; chrony or systemd-timesyncd sets it"
            }
            Self::Refused { authority, status, code, .. } => refused(*authority, *status, code),
            Self::Unreadable { .. } => "see whether something else answers at this address, such as a proxy",
            Self::Challenge(_) => {
                "run as root or as a member of the group himds; if it goes on, restart himdsd and see `azcmagent show`"
            }
            Self::Program { .. } => "run `az login`, then try again",
        }
    }
}

fn refused(authority: Authority, status: u16, code: &str) -> &'static str {
    match (authority, status, code) {
        (_, 429 | 500.., _) => "wait a moment and try again",
        (Authority::ArcAgent, 401, _) => {
            "the key was no longer valid; try again, and see `azcmagent show` if it goes on"
        }
        (Authority::ArcAgent, ..) => "see `azcmagent show`: the machine must be connected",
        (Authority::Metadata, ..) => "give this machine a managed identity, or correct the client id",
        (_, _, "invalid_client") => {
            "secret or certificate is wrong or has expired; make a new one for the application"
        }
        (_, _, "unauthorized_client" | "invalid_request" | "invalid_tenant") => {
            "correct tenant and client id"
        }
        (_, _, "invalid_scope" | "invalid_resource") => "correct the audience that the token is asked for",
        _ => "correct the credential",
    }
}
