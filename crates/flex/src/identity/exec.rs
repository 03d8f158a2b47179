//! The exec plugin's whole work: kubelet asks by a variable, and is answered on standard output.

use jiff::Timestamp;
use slipway_azure::credential::{Scope, TokenError, TokenSource};
use slipway_fetch::Patience;
use slipway_kubernetes::{
    Credential, CredentialRequest, EXEC_INFO, ExecCredential, ExecVersion, NotAnExecCredential,
};
use slipway_model::{Blame, Secret};

/// Why kubelet gets no credential.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The question is none.
    #[error(
        "{EXEC_INFO} cannot be answered: {0}; v1 and v1beta1 of client.authentication.k8s.io are known here"
    )]
    Question(#[from] NotAnExecCredential),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// Answers the value of [`EXEC_INFO`] with a token; who does not set it gets `v1`.
pub fn answer(
    info: Option<&str>,
    source: &dyn TokenSource,
    scope: &Scope,
    patience: Patience<'_>,
) -> Result<Secret<String>, ExecError> {
    let version = match info.filter(|info| !info.trim().is_empty()) {
        Some(info) => CredentialRequest::parse(info)?.version,
        None => ExecVersion::V1,
    };
    let token = source.token(scope, patience)?;
    let end = i64::try_from(token.expires_on()).ok().and_then(|end| Timestamp::from_second(end).ok());
    let credential = ExecCredential {
        version,
        credential: Credential::Token(token.secret().clone()),
        // A token without end is one whose end is beyond all clocks.
        expires: Some(end.unwrap_or(Timestamp::MAX).to_string()),
    };
    Ok(credential.to_json())
}

impl ExecError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Question(_) => Blame::Input,
            Self::Token(error) => error.blame(),
        }
    }

    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Question(_) => {
                "this command is for kubelet's kubeconfig; by hand, run it without KUBERNETES_EXEC_INFO"
            }
            Self::Token(error) => error.hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use slipway_azure::credential::AccessToken;

    use super::*;

    struct Given;

    impl TokenSource for Given {
        fn token(&self, _: &Scope, _: Patience<'_>) -> Result<AccessToken, TokenError> {
            Ok(AccessToken::new(Secret::from("tok-1"), 4_102_444_800).unwrap())
        }
    }

    fn answered(info: Option<&str>) -> Result<serde_json::Value, ExecError> {
        let never = || false;
        let patience = Patience::new(Instant::now() + Duration::from_secs(1), &never);
        let text = answer(info, &Given, &Scope::of("x"), patience)?;
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
