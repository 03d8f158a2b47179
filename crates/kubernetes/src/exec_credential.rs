//! `ExecCredential`: how a program is asked for a credential, and how it answers.
//!
//! A client puts a [`CredentialRequest`] into the variable [`EXEC_INFO`] of the program, and reads an
//! [`ExecCredential`] from what the program prints. Both sides are here as texts; nothing is run.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use slipway_model::Secret;

use crate::Credential;

/// The variable that holds the request.
pub const EXEC_INFO: &str = "KUBERNETES_EXEC_INFO";

const KIND: &str = "ExecCredential";
const V1: &str = "client.authentication.k8s.io/v1";
const V1_BETA1: &str = "client.authentication.k8s.io/v1beta1";

/// The version that both sides speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecVersion {
    /// `client.authentication.k8s.io/v1`
    #[serde(rename = "client.authentication.k8s.io/v1")]
    V1,
    /// `client.authentication.k8s.io/v1beta1`
    #[serde(rename = "client.authentication.k8s.io/v1beta1")]
    V1Beta1,
}

/// What a program is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CredentialRequest {
    /// The version of the answer that is wanted.
    pub version: ExecVersion,
    /// Whether the program may ask the user something.
    pub is_interactive: bool,
    /// The cluster that the credential is for, where the kubeconfig lets programs know.
    pub cluster: Option<ExecCluster>,
}

/// The cluster that a credential is for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct ExecCluster {
    /// The API server's address.
    pub server: String,
    /// The name that the server is verified by, if not by its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_server_name: Option<String>,
    /// The authorities that the server is trusted by: PEM, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_authority_data: Option<String>,
    /// The proxy to the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<String>,
    /// What the kubeconfig holds for the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
}

/// A credential, as a program answers with it.
#[derive(Debug, Clone)]
pub struct ExecCredential {
    /// The version of the answer.
    pub version: ExecVersion,
    /// The credential itself.
    pub credential: Credential,
    /// When it ends, in RFC 3339; none where it has no end that is known.
    pub expires: Option<String>,
}

/// A text that is no request or no answer. It repeats nothing of the text: that may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnExecCredential {
    /// Not JSON, or a member of the wrong type.
    #[error("it is not the JSON of an ExecCredential (line {line}, column {column})")]
    Json {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// Another kind of object.
    #[error("its kind is not {KIND}")]
    Kind,
    /// Another version than the one that was asked for.
    #[error("it is of version {found}, and the kubeconfig asks for {wanted}")]
    Version {
        /// What the program speaks.
        found: &'static str,
        /// What the kubeconfig says.
        wanted: &'static str,
    },
    /// No credential in it.
    #[error("it has no status with a token, or with a client certificate and its key")]
    Empty,
    /// Half of a credential.
    #[error("it has a client certificate without a key, or a key without a certificate")]
    Half,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<S> {
    api_version: ExecVersion,
    #[serde(default)]
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spec: Option<Spec>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    status: Option<S>,
}

#[derive(Serialize, Deserialize)]
struct Spec {
    #[serde(default)]
    interactive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<ExecCluster>,
}

/// What a program answers; texts that are not there are empty.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Read {
    expiration_timestamp: Option<String>,
    token: Option<Secret<String>>,
    client_certificate_data: Option<String>,
    client_key_data: Option<Secret<String>>,
}

/// The same to be written: [`Secret`] does not serialise to what it holds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    expiration_timestamp: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_certificate_data: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_key_data: Option<&'a str>,
}

fn none<S>() -> Option<S> {
    None
}

impl ExecVersion {
    /// Reads the `apiVersion` of a kubeconfig's `exec`.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::V1, Self::V1Beta1].into_iter().find(|version| version.as_str() == text)
    }

    /// As `apiVersion` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => V1,
            Self::V1Beta1 => V1_BETA1,
        }
    }
}

impl CredentialRequest {
    /// Reads the text of [`EXEC_INFO`].
    pub fn parse(text: &str) -> Result<Self, NotAnExecCredential> {
        let document: Document<Read> = document(text.as_bytes())?;
        let (is_interactive, cluster) =
            document.spec.map_or((false, None), |spec| (spec.interactive, spec.cluster));
        Ok(Self { version: document.api_version, is_interactive, cluster })
    }

    /// The text for [`EXEC_INFO`].
    pub fn to_json(&self) -> String {
        let spec = Spec { interactive: self.is_interactive, cluster: self.cluster.clone() };
        let document = Document::<Written<'_>> {
            api_version: self.version,
            kind: KIND.to_owned(),
            spec: Some(spec),
            status: None,
        };
        // Texts and JSON values are always written.
        serde_json::to_string(&document).unwrap_or_default()
    }
}

impl ExecCredential {
    /// Reads what a program printed that was asked for a credential in this version.
    pub fn parse(printed: &[u8], wanted: ExecVersion) -> Result<Self, NotAnExecCredential> {
        let document: Document<Read> = document(printed)?;
        let version = document.api_version;
        if version != wanted {
            let (found, wanted) = (version.as_str(), wanted.as_str());
            return Err(NotAnExecCredential::Version { found, wanted });
        }
        let status = document.status.unwrap_or_default();
        let token = status.token.filter(|token| !token.expose().is_empty());
        let chain = status.client_certificate_data.filter(|chain| !chain.is_empty());
        let key = status.client_key_data.filter(|key| !key.expose().is_empty());
        let credential = match (token, chain, key) {
            (_, Some(_), None) | (_, None, Some(_)) => return Err(NotAnExecCredential::Half),
            (None, None, None) => return Err(NotAnExecCredential::Empty),
            // A server that takes certificates takes this one before it looks at a token.
            (_, Some(chain_pem), Some(key_pem)) => Credential::Certificate { chain_pem, key_pem },
            (Some(token), None, None) => Credential::Token(token),
        };
        Ok(Self { version, credential, expires: status.expiration_timestamp })
    }

    /// What a program prints that was asked for this credential.
    pub fn to_json(&self) -> Secret<String> {
        let (token, chain, key) = match &self.credential {
            Credential::Token(token) => (Some(token.expose().as_str()), None, None),
            Credential::Certificate { chain_pem, key_pem } => {
                (None, Some(chain_pem.as_str()), Some(key_pem.expose().as_str()))
            }
        };
        let status = Written {
            expiration_timestamp: self.expires.as_deref(),
            token,
            client_certificate_data: chain,
            client_key_data: key,
        };
        // Nobody was asked anything: who answers by asking does so before.
        let spec = Spec { interactive: false, cluster: None };
        let document = Document {
            api_version: self.version,
            kind: KIND.to_owned(),
            spec: Some(spec),
            status: Some(status),
        };
        // Texts are always written.
        Secret::new(serde_json::to_string(&document).unwrap_or_default())
    }
}

fn document<S: serde::de::DeserializeOwned>(text: &[u8]) -> Result<Document<S>, NotAnExecCredential> {
    let document: Document<S> = serde_json::from_slice(text)
        .map_err(|error| NotAnExecCredential::Json { line: error.line(), column: error.column() })?;
    if document.kind == KIND { Ok(document) } else { Err(NotAnExecCredential::Kind) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(document: &Value) -> Result<ExecCredential, NotAnExecCredential> {
        ExecCredential::parse(document.to_string().as_bytes(), ExecVersion::V1Beta1)
    }

    #[test]
    fn a_request_is_written_as_programs_read_it_and_read_back() {
        let request = CredentialRequest {
            version: ExecVersion::V1,
            is_interactive: true,
            cluster: Some(ExecCluster {
                server: "https://a.example:443".to_owned(),
                tls_server_name: Some("b.example".to_owned()),
                certificate_authority_data: Some("YQ==".to_owned()),
                proxy_url: None,
                config: Some(json!({"audience": "x"})),
            }),
        };
        let text = request.to_json();
        let expected = json!({
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "spec": {"interactive": true, "cluster": {
                "server": "https://a.example:443", "tls-server-name": "b.example",
                "certificate-authority-data": "YQ==", "config": {"audience": "x"},
            }},
        });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
        assert_eq!(CredentialRequest::parse(&text), Ok(request));
    }

    #[test]
    fn a_request_without_a_cluster_or_a_spec_is_one() {
        let text = r#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"interactive":false}}"#;
        let request = CredentialRequest::parse(text).unwrap();
        let expected =
            CredentialRequest { version: ExecVersion::V1Beta1, is_interactive: false, cluster: None };
        assert_eq!(request, expected);
        let bare = r#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}"#;
        assert_eq!(CredentialRequest::parse(bare), Ok(expected));
    }

    #[test]
    fn answers_are_read_back_as_they_were_written() {
        let pair =
            Credential::Certificate { chain_pem: "chain".to_owned(), key_pem: Secret::from("hunter2-key") };
        for credential in [Credential::Token(Secret::from("hunter2-token")), pair] {
            let expires = Some("2030-01-01T00:00:00Z".to_owned());
            let answer = ExecCredential { version: ExecVersion::V1Beta1, credential, expires };
            let text = answer.to_json();
            let read = ExecCredential::parse(text.expose().as_bytes(), ExecVersion::V1Beta1).unwrap();
            assert_eq!(read.expires, answer.expires);
            assert_eq!(read.to_json().expose(), text.expose());
            assert!(!format!("{read:?}").contains("hunter2"), "{read:?}");
        }
    }

    #[test]
    fn what_is_no_answer_is_refused_without_showing_it() {
        let answer =
            |version: &str, status: Value| json!({"apiVersion": version, "kind": KIND, "status": status});
        for (document, refused) in [
            (
                answer(V1, json!({"token": "hunter2"})),
                NotAnExecCredential::Version { found: V1, wanted: V1_BETA1 },
            ),
            (answer(V1_BETA1, json!(null)), NotAnExecCredential::Empty),
            (answer(V1_BETA1, json!({"token": ""})), NotAnExecCredential::Empty),
            (
                answer(V1_BETA1, json!({"token": "hunter2", "clientKeyData": "hunter2"})),
                NotAnExecCredential::Half,
            ),
            (answer(V1_BETA1, json!({"clientCertificateData": "hunter2"})), NotAnExecCredential::Half),
            (json!({"apiVersion": V1_BETA1, "kind": "Status"}), NotAnExecCredential::Kind),
        ] {
            assert_eq!(printed(&document).unwrap_err(), refused, "{document}");
        }
        for odd in
            [answer("hunter2", json!({})), answer(V1_BETA1, json!({"token": ["hunter2"]})), json!("hunter2")]
        {
            let error = printed(&odd).unwrap_err();
            assert!(matches!(error, NotAnExecCredential::Json { .. }), "{error}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
