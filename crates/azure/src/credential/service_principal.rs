//! An application of the directory, which proves itself by a secret or by a certificate.

use slipway_fetch::{Call, Client, Patience, Url};
use slipway_model::Secret;

use super::ask::{ask, is_weather};
use super::assertion::ClientCertificate;
use super::{AccessToken, Authority, Scope, TokenError, TokenSource, answer};
use crate::escape::escaped;
use crate::secrecy::is_private;

const AUTHORITY: Authority = Authority::Entra;
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// How an application proves itself.
#[derive(Debug)]
pub enum Proof {
    /// By a word that it shares with the directory.
    Secret(Secret<String>),
    /// By a key whose certificate the directory has.
    Certificate(Box<ClientCertificate>),
}

/// An application as a source of tokens.
pub struct ServicePrincipal {
    endpoint: Url,
    audience: String,
    client_id: String,
    proof: Proof,
    client: Client,
}

impl ServicePrincipal {
    /// The application with this client id in a tenant, whose directory signs in at `sign_in`, such as
    /// `https://login.microsoftonline.com`.
    pub fn new(
        sign_in: &str,
        tenant: &str,
        client_id: &str,
        proof: Proof,
        client: Client,
    ) -> Result<Self, TokenError> {
        let audience = format!("{}/{}/oauth2/v2.0/token", sign_in.trim_end_matches('/'), escaped(tenant));
        let endpoint = Url::parse(&audience).map_err(|problem| TokenError::address(AUTHORITY, &problem))?;
        if !is_private(&endpoint) {
            return Err(TokenError::Settings {
                authority: AUTHORITY,
                problem: format!("a secret is not sent without TLS, and {endpoint} has none"),
                hint: "give an address that begins with https://",
            });
        }
        Ok(Self { endpoint, audience, client_id: client_id.to_owned(), proof, client })
    }

    fn form(&self, scope: &Scope) -> Result<Secret<String>, TokenError> {
        let proof = match &self.proof {
            Proof::Secret(secret) => Secret::new(format!("client_secret={}", escaped(secret.expose()))),
            Proof::Certificate(certificate) => {
                let assertion = certificate.assertion(&self.audience, &self.client_id)?;
                Secret::new(format!(
                    "client_assertion_type={}&client_assertion={}",
                    escaped(ASSERTION_TYPE),
                    assertion.expose()
                ))
            }
        };
        Ok(Secret::new(format!(
            "grant_type=client_credentials&client_id={}&scope={}&{}",
            escaped(&self.client_id),
            escaped(&scope.to_string()),
            proof.expose()
        )))
    }

    /// The directory does not repeat secrets; whoever stands in its place might.
    fn without_secret(&self, error: TokenError) -> TokenError {
        match (error, &self.proof) {
            (TokenError::Refused { authority, status, code, message }, Proof::Secret(secret))
                if !secret.expose().is_empty() =>
            {
                let masked = |text: String| text.replace(secret.expose(), Secret::<String>::MASK);
                TokenError::Refused { authority, status, code: masked(code), message: masked(message) }
            }
            (error, _) => error,
        }
    }
}

impl TokenSource for ServicePrincipal {
    fn token(&self, scope: &Scope, patience: Patience<'_>) -> Result<AccessToken, TokenError> {
        let form = self.form(scope)?;
        let call = Call {
            method: "POST",
            url: &self.endpoint,
            fields: &[("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")],
            authorization: None,
            body: form.expose().as_bytes(),
        };
        let reply = ask(AUTHORITY, &self.client, &call, is_weather, patience)?;
        match reply.status {
            200 => answer::token(AUTHORITY, reply.body.expose()),
            status => Err(self.without_secret(answer::refusal(AUTHORITY, status, reply.body.expose()))),
        }
    }
}
