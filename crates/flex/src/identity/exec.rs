//! The exec plugin's protocol: kubelet asks by a variable, and is answered on standard output.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use slipway_azure::credential::{AccessToken, Scope, TokenError, TokenSource};
use slipway_fetch::Patience;
use slipway_model::{Blame, Secret};

const GROUP: &str = "client.authentication.k8s.io";
const KIND: &str = "ExecCredential";

/// What kubelet asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecRequest {
    version: &'static str,
}

/// Why kubelet gets no credential.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The question is none.
    #[error("KUBERNETES_EXEC_INFO cannot be read: {0}")]
    Unreadable(String),
    /// The question is of another kind.
    #[error("KUBERNETES_EXEC_INFO asks for {0}; v1 and v1beta1 of {KIND} in {GROUP} are known here")]
    Unknown(String),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Question {
    api_version: String,
    kind: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    kind: &'static str,
    api_version: String,
    spec: Spec,
    status: Status<'a>,
}

#[derive(Serialize)]
struct Spec {
    interactive: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    expiration_timestamp: String,
    token: &'a str,
}

impl ExecRequest {
    /// Reads the value of `KUBERNETES_EXEC_INFO`; who does not set it gets `v1`.
    pub fn parse(info: Option<&str>) -> Result<Self, ExecError> {
        let Some(info) = info.filter(|info| !info.trim().is_empty()) else {
            return Ok(Self { version: "v1" });
        };
        let question: Question =
            serde_json::from_str(info).map_err(|error| ExecError::Unreadable(error.to_string()))?;
        let version = match question.api_version.split_once('/') {
            Some((GROUP, "v1")) if question.kind == KIND => "v1",
            Some((GROUP, "v1beta1")) if question.kind == KIND => "v1beta1",
            _ => {
                let Question { api_version, kind } = question;
                return Err(ExecError::Unknown(format!("kind {kind:?} of {api_version:?}")));
            }
        };
        Ok(Self { version })
    }

    /// The answer with a token.
    pub fn credential(&self, token: &AccessToken) -> Result<Secret<String>, ExecError> {
        let end = i64::try_from(token.expires_on()).ok().and_then(|end| Timestamp::from_second(end).ok());
        // A token without end is one whose end is beyond all clocks.
        let end = end.unwrap_or(Timestamp::MAX);
        let answer = Answer {
            kind: KIND,
            api_version: format!("{GROUP}/{}", self.version),
            spec: Spec { interactive: false },
            status: Status { expiration_timestamp: end.to_string(), token: token.secret().expose() },
        };
        let text =
            serde_json::to_string(&answer).map_err(|error| ExecError::Unreadable(error.to_string()))?;
        Ok(Secret::new(text))
    }
}

/// The whole of the plugin: a question, a token, an answer.
pub fn answer(
    info: Option<&str>,
    source: &dyn TokenSource,
    scope: &Scope,
    patience: Patience<'_>,
) -> Result<Secret<String>, ExecError> {
    let request = ExecRequest::parse(info)?;
    request.credential(&source.token(scope, patience)?)
}

impl ExecError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Unreadable(_) | Self::Unknown(_) => Blame::Input,
            Self::Token(error) => error.blame(),
        }
    }

    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable(_) | Self::Unknown(_) => {
                "this command is for kubelet's kubeconfig; by hand, run it without KUBERNETES_EXEC_INFO"
            }
            Self::Token(error) => error.hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> AccessToken {
        AccessToken::new(Secret::from("tok-1"), 4_102_444_800).unwrap()
    }

    fn answered(info: Option<&str>) -> Result<serde_json::Value, ExecError> {
        let text = ExecRequest::parse(info)?.credential(&token())?;
        Ok(serde_json::from_str(text.expose()).unwrap())
    }

    #[test]
    fn kubelet_gets_the_version_that_it_asked_for() {
        for (info, version) in [
            (None, "v1"),
            (Some(""), "v1"),
            (
                Some(
                    r#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}"#,
                ),
                "v1",
            ),
            (
                Some(
                    r#"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{"interactive":true}}"#,
                ),
                "v1beta1",
            ),
        ] {
            // What the first version's token command printed for this token, but for the version.
            let expected = serde_json::json!({
                "kind": "ExecCredential",
                "apiVersion": format!("client.authentication.k8s.io/{version}"),
                "spec": { "interactive": false },
                "status": { "expirationTimestamp": "2100-01-01T00:00:00Z", "token": "tok-1" },
            });
            assert_eq!(answered(info).unwrap(), expected, "{info:?}");
        }
    }

    #[test]
    fn other_questions_are_errors() {
        for info in [
            r#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}"#,
            r#"{"kind":"ExecCredential","apiVersion":"authentication.k8s.io/v1"}"#,
            r#"{"kind":"TokenReview","apiVersion":"client.authentication.k8s.io/v1"}"#,
            r#"{"kind":"ExecCredential"}"#,
            "[]",
            "v1",
        ] {
            let error = answered(Some(info)).unwrap_err();
            assert!(error.blame() == Blame::Input && !error.hint().is_empty(), "{info}: {error}");
        }
    }
}
