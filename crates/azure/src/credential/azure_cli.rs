//! The person at the keyboard, who has signed in with the Azure CLI.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use slipway_fetch::Patience;
use slipway_model::Secret;

use super::token::now;
use super::{AccessToken, Authority, RunProgram, Scope, TokenError, TokenSource, answer};
use crate::escape::quotable;

const AUTHORITY: Authority = Authority::AzureCli;
const LONGEST: Duration = Duration::from_mins(1);
/// How long a token is good for at least, where the CLI says it only in local time (before 2.54).
const AT_LEAST: u64 = 300;

/// The Azure CLI as a source of tokens.
pub struct AzureCli<P> {
    program: P,
    tenant: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "accessToken")]
    access_token: Option<Secret<String>>,
    expires_on: Option<Value>,
}

impl<P: RunProgram> AzureCli<P> {
    /// The CLI, for a tenant or for the one that it is signed in to.
    pub fn new(program: P, tenant: Option<&str>) -> Self {
        Self { program, tenant: tenant.filter(|tenant| !tenant.is_empty()).map(str::to_owned) }
    }
}

impl<P: RunProgram> TokenSource for AzureCli<P> {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        let failed = |problem| TokenError::Program { authority: AUTHORITY, problem };
        let unreadable = |problem| TokenError::Unreadable { authority: AUTHORITY, problem };
        let left = patience.left().map_err(|_| failed("there is no time left to ask".to_owned()))?;
        let scope = scope.to_string();
        let mut arguments = vec!["account", "get-access-token", "--scope", &scope, "-o", "json"];
        arguments.extend(self.tenant.iter().flat_map(|tenant| ["--tenant", tenant]));
        let ended =
            self.program.run(&arguments, left.min(LONGEST)).map_err(|error| failed(error.to_string()))?;
        match ended.code {
            Some(0) => {}
            Some(code) => {
                return Err(failed(format!("it ended with code {code}: {}", quotable(&ended.stderr))));
            }
            None => return Err(failed("it took too long".to_owned())),
        }
        let answer: Answer = serde_json::from_slice(ended.stdout.expose())
            .map_err(|_| unreadable("it did not print a JSON object"))?;
        let end = answer.expires_on.as_ref().and_then(answer::seconds);
        let secret = answer.access_token.ok_or_else(|| unreadable("it has no token"))?;
        AccessToken::new(secret, end.unwrap_or_else(|| now() + AT_LEAST))
            .ok_or_else(|| unreadable("its token is no text that a header can carry"))
    }
}
