//! Where tokens come from: each way to be somebody in Azure is one [`TokenSource`].
//!
//! A source asks until it has a token or the caller's patience ends; what may pass is asked again. It keeps nothing:
//! [`Cached`] does. No error holds a secret.

mod answer;
mod ask;
mod assertion;
mod azure_cli;
mod cache;
mod challenge;
mod error;
mod himds;
mod managed_identity;
mod program;
mod service_principal;
mod token;

pub use assertion::ClientCertificate;
pub use azure_cli::AzureCli;
pub use cache::Cached;
pub use challenge::{ChallengeError, KEY_DIRECTORY, LARGEST_KEY};
pub use error::{Authority, TokenError};
pub use himds::{ArcAgent, ArcEndpoint, KeyFiles};
pub use managed_identity::ManagedIdentity;
pub use program::{ProgramEnd, RunProgram};
pub use service_principal::{Proof, ServicePrincipal};
pub use token::{AccessToken, Scope};

use slipway_fetch::Patience;

/// A way to be somebody.
pub trait TokenSource: Send + Sync {
    /// A token for a scope.
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError>;

    /// Forgets what it gave, because a service refused it. A source that keeps nothing has nothing to forget.
    fn forget(&self) {}
}

impl<S: TokenSource + ?Sized> TokenSource for &S {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        (**self).token(scope, patience)
    }

    fn forget(&self) {
        (**self).forget();
    }
}

impl<S: TokenSource + ?Sized> TokenSource for Box<S> {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        (**self).token(scope, patience)
    }

    fn forget(&self) {
        (**self).forget();
    }
}

impl<S: TokenSource + ?Sized> TokenSource for std::sync::Arc<S> {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        (**self).token(scope, patience)
    }

    fn forget(&self) {
        (**self).forget();
    }
}
