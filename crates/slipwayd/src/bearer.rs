//! The token that callers have to show.

use slipway_model::Secret;
use subtle::ConstantTimeEq as _;

/// Shorter tokens can be guessed.
const SHORTEST: usize = 16;

/// A bearer token, as the file holds it without the white space around it.
pub(crate) struct BearerToken(Secret<Vec<u8>>);

impl BearerToken {
    /// Reads the content of a token file.
    pub(crate) fn parse(content: &[u8]) -> Result<Self, String> {
        let token = content.trim_ascii();
        if token.len() < SHORTEST {
            return Err(format!(
                "the bearer token has {} characters; write one of at least {SHORTEST}",
                token.len()
            ));
        }
        if !token.iter().all(u8::is_ascii_graphic) {
            return Err(
                "the bearer token holds a character that a header cannot carry; write printable ASCII on one line"
                    .to_owned(),
            );
        }
        Ok(Self(Secret::new(token.to_vec())))
    }

    /// Whether the value of an `Authorization` field shows this token. Takes as long for a near miss as for a far one.
    pub(crate) fn is_shown_by(&self, authorization: &[u8]) -> bool {
        let Some((scheme, token)) = authorization.split_at_checked(7) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ")
            && bool::from(token.trim_ascii().ct_eq(self.0.expose().as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_accepted_and_the_scheme_in_any_case() {
        let token = BearerToken::parse(b"0123456789abcdef\n").unwrap();
        for (value, expected) in [
            ("Bearer 0123456789abcdef", true),
            ("bearer  0123456789abcdef", true),
            ("Bearer 0123456789abcde", false),
            ("Bearer 0123456789abcdeff", false),
            ("Basic 0123456789abcdef", false),
            ("0123456789abcdef", false),
            ("Bearer", false),
            ("", false),
        ] {
            assert_eq!(token.is_shown_by(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn a_file_that_holds_no_token_is_refused_without_showing_it() {
        for content in ["", "\n", "short", "two words of a file", "0123456789abcdef\nsecond"] {
            let Err(error) = BearerToken::parse(content.as_bytes()) else { panic!("{content:?}") };
            assert!(content.trim().is_empty() || !error.contains(content.trim()), "{error}");
        }
    }
}
