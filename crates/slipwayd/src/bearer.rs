//! The token that callers have to show.

use std::time::{Duration, Instant};

use slipway_model::Secret;
use subtle::ConstantTimeEq as _;

/// Shorter tokens can be guessed.
const SHORTEST: usize = 16;

/// The token of the file, and for a while the one that it replaced: callers learn of a new one at other moments than
/// the service does.
pub(crate) struct BearerTokens {
    current: BearerToken,
    replaced: Option<(BearerToken, Instant)>,
}

impl BearerTokens {
    /// Reads the content of a token file that was changed. The token that stood in it is good for this long.
    pub(crate) fn parse(content: &[u8], before: Option<&Self>, grace: Duration) -> Result<Self, String> {
        let current = BearerToken::parse(content)?;
        let replaced = before.and_then(|before| {
            if before.current.0 == current.0 {
                before.replaced.clone()
            } else {
                Some((before.current.clone(), Instant::now() + grace))
            }
        });
        Ok(Self { current, replaced })
    }

    /// Whether the value of an `Authorization` field shows a token that is good now.
    pub(crate) fn are_shown_by(&self, authorization: &[u8]) -> bool {
        let is_good = |(token, until): &(BearerToken, Instant)| {
            Instant::now() < *until && token.is_shown_by(authorization)
        };
        self.current.is_shown_by(authorization) || self.replaced.as_ref().is_some_and(is_good)
    }
}

/// A bearer token, as the file holds it without the white space around it.
#[derive(Clone)]
struct BearerToken(Secret<Vec<u8>>);

impl BearerToken {
    /// Reads the content of a token file.
    fn parse(content: &[u8]) -> Result<Self, String> {
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
    fn is_shown_by(&self, authorization: &[u8]) -> bool {
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
    fn a_token_that_was_replaced_is_good_for_a_while_and_the_one_before_it_no_more() {
        const GRACE: Duration = Duration::from_mins(1);
        let read = |token: &str, before: Option<&BearerTokens>, grace| {
            BearerTokens::parse(format!("{token}-0123456789abcdef").as_bytes(), before, grace).unwrap()
        };
        let is_good = |tokens: &BearerTokens, token: &str| {
            tokens.are_shown_by(format!("Bearer {token}-0123456789abcdef").as_bytes())
        };
        let first = read("a", None, GRACE);
        let second = read("b", Some(&first), GRACE);
        assert!(is_good(&second, "a") && is_good(&second, "b") && !is_good(&second, "c"));
        // Written again without a change: nothing was replaced.
        let again = read("b", Some(&second), GRACE);
        assert!(is_good(&again, "a") && is_good(&again, "b"));
        let third = read("c", Some(&again), GRACE);
        assert!(!is_good(&third, "a") && is_good(&third, "b") && is_good(&third, "c"));
        let at_once = read("d", Some(&third), Duration::ZERO);
        assert!(!is_good(&at_once, "c") && is_good(&at_once, "d"));
    }

    #[test]
    fn a_file_that_holds_no_token_is_refused_without_showing_it() {
        for content in ["", "\n", "short", "two words of a file", "0123456789abcdef\nsecond"] {
            let Err(error) = BearerToken::parse(content.as_bytes()) else { panic!("{content:?}") };
            assert!(content.trim().is_empty() || !error.contains(content.trim()), "{error}");
        }
    }
}
