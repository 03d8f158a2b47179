//! The name of a blob.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of some content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest {
    hex: String,
}

impl Digest {
    /// Of these bytes.
    pub fn of(content: &[u8]) -> Self {
        Self::spelled(&Sha256::digest(content))
    }

    /// Of everything that comes.
    pub fn of_stream(mut stream: impl Read) -> io::Result<Self> {
        let mut hash = Sha256::new();
        let mut piece = vec![0; 64 * 1024];
        loop {
            match stream.read(&mut piece)? {
                0 => return Ok(Self::spelled(&hash.finalize())),
                length => hash.update(&piece[..length]),
            }
        }
    }

    fn spelled(bytes: &[u8]) -> Self {
        let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Self { hex: halves.filter_map(|half| char::from_digit(half.into(), 16)).collect() }
    }

    /// The digits alone, which are the file's name in a layout.
    pub fn hex(&self) -> &str {
        &self.hex
    }
}

impl FromStr for Digest {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let hex = text.strip_prefix("sha256:").ok_or(())?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (hex.len() == 64 && hex.bytes().all(is_hex)).then(|| Self { hex: hex.to_owned() }).ok_or(())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sha256:{}", self.hex)
    }
}
