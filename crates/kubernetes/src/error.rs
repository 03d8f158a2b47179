use std::time::Duration;

use slipway_fetch::{HttpError, TrustError, UrlError};
use slipway_model::Blame;

/// Why the API server did not give what was asked of it.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// Nothing was asked: the server's address is not one.
    #[error("the API server's address {address:?} cannot be used: {problem}")]
    BadAddress {
        /// What was given.
        address: String,
        /// What is wrong with it.
        problem: UrlError,
    },
    /// Nothing was asked: CA or client certificate do not serve.
    #[error("the API server cannot be asked: {0}")]
    Trust(#[from] TrustError),
    /// Nothing was asked: the token cannot be sent.
    #[error("the bearer token is empty or has characters that no token has; look at how it was put in")]
    BadToken,
    /// No answer.
    #[error("the API server gave no answer: {0}")]
    Connection(#[from] HttpError),
    /// The credential is unknown or has expired.
    #[error(
        "the API server {server} does not know the credential (401 {message}); it may have expired, get a new one"
    )]
    Unauthorized {
        /// Host and port.
        server: String,
        /// What it said.
        message: String,
    },
    /// The credential is known, and may not do this.
    #[error("the API server {server} does not allow this (403): {message}")]
    Forbidden {
        /// Host and port.
        server: String,
        /// What it said.
        message: String,
    },
    /// Any other status than success.
    #[error("the API server {server} answered with status {status}: {message}")]
    Status {
        /// Host and port.
        server: String,
        /// The status code.
        status: u16,
        /// What it said.
        message: String,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// An answer that is none.
    #[error("the API server {server} gave an answer that cannot be read: {problem}")]
    Unreadable {
        /// Host and port.
        server: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl ApiError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::BadAddress { .. } | Self::Trust(_) | Self::BadToken | Self::Unauthorized { .. } => {
                Blame::Input
            }
            Self::Connection(error) => error.blame(),
            Self::Forbidden { .. } | Self::Status { .. } | Self::Unreadable { .. } => Blame::Service,
        }
    }

    /// Whether the same question may be answered in a moment.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connection(error) => error.is_transient(),
            Self::Status { status, .. } => *status >= 500 || matches!(status, 408 | 429),
            Self::Unreadable { .. } => true,
            Self::BadAddress { .. }
            | Self::Trust(_)
            | Self::BadToken
            | Self::Unauthorized { .. }
            | Self::Forbidden { .. } => false,
        }
    }

    /// Whether the caller asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Connection(HttpError::Stopped { .. }))
    }

    pub(crate) fn is_late(&self) -> bool {
        matches!(self, Self::Connection(HttpError::Late { .. }))
    }

    pub(crate) fn has_status(&self, wanted: u16) -> bool {
        matches!(self, Self::Status { status, .. } if *status == wanted)
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
