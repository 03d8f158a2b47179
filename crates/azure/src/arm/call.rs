//! One call, repeated while it may pass.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use slipway_fetch::{Backoff, Call, Client, Patience, Response, Url};
use slipway_model::Secret;

use super::{ArmError, Code, Refusal};
use crate::credential::{Scope, TokenSource};
use crate::escape::quotable;
use crate::secrecy::is_private;

const CALL_WITHIN: Duration = Duration::from_secs(30);
const LARGEST_BODY: usize = 4 * 1024 * 1024;

/// The Resource Manager of a cloud, and who we are to it.
pub struct Arm {
    endpoint: Url,
    client: Client,
    tokens: Box<dyn TokenSource>,
    scope: Scope,
}

/// What is asked, and the permission that it takes.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) action: &'static str,
    pub(super) method: &'static str,
    /// The path of the resource.
    pub(super) path: &'a str,
    pub(super) api_version: &'a str,
    pub(super) body: Option<&'a Value>,
}

/// A success.
pub(super) struct Reply {
    pub(super) status: u16,
    /// Where to see how a long operation goes.
    pub(super) operation: Option<String>,
    /// Where its result will be.
    pub(super) location: Option<String>,
    pub(super) retry_after: Option<Duration>,
    pub(super) correlation: Option<String>,
    pub(super) body: Secret<Vec<u8>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    error: Explained,
    /// Older services say the same without the envelope.
    #[serde(flatten)]
    bare: Explained,
}

/// The members of an error.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Explained {
    pub(super) code: String,
    pub(super) message: String,
}

impl Arm {
    /// The Resource Manager at an endpoint such as `https://management.azure.com`, asked with tokens for this scope.
    pub fn new(
        endpoint: &str,
        client: Client,
        tokens: Box<dyn TokenSource>,
        scope: Scope,
    ) -> Result<Self, ArmError> {
        let endpoint = Url::parse(endpoint)?;
        if !is_private(&endpoint) {
            return Err(ArmError::InTheClear(endpoint.to_string()));
        }
        Ok(Self { endpoint, client, tokens, scope })
    }

    /// Asks.
    pub(super) fn ask(&self, question: Question<'_>, patience: Patience<'_>) -> Result<Reply, ArmError> {
        let target = format!("{}?api-version={}", question.path, question.api_version);
        self.ask_at(&self.endpoint.with_target(&target), question, patience)
    }

    /// Asks at an address that an earlier answer gave.
    pub(super) fn follow(
        &self,
        address: &str,
        question: Question<'_>,
        patience: Patience<'_>,
    ) -> Result<Reply, ArmError> {
        let led_away = |to: String| ArmError::LedAway { action: question.action, to };
        let url = Url::parse(address).map_err(|_| led_away("what is no address".to_owned()))?;
        let home = &self.endpoint;
        let here = (url.scheme(), url.host(), url.port()) == (home.scheme(), home.host(), home.port());
        if !here {
            return Err(led_away(url.to_string()));
        }
        self.ask_at(&url, question, patience)
    }

    fn ask_at(&self, url: &Url, question: Question<'_>, patience: Patience<'_>) -> Result<Reply, ArmError> {
        let mut backoff = Backoff::default();
        let mut renewed = false;
        let mut said = None;
        loop {
            let attempt = self.once(url, question, patience);
            let asked = match &attempt {
                // A token may end before its time: by a machine's clock that is slow, or because it was revoked.
                Ok(Err((refusal, _))) if refusal.status == 401 && !renewed => {
                    renewed = true;
                    self.tokens.forget();
                    continue;
                }
                Err(ArmError::NoAnswer { problem, .. }) if problem.is_transient() => None,
                Ok(Err((refusal, asked))) if is_weather(refusal.status) => {
                    said = Some(refusal.clone());
                    *asked
                }
                _ => return settled(attempt, said),
            };
            if patience.sleep(backoff.pause(asked)).is_err() {
                return settled(attempt, said);
            }
        }
    }

    fn once(&self, url: &Url, question: Question<'_>, patience: Patience<'_>) -> Attempt {
        let action = question.action;
        let token = self.tokens.token(&self.scope, patience)?;
        let authorization = Secret::new(format!("Bearer {}", token.secret().expose()));
        let body = question.body.map(Value::to_string).unwrap_or_default();
        let fields =
            [("Accept", "application/json"), ("Content-Type", "application/json"), ("Content-Length", "0")];
        let fields = match (question.body, question.method) {
            (Some(_), _) => &fields[..2],
            // Some front doors want a length even where there is nothing.
            (None, "POST" | "PUT") => &[fields[0], fields[2]][..],
            (None, _) => &fields[..1],
        };
        let call = Call {
            method: question.method,
            url,
            fields,
            authorization: Some(&authorization),
            body: body.as_bytes(),
        };
        let failed = |problem| ArmError::NoAnswer { action, problem };
        let mut answer = self.client.call(&call, patience.at_most(CALL_WITHIN)).map_err(failed)?;
        let field = |answer: &Response<'_>, name| answer.field(name).map(str::to_owned);
        let body = Secret::new(answer.bytes(LARGEST_BODY).map_err(failed)?);
        let reply = Reply {
            status: answer.status(),
            operation: field(&answer, "azure-asyncoperation"),
            location: field(&answer, "location"),
            retry_after: answer.retry_after(),
            correlation: field(&answer, "x-ms-correlation-request-id").map(|number| quotable(&number)),
            body,
        };
        match reply.status {
            200..300 => Ok(Ok(reply)),
            300..400 => {
                let to = reply.location.as_deref().and_then(|to| Url::parse(to).ok());
                Err(ArmError::LedAway { action, to: to.map_or("elsewhere".to_owned(), |to| to.to_string()) })
            }
            _ => Ok(Err((question.refusal(&reply), reply.retry_after))),
        }
    }
}

/// A failure; a refusal, with when to come back; or a success.
type Attempt = Result<Result<Reply, (Refusal, Option<Duration>)>, ArmError>;

/// What comes of the last attempt. Where the time ran out in the middle of it, what the service said before tells more.
fn settled(attempt: Attempt, said: Option<Refusal>) -> Result<Reply, ArmError> {
    match (attempt, said) {
        (Err(ArmError::NoAnswer { .. }), Some(refusal)) => Err(refusal.into()),
        (attempt, _) => attempt?.map_err(|(refusal, _)| refusal.into()),
    }
}

fn forget_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(forget_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_nulls),
        _ => {}
    }
}

fn is_weather(status: u16) -> bool {
    status >= 500 || matches!(status, 408 | 429)
}

impl<'a> Question<'a> {
    /// A question without a body.
    pub(super) const fn new(
        action: &'static str,
        method: &'static str,
        path: &'a str,
        api_version: &'a str,
    ) -> Self {
        Self { action, method, path, api_version, body: None }
    }

    /// The same with a body.
    pub(super) const fn with(self, body: &'a Value) -> Self {
        Self { body: Some(body), ..self }
    }
}

impl Question<'_> {
    /// Reads the JSON of an answer to it. A member that is null is one that is not there.
    pub(super) fn read<T: DeserializeOwned>(&self, reply: &Reply) -> Result<T, ArmError> {
        let mut document: Value = self.read_secret(reply)?;
        forget_nulls(&mut document);
        serde_json::from_value(document).map_err(|error| self.unreadable(&error))
    }

    /// Reads the JSON of an answer with secrets in it, which leave no copy behind.
    pub(super) fn read_secret<T: DeserializeOwned>(&self, reply: &Reply) -> Result<T, ArmError> {
        serde_json::from_slice(reply.body.expose()).map_err(|error| self.unreadable(&error))
    }

    pub(super) fn unreadable(&self, problem: &dyn std::fmt::Display) -> ArmError {
        let resource = self.path.to_owned();
        ArmError::Unreadable { action: self.action, resource, problem: problem.to_string() }
    }

    fn refusal(&self, reply: &Reply) -> Refusal {
        let said: Said = serde_json::from_slice(reply.body.expose()).unwrap_or_default();
        let explained = if said.error.code.is_empty() { &said.bare } else { &said.error };
        self.refused(reply, explained)
    }

    /// What was said to it in place of yes.
    pub(super) fn refused(&self, reply: &Reply, explained: &Explained) -> Refusal {
        let code = if explained.code.is_empty() { "no code".to_owned() } else { quotable(&explained.code) };
        Refusal {
            action: self.action,
            resource: self.path.to_owned(),
            status: reply.status,
            code: Code::of(&code),
            message: quotable(&explained.message),
            correlation: reply.correlation.clone(),
            retry_after: reply.retry_after,
        }
    }
}
