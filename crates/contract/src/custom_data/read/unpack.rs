//! Taking wrappers off: base64, gzip, quoted-printable and percent encoding, against one budget.

use std::io::Read as _;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::read::MultiGzDecoder;

use super::ReadProblem;

/// How every gzip stream starts.
pub(super) const GZIP_MAGIC: &[u8] = b"\x1f\x8b";

/// All that one document may unpack to, its wrappers counted in. The platform takes 64 KiB.
const MOST: usize = 16 << 20;

/// Texts shorter than this are words, not base64.
const SHORTEST: usize = 16;

/// How much may still be unpacked.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST)
    }
}

impl Budget {
    /// Unpacks gzip.
    pub(super) fn gunzip(&mut self, packed: &[u8]) -> Result<Vec<u8>, ReadProblem> {
        let mut plain = Vec::new();
        // One more than allowed, so that too much can be told from just enough.
        let most = u64::try_from(self.0).unwrap_or(u64::MAX).saturating_add(1);
        let read = MultiGzDecoder::new(packed).take(most).read_to_end(&mut plain);
        self.spend(plain.len())?;
        match read {
            Ok(_) => Ok(plain),
            Err(_) => Err(ReadProblem::Gzip),
        }
    }

    /// Decodes base64, with or without line breaks; `None` if the text is something else.
    pub(super) fn base64(&mut self, text: &[u8]) -> Result<Option<Vec<u8>>, ReadProblem> {
        if text.len() < SHORTEST || !text.iter().all(|byte| is_base64(*byte)) {
            return Ok(None);
        }
        match self.required_base64(text) {
            Ok(plain) => Ok(Some(plain)),
            Err(ReadProblem::Base64) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Decodes what has to be base64.
    pub(super) fn required_base64(&mut self, text: &[u8]) -> Result<Vec<u8>, ReadProblem> {
        self.spend(text.len() / 4 * 3)?;
        let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let config = GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true);
        GeneralPurpose::new(&STANDARD, config).decode(digits).map_err(|_| ReadProblem::Base64)
    }

    fn spend(&mut self, octets: usize) -> Result<(), ReadProblem> {
        let left = self.0.checked_sub(octets);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(ReadProblem::TooLarge)
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') || byte.is_ascii_whitespace()
}

/// Decodes quoted-printable text; what is not an escape stays as it is.
pub(super) fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let rest = &text[at + 1..];
        if *byte != b'=' {
            plain.push(*byte);
            at += 1;
        } else if rest.starts_with(b"\r\n") {
            at += 3;
        } else if rest.starts_with(b"\n") {
            at += 2;
        } else {
            at += escape(rest, *byte, &mut plain);
        }
    }
    plain
}

/// Decodes `%XX`; what is not an escape stays as it is.
pub(super) fn percent(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte == b'%' {
            at += escape(&text[at + 1..], *byte, &mut plain);
        } else {
            plain.push(*byte);
            at += 1;
        }
    }
    plain
}

/// Adds the octet that two hexadecimal digits stand for, or the sign before them; gives the length of both.
fn escape(digits: &[u8], sign: u8, plain: &mut Vec<u8>) -> usize {
    let digit = |at: usize| digits.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    if let (Some(high), Some(low)) = (digit(0), digit(1)) {
        plain.push(u8::try_from(high * 16 + low).unwrap_or_default());
        3
    } else {
        plain.push(sign);
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom_data::size::gzip;

    #[test]
    fn a_bomb_is_refused_before_it_fills_the_memory() {
        let bomb = gzip(&vec![0; MOST + 1]);
        assert!(bomb.len() < 100_000);
        assert_eq!(Budget::default().gunzip(&bomb), Err(ReadProblem::TooLarge));
    }

    #[test]
    fn the_budget_is_one_for_the_whole_document() {
        let half = gzip(&vec![0; MOST / 2 + 1]);
        let mut budget = Budget::default();
        assert!(budget.gunzip(&half).is_ok());
        assert_eq!(budget.gunzip(&half), Err(ReadProblem::TooLarge));
    }

    #[test]
    fn escapes_are_resolved_and_other_signs_kept() {
        assert_eq!(quoted_printable(b"a=3Db=\r\nc=\nd=zz="), b"a=bcd=zz=");
        assert_eq!(percent(b"%7B%22a%22%7d100%"), b"{\"a\"}100%");
    }
}
