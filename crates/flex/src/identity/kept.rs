//! A token kept in a file between two runs of kubelet's plugin, which lives for one question.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use slipway_azure::credential::{AccessToken, Scope, TokenError, TokenSource};
use slipway_fetch::Patience;
use slipway_model::Secret;

const MARGIN: Duration = Duration::from_mins(5);
const ONLY_OURS: u32 = 0o600;

/// A source whose last token is in a file that only its owner can read.
pub struct Kept<S> {
    source: S,
    file: PathBuf,
    identity: String,
}

#[derive(Deserialize)]
struct Read {
    identity: String,
    scope: String,
    token: Secret<String>,
    expires_on: u64,
}

#[derive(Serialize)]
struct Written<'a> {
    identity: &'a str,
    scope: &'a str,
    token: &'a str,
    expires_on: u64,
}

impl<S: TokenSource> Kept<S> {
    /// Keeps the tokens of a source in a file. `identity` tells whose they are, so that a file from before a change of
    /// identity does not count.
    pub fn new(source: S, file: PathBuf, identity: String) -> Self {
        Self { source, file, identity }
    }

    fn found(&self, scope: &Scope) -> Option<AccessToken> {
        // What others can read they may have written too.
        if slipway_host::mode(&self.file).ok()? != ONLY_OURS {
            return None;
        }
        let text = Secret::new(slipway_host::read(&self.file).ok()?);
        let read: Read = serde_json::from_slice(text.expose()).ok()?;
        if read.identity != self.identity || read.scope != scope.to_string() {
            return None;
        }
        AccessToken::new(read.token, read.expires_on).filter(|token| token.lasts(MARGIN))
    }

    fn keep(&self, scope: &Scope, token: &AccessToken) -> std::io::Result<()> {
        let scope = scope.to_string();
        let (identity, expires_on) = (self.identity.as_str(), token.expires_on());
        let written = Written { identity, scope: &scope, token: token.secret().expose(), expires_on };
        let text = Secret::new(serde_json::to_vec(&written)?);
        slipway_host::place(&self.file, text.expose(), ONLY_OURS)
    }
}

impl<S: TokenSource> TokenSource for Kept<S> {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        if let Some(token) = self.found(scope) {
            return Ok(token);
        }
        let token = self.source.token(scope, patience)?;
        // A token that cannot be kept is asked for again the next time.
        let _ = self.keep(scope, &token);
        Ok(token)
    }

    fn forget(&self) {
        // What cannot be removed ends by itself.
        let _ = slipway_host::remove(&self.file);
        self.source.forget();
    }
}
