//! The two forms of an answer: a token, or a refusal.

use serde::Deserialize;
use serde_json::Value;
use slipway_model::Secret;

use super::token::now;
use super::{AccessToken, Authority, TokenError};
use crate::escape::quotable;

#[derive(Deserialize)]
struct Granted {
    access_token: Option<Secret<String>>,
    expires_on: Option<Value>,
    expires_in: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Refusal {
    error: Value,
    error_description: String,
}

/// The token of an answer. Its end is given by the clock or from now on, as a number or as the text of one.
pub(super) fn token(authority: Authority, body: &[u8]) -> Result<AccessToken, TokenError> {
    let unreadable = |problem| TokenError::Unreadable { authority, problem };
    let granted: Granted = serde_json::from_slice(body).map_err(|_| unreadable("it is no JSON object"))?;
    let by_the_clock = granted.expires_on.as_ref().and_then(seconds);
    let from_now = || granted.expires_in.as_ref().and_then(seconds).map(|time| now().saturating_add(time));
    let end =
        by_the_clock.or_else(from_now).ok_or_else(|| unreadable("it does not say when the token ends"))?;
    let secret = granted.access_token.ok_or_else(|| unreadable("it has no token"))?;
    AccessToken::new(secret, end)
        .ok_or_else(|| unreadable("its token is empty, or no text that a header can carry"))
}

/// A number of seconds, in one of the forms that the services use.
pub(super) fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Why an authority refused, in its own words.
pub(super) fn refusal(authority: Authority, status: u16, body: &[u8]) -> TokenError {
    let said: Refusal = serde_json::from_slice(body).unwrap_or_default();
    let code = said.error.as_str().map_or_else(|| "no reason given".to_owned(), quotable);
    TokenError::Refused { authority, status, code, message: quotable(&said.error_description) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_token_is_read_in_every_form_it_comes_in() {
        let end = |body: &str| token(Authority::Entra, body.as_bytes()).map(|token| token.expires_on());
        assert_eq!(
            end(r#"{"access_token":"t","expires_on":"4102444800","expires_in":"1"}"#).ok(),
            Some(4_102_444_800)
        );
        assert_eq!(end(r#"{"access_token":"t","expires_on":4102444800}"#).ok(), Some(4_102_444_800));
        for body in [
            r#"{"access_token":"t","expires_in":3599}"#,
            r#"{"access_token":"t","expires_in":"3599"}"#,
            r#"{"access_token":"t","expires_in":"3599","expires_on":"11/16/2026"}"#,
        ] {
            let end = end(body).unwrap();
            assert!((now() + 3590..=now() + 3599).contains(&end), "{body}");
        }
        for body in
            [r#"{"access_token":"t"}"#, r#"{"expires_in":1}"#, r#"{"access_token":"","expires_in":1}"#, "[]"]
        {
            assert!(end(body).is_err(), "{body}");
        }
    }

    #[test]
    fn a_refusal_quotes_one_line() {
        let body =
            br#"{"error":"invalid_client","error_description":"AADSTS7000215: wrong.\r\nTrace ID: 1"}"#;
        let error = refusal(Authority::Entra, 401, body);
        assert_eq!(
            error.to_string(),
            "the sign-in service refuses a token (status 401): invalid_client: AADSTS7000215: wrong."
        );
        assert!(error.hint().contains("expired"), "{}", error.hint());
    }
}
