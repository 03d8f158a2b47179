//! The Arc agent's challenge: to show that we may read a file which only root and its own group can read.
//!
//! The file's path comes over plain HTTP, from whoever listens on that port. What we read there is sent back, so only
//! keys are read: in their one directory, by their suffix, up to their size.

use std::io;

use slipway_model::Secret;

/// Where the agent puts its keys.
pub const KEY_DIRECTORY: &str = "/var/opt/azcmagent/tokens";
/// The size that a key may have.
pub const LARGEST_KEY: usize = 4096;

const SUFFIX: &str = ".key";
const SCHEME: &str = "Basic realm=";

/// Why a challenge is not met.
#[derive(Debug, thiserror::Error)]
pub enum ChallengeError {
    /// A token without a challenge: not the agent.
    #[error("it gave a token without asking for proof, which the agent never does")]
    NotAsked,
    /// There is none.
    #[error("its answer has no WWW-Authenticate header")]
    NoHeader,
    /// It is of another kind.
    #[error("it asks for something else than a key file: {0:?}")]
    OtherScheme(String),
    /// It names a file elsewhere.
    #[error("the key file is not in {KEY_DIRECTORY}: {0:?}")]
    Elsewhere(String),
    /// It names a file that is no key.
    #[error("the key file does not end in {SUFFIX}: {0:?}")]
    OtherSuffix(String),
    /// The file cannot be read.
    #[error("the key file {KEY_DIRECTORY}/{0} cannot be read: {1}")]
    Unreadable(String, io::Error),
    /// The file is too long.
    #[error("the key file is larger than {LARGEST_KEY} bytes")]
    TooLarge,
    /// The file holds something else.
    #[error("the key file does not hold a key")]
    NoKey,
}

/// The name of the key file that a challenge asks for.
pub(super) fn key_name(header: Option<&str>) -> Result<String, ChallengeError> {
    let header = header.ok_or(ChallengeError::NoHeader)?;
    let path = header.strip_prefix(SCHEME).ok_or_else(|| ChallengeError::OtherScheme(header.to_owned()))?;
    let clean = cleaned(path).ok_or_else(|| ChallengeError::Elsewhere(path.to_owned()))?;
    let name = clean.strip_prefix(KEY_DIRECTORY).and_then(|rest| rest.strip_prefix('/'));
    let name = name.filter(|name| !name.contains('/'));
    let name = name.ok_or_else(|| ChallengeError::Elsewhere(path.to_owned()))?;
    if !name.ends_with(SUFFIX) {
        return Err(ChallengeError::OtherSuffix(path.to_owned()));
    }
    Ok(name.to_owned())
}

/// What is sent as proof. A line's end belongs to the file and not to the key.
pub(super) fn proof(content: &Secret<Vec<u8>>) -> Result<Secret<String>, ChallengeError> {
    if content.expose().len() > LARGEST_KEY {
        return Err(ChallengeError::TooLarge);
    }
    let key = content.expose().trim_ascii_end();
    let key = str::from_utf8(key).ok().filter(|key| !key.is_empty());
    let key = key.filter(|key| key.bytes().all(|byte| byte.is_ascii_graphic()));
    let key = key.ok_or(ChallengeError::NoKey)?;
    Ok(Secret::new(format!("Basic {key}")))
}

/// An absolute path without `.`, `..` and doubled slashes, by its text alone.
fn cleaned(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_in_their_directory_have_a_name() {
        for (path, name) in [
            ("/var/opt/azcmagent/tokens/k1.key", Some("k1.key")),
            ("//var/./opt/azcmagent/x/../tokens//k1.key", Some("k1.key")),
            ("/var/opt/azcmagent/tokens/a/../k1.key", Some("k1.key")),
            ("/var/opt/azcmagent/tokens/a/k1.key", None),
            ("/var/opt/azcmagent/tokens/../k1.key", None),
            ("/var/opt/azcmagent/tokens2/k1.key", None),
            ("/var/opt/azcmagent/tokens", None),
            ("/var/opt/azcmagent/tokens/k1.KEY", None),
            ("/var/opt/azcmagent/tokens/k1.key,charset=utf-8", None),
            ("var/opt/azcmagent/tokens/k1.key", None),
            ("/../../var/opt/azcmagent/tokens/k1.key", Some("k1.key")),
            ("", None),
        ] {
            let header = format!("Basic realm={path}");
            assert_eq!(key_name(Some(&header)).ok().as_deref(), name, "{path}");
        }
        for header in ["Basic realm", "basic realm=/var/opt/azcmagent/tokens/k1.key", "Bearer realm=x", ""] {
            assert!(matches!(key_name(Some(header)), Err(ChallengeError::OtherScheme(_))), "{header}");
        }
    }

    #[test]
    fn a_key_is_a_word_with_or_without_an_end_of_line() {
        let sent =
            |content: &[u8]| proof(&Secret::new(content.to_vec())).ok().map(|proof| proof.expose().clone());
        assert_eq!(sent(b"abc"), Some("Basic abc".to_owned()));
        assert_eq!(sent(b"abc\r\n"), Some("Basic abc".to_owned()));
        for content in [&b""[..], b"\n", b"a b", b"a\r\nX: y", b"\xff", &[b'a'; 4097]] {
            assert_eq!(sent(content), None, "{content:?}");
        }
        assert!(sent(&[b'a'; 4096]).is_some());
    }
}
