use std::fmt;
use std::time::Duration;

use slipway_fetch::{HttpError, UrlError};
use slipway_model::Blame;

use crate::credential::TokenError;

/// Why the Resource Manager did not do what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum ArmError {
    /// Nothing was asked: the address is none.
    #[error("the Resource Manager's address cannot be used: {0}")]
    Address(#[from] UrlError),
    /// Nothing was asked: others could read the token on its way.
    #[error("a token is not sent without TLS, and {0} has none")]
    InTheClear(String),
    /// Nothing was asked: there is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// No answer.
    #[error("the Resource Manager gave no answer to {action}: {problem}")]
    NoAnswer {
        /// What was asked for.
        action: &'static str,
        /// Which part of the way failed.
        problem: HttpError,
    },
    /// An answer that says no, or a long operation that failed.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// An answer that leads elsewhere, where our token has no business.
    #[error("the answer to {action} leads to another server, {to}; nothing is sent there")]
    LedAway {
        /// What was asked for.
        action: &'static str,
        /// Where it leads.
        to: String,
    },
    /// An answer that is none.
    #[error("the answer to {action} on {resource} cannot be read: {problem}")]
    Unreadable {
        /// What was asked for.
        action: &'static str,
        /// Of which resource.
        resource: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The time ran out while Azure was still at it.
    #[error("{action} on {resource} was still going on when the time ran out")]
    Unfinished {
        /// What was asked for.
        action: &'static str,
        /// Of which resource.
        resource: String,
    },
}

/// What the Resource Manager said in place of yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The permission that the call needs, such as `Microsoft.HybridCompute/machines/read`.
    pub action: &'static str,
    /// The resource.
    pub resource: String,
    /// The HTTP status; 200 for a long operation that failed.
    pub status: u16,
    /// The service's own code.
    pub code: Code,
    /// What it said.
    pub message: String,
    /// The number under which Azure's support finds the call.
    pub correlation: Option<String>,
    /// How long it asked to be left alone.
    pub retry_after: Option<Duration>,
}

/// Codes of errors that somebody acts upon, and all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// The same principal has the same role at the same scope, under another name.
    RoleAssignmentExists,
    /// The directory does not know the identity yet.
    PrincipalNotFound,
    /// We may not do this.
    AuthorizationFailed,
    /// We may not do this at the directory's wish.
    LinkedAuthorizationFailed,
    /// There is no such resource.
    ResourceNotFound,
    /// There is no such resource group.
    ResourceGroupNotFound,
    /// There is no such subscription for us.
    SubscriptionNotFound,
    /// The token is not one of this tenant.
    InvalidAuthenticationTokenTenant,
    /// The token does not count, or no longer.
    InvalidAuthenticationToken,
    /// The subscription has not switched on the service.
    MissingSubscriptionRegistration,
    /// A lock or a policy stands against it.
    ScopeLocked,
    /// A policy stands against it.
    RequestDisallowedByPolicy,
    /// Any other.
    Other(String),
}

const CODES: [(&str, Code); 12] = [
    ("RoleAssignmentExists", Code::RoleAssignmentExists),
    ("PrincipalNotFound", Code::PrincipalNotFound),
    ("AuthorizationFailed", Code::AuthorizationFailed),
    ("LinkedAuthorizationFailed", Code::LinkedAuthorizationFailed),
    ("ResourceNotFound", Code::ResourceNotFound),
    ("ResourceGroupNotFound", Code::ResourceGroupNotFound),
    ("SubscriptionNotFound", Code::SubscriptionNotFound),
    ("InvalidAuthenticationTokenTenant", Code::InvalidAuthenticationTokenTenant),
    ("InvalidAuthenticationToken", Code::InvalidAuthenticationToken),
    ("MissingSubscriptionRegistration", Code::MissingSubscriptionRegistration),
    ("ScopeLocked", Code::ScopeLocked),
    ("RequestDisallowedByPolicy", Code::RequestDisallowedByPolicy),
];

impl Code {
    pub(super) fn of(text: &str) -> Self {
        let known = CODES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        known.map_or_else(|| Self::Other(text.to_owned()), |(_, code)| code.clone())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = CODES.iter().find(|(_, code)| code == self).map(|(name, _)| *name);
        out.write_str(match (name, self) {
            (Some(name), _) => name,
            (None, Self::Other(text)) => text,
            (None, _) => "unknown",
        })
    }
}

impl Refusal {
    /// What to do.
    pub fn hint(&self) -> String {
        match &self.code {
            Code::AuthorizationFailed | Code::LinkedAuthorizationFailed => self.lacking(),
            Code::PrincipalNotFound => {
                "the directory does not know the identity yet; wait a minute and try again".to_owned()
            }
            Code::ResourceGroupNotFound | Code::SubscriptionNotFound => {
                "correct the subscription and the resource group".to_owned()
            }
            Code::InvalidAuthenticationTokenTenant => "sign in to the tenant of the subscription".to_owned(),
            Code::MissingSubscriptionRegistration => {
                let provider = self.action.split('/').next().unwrap_or_default();
                format!("register the provider: az provider register --namespace {provider}")
            }
            Code::ScopeLocked => "remove the lock at this scope, or do it by hand".to_owned(),
            Code::RequestDisallowedByPolicy => "ask whoever set the policy".to_owned(),
            _ => match self.status {
                401 => "sign in again; if that does not help, correct this machine's clock".to_owned(),
                403 => self.lacking(),
                404 => "correct the name of the resource".to_owned(),
                429 | 500.. => "wait a moment and try again".to_owned(),
                _ => "see what the service said".to_owned(),
            },
        }
    }

    fn lacking(&self) -> String {
        format!("whoever is signed in needs a role with the action {} at {}", self.action, self.resource)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { action, resource, status, code, message, .. } = self;
        write!(out, "Azure refuses {action} on {resource} (status {status}, {code}): {message}")?;
        match &self.correlation {
            Some(number) => write!(out, " (correlation id {number})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for ArmError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl ArmError {
    /// The service's code, if it said no.
    pub fn code(&self) -> Option<&Code> {
        match self {
            Self::Refused(refusal) => Some(&refusal.code),
            _ => None,
        }
    }

    /// Whether it said that we may not.
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.status == 403)
    }

    /// How long it asked to be left alone, if it did.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(refusal) => refusal.retry_after,
            _ => None,
        }
    }

    /// Whether it said that the resource is not there.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.status == 404)
    }

    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Address(_) | Self::InTheClear(_) => Blame::Input,
            Self::Token(error) => error.blame(),
            Self::NoAnswer { problem, .. } => problem.blame(),
            Self::Refused(refusal) if (400..500).contains(&refusal.status) && refusal.status != 429 => {
                Blame::Input
            }
            Self::Refused(_) | Self::LedAway { .. } | Self::Unreadable { .. } | Self::Unfinished { .. } => {
                Blame::Service
            }
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Address(_) | Self::InTheClear(_) => {
                "give an address such as https://management.azure.com".to_owned()
            }
            Self::Token(error) => error.hint().to_owned(),
            Self::NoAnswer { problem: problem @ HttpError::Untrusted { .. }, .. } => {
                problem.hint().unwrap_or("see whether this machine trusts it").to_owned()
            }
            Self::NoAnswer { .. } => "see whether this machine reaches the Resource Manager".to_owned(),
            Self::Refused(refusal) => refusal.hint(),
            Self::LedAway { .. } | Self::Unreadable { .. } => {
                "see whether something else answers at this address, such as a proxy".to_owned()
            }
            Self::Unfinished { .. } => "wait a moment and try again: what was begun goes on".to_owned(),
        }
    }
}
