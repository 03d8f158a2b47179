//! The inside of a JSON string: how far it can be taken as it stands, and what its escapes mean.

/// How many bytes from the start stand for themselves: neither a quote, nor a backslash, nor a control character.
///
/// Most of a contract is strings, so this looks at eight bytes at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, _) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Subtracting sets the high bit of a byte that is too small; bytes that had it before do not count. A byte
        // behind a marked one may be marked wrongly, the first one is right.
        let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit));
        let equal = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
        let marks = (below(word, b' ') | equal(b'"') | equal(b'\\')) & !word & HIGH;
        if marks != 0 {
            return index * 8 + marks.trailing_zeros() as usize / 8;
        }
    }
    let done = words.len() * 8;
    done + bytes[done..].iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count()
}

/// Resolves the escape at the start of `bytes` into `text`; gives its length.
pub(super) fn escape(bytes: &[u8], text: &mut String) -> Option<usize> {
    let plain = match bytes.get(1)? {
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let unit = code_unit(bytes)?;
            let (code, length) = match unit {
                0xd800..=0xdbff => match code_unit(&bytes[6..])? {
                    low @ 0xdc00..=0xdfff => (0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), 12),
                    _ => return None,
                },
                _ => (unit, 6),
            };
            text.push(char::from_u32(code)?);
            return Some(length);
        }
        _ => return None,
    };
    text.push(plain);
    Some(2)
}

/// The four hexadecimal digits of `\uXXXX` at the start of `bytes`.
fn code_unit(bytes: &[u8]) -> Option<u32> {
    if bytes.get(..2)? != b"\\u" {
        return None;
    }
    bytes.get(2..6)?.iter().try_fold(0, |code, byte| Some(code * 16 + char::from(*byte).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_that_needs_attention_is_found_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            for at in 0..24 {
                let mut text = *b"abcdefgh\x80\xff !#[]^{~\x7f mnopq";
                text[at] = byte;
                let expected = if matches!(byte, b'"' | b'\\' | 0..=0x1f) { at } else { text.len() };
                assert_eq!(plain_length(&text), expected, "{byte:#x} at {at}");
            }
        }
    }
}
