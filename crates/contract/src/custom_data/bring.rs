//! A Slipway that the node fetches for itself, known by its hash.

use std::fmt;

use crate::codec::mask_url;

/// Where to fetch a Slipway binary, and what it has to be. It is never run unless its hash is this one.
#[derive(Clone, PartialEq, Eq)]
pub struct Bring {
    url: String,
    sha256: String,
}

/// Why a download cannot be asked for like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BringError {
    /// The address is not an http or https URL with a host.
    NotHttp,
    /// The address holds a character that a URL cannot have, or an apostrophe.
    Character,
    /// The hash is not 64 hexadecimal digits.
    Hash,
}

impl Bring {
    /// Checks both parts; the hash may be in capitals.
    pub fn parse(url: &str, sha256: &str) -> Result<Self, BringError> {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
        if host.is_empty() {
            return Err(BringError::NotHttp);
        }
        if !url.bytes().all(may_stand_in_url) {
            return Err(BringError::Character);
        }
        if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(BringError::Hash);
        }
        Ok(Self { url: url.to_owned(), sha256: sha256.to_ascii_lowercase() })
    }

    /// The address. Its query may be a signature, so it is not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The hash, 64 lower-case digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

/// RFC 3986's characters except the apostrophe, because the address stands between two of those in a script.
fn may_stand_in_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&()*+,;=%".contains(&byte)
}

impl fmt::Debug for Bring {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Bring").field("url", &mask_url(&self.url)).field("sha256", &self.sha256).finish()
    }
}

impl fmt::Display for BringError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NotHttp => "the address to bring Slipway from has to be an http or https URL",
            Self::Character => {
                "the address to bring Slipway from holds a character that has to be percent-encoded"
            }
            Self::Hash => "the hash of the Slipway to bring has to be 64 hexadecimal digits (SHA-256)",
        })
    }
}

impl std::error::Error for BringError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_a_shell_or_a_reader_could_take_apart_is_refused() {
        let hash = "0".repeat(64);
        for (url, expected) in [
            ("https://h/slipway?sig=a%2Bb", Ok(())),
            ("http://127.0.0.1:8080/s", Ok(())),
            ("ftp://h/s", Err(BringError::NotHttp)),
            ("https:///s", Err(BringError::NotHttp)),
            ("", Err(BringError::NotHttp)),
            ("https://h/'$(id)'", Err(BringError::Character)),
            ("https://h/\"", Err(BringError::Character)),
            ("https://h/a b", Err(BringError::Character)),
            ("https://h/\n", Err(BringError::Character)),
            ("https://h/é", Err(BringError::Character)),
        ] {
            assert_eq!(Bring::parse(url, &hash).map(|_| ()), expected, "{url}");
        }
        assert_eq!(Bring::parse("https://h/s", "00"), Err(BringError::Hash));
        assert_eq!(Bring::parse("https://h/s", &"g".repeat(64)), Err(BringError::Hash));
    }

    #[test]
    fn a_signature_in_the_address_is_not_shown() {
        let bring = Bring::parse("https://h/s?sig=abc", &"A".repeat(64)).unwrap();
        assert!(!format!("{bring:?}").contains("abc"));
        assert_eq!(bring.sha256(), "a".repeat(64));
    }
}
