//! TLS bootstrap: a certificate signing request, posted and followed until somebody has decided upon it.

use std::str::FromStr as _;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use slipway_fetch::{Backoff, Patience};
use slipway_model::Blame;
use x509_cert::name::Name;

use crate::follow::{Place, Unfollowed};
use crate::server::{pause, retrying};
use crate::{ApiError, ApiServer, ClientCertificate, ClientKey};

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const SIGNER: &str = "kubernetes.io/kube-apiserver-client-kubelet";
/// Key encipherment is for RSA keys only.
const USAGES: [&str; 2] = ["digital signature", "client auth"];
/// How long a token that is not known may be too young: API servers learn of new ones from each other.
const TOKEN_GRACE: Duration = Duration::from_secs(3);

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// The server did not take part.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The name cannot be a node's.
    #[error("{0:?} is no name for a node: only lower-case letters, digits, dots and dashes are")]
    BadNodeName(String),
    /// No request could be made with this key.
    #[error("the certificate request cannot be made: {0}")]
    NoRequest(String),
    /// Somebody decided against it. A new request needs a new key.
    #[error("the certificate request {request} was denied: {message}")]
    Denied {
        /// The request's name.
        request: String,
        /// The reason given.
        message: String,
    },
    /// The signer gave up.
    #[error("the certificate request {request} was approved, but not signed: {message}")]
    Failed {
        /// The request's name.
        request: String,
        /// The reason given.
        message: String,
    },
    /// Nobody decided in time.
    #[error("the certificate request {request} was not {} in time; is the cluster's controller manager at work?", if *approved { "signed" } else { "approved" })]
    Undecided {
        /// The request's name.
        request: String,
        /// Whether it was approved.
        approved: bool,
    },
    /// What was issued is not for our key.
    #[error(
        "the certificate request {request} was answered with a certificate that does not serve: {problem}"
    )]
    WrongCertificate {
        /// The request's name.
        request: String,
        /// What is wrong.
        problem: String,
    },
}

impl BootstrapError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Api(error) => error.blame(),
            Self::BadNodeName(_) => Blame::Input,
            Self::NoRequest(_) => Blame::Slipway,
            Self::Denied { .. }
            | Self::Failed { .. }
            | Self::Undecided { .. }
            | Self::WrongCertificate { .. } => Blame::Service,
        }
    }
}

#[derive(Deserialize)]
struct SigningRequest {
    metadata: Metadata,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    resource_version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    certificate: String,
    conditions: Vec<Condition>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
    message: String,
}

/// What has become of a request.
enum Decision {
    Issued(String),
    Denied(String),
    Failed(String),
    /// It was deleted before it was answered.
    Gone,
}

impl ApiServer {
    /// A client certificate for a node's key: the chain as PEM text. A second call with the same key goes on where
    /// the first one was interrupted.
    pub fn bootstrap(
        &self,
        node_name: &str,
        key: &ClientKey,
        patience: Patience<'_>,
    ) -> Result<String, BootstrapError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
        if node_name.is_empty() || !node_name.bytes().all(plain) {
            return Err(BootstrapError::BadNodeName(node_name.to_owned()));
        }
        let no_request = |error: x509_cert::der::Error| BootstrapError::NoRequest(error.to_string());
        let subject = format!("CN=system:node:{node_name},O=system:nodes");
        let pem = key.request(Name::from_str(&subject).map_err(no_request)?).map_err(no_request)?;
        let request = format!("node-csr-{}", key.fingerprint(&subject));
        let document = json!({
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": request},
            "spec": {"request": STANDARD.encode(pem), "signerName": SIGNER, "usages": USAGES},
        });
        loop {
            match self.decision(&request, &document, patience)? {
                Decision::Issued(certificate) => return checked(request, &certificate, key),
                Decision::Denied(message) => return Err(BootstrapError::Denied { request, message }),
                Decision::Failed(message) => return Err(BootstrapError::Failed { request, message }),
                Decision::Gone => {}
            }
        }
    }

    fn decision(
        &self,
        request: &str,
        document: &serde_json::Value,
        patience: Patience<'_>,
    ) -> Result<Decision, BootstrapError> {
        let submitted = self.submit(request, document, patience)?;
        if let Some(decision) = submitted.decision() {
            return Ok(decision);
        }
        let mut approved = submitted.is("Approved").is_some();
        let since = Some(submitted.metadata.resource_version);
        let place = Place { collection: REQUESTS, name: request };
        let judge = |seen: Option<SigningRequest>| match seen {
            Some(seen) => {
                approved = seen.is("Approved").is_some();
                seen.decision()
            }
            None => Some(Decision::Gone),
        };
        self.follow(&place, since, patience, judge).map_err(|end| match end {
            Unfollowed::Failed(error) | Unfollowed::Late(Some(error)) => error.into(),
            Unfollowed::Late(None) => BootstrapError::Undecided { request: request.to_owned(), approved },
        })
    }

    /// Posts the request, or finds the one that an earlier try posted.
    fn submit(
        &self,
        request: &str,
        document: &serde_json::Value,
        patience: Patience<'_>,
    ) -> Result<SigningRequest, ApiError> {
        let start = Instant::now();
        let mut backoff = Backoff::default();
        loop {
            let posted = retrying(patience, || self.post(REQUESTS, document, patience));
            let posted = match posted {
                Err(error) if error.has_status(409) => {
                    retrying(patience, || self.get(&format!("{REQUESTS}/{request}"), patience))
                }
                posted => posted,
            };
            match posted {
                Err(error @ ApiError::Unauthorized { .. }) if start.elapsed() < TOKEN_GRACE => {
                    pause(patience, &mut backoff, error)?;
                }
                // It was there, and was deleted before it could be read.
                Err(error) if error.has_status(404) => pause(patience, &mut backoff, error)?,
                posted => return posted,
            }
        }
    }
}

impl SigningRequest {
    fn is(&self, kind: &str) -> Option<&Condition> {
        let holds = |condition: &&Condition| condition.kind == kind && condition.status != "False";
        self.status.conditions.iter().find(holds)
    }

    fn decision(&self) -> Option<Decision> {
        if let Some(denied) = self.is("Denied") {
            Some(Decision::Denied(denied.words()))
        } else if let Some(failed) = self.is("Failed") {
            Some(Decision::Failed(failed.words()))
        } else if !self.status.certificate.is_empty() {
            Some(Decision::Issued(self.status.certificate.clone()))
        } else {
            None
        }
    }
}

impl Condition {
    fn words(&self) -> String {
        match (self.reason.as_str(), self.message.as_str()) {
            ("", "") => "no reason is given".to_owned(),
            ("", only) | (only, "") => only.to_owned(),
            (reason, message) => format!("{reason}: {message}"),
        }
    }
}

/// The chain out of a request's answer, when it is one for our key.
fn checked(request: String, certificate: &str, key: &ClientKey) -> Result<String, BootstrapError> {
    let pem = STANDARD.decode(certificate).ok().and_then(|pem| String::from_utf8(pem).ok());
    let problem = match pem.as_deref().map(ClientCertificate::parse) {
        None => "it is no base64 text".to_owned(),
        Some(Err(error)) => error.to_string(),
        Some(Ok(parsed)) if !parsed.is_for(key) => "it is for another key".to_owned(),
        Some(Ok(_)) => return Ok(pem.unwrap_or_default()),
    };
    Err(BootstrapError::WrongCertificate { request, problem })
}
