//! The Huffman code of HPACK (RFC 7541, appendix B). It is canonical: codes of one length count up in the order of
//! their symbols, and the next length goes on from there. So the lengths say everything.

const LONGEST: usize = 30;

/// The length of each byte's code. The end-of-string symbol has the last code of 30 bits.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

/// How many bytes have a code of each length.
const COUNTS: [u16; LONGEST + 1] = {
    let mut counts = [0; LONGEST + 1];
    let mut byte = 0;
    while byte < LENGTHS.len() {
        counts[LENGTHS[byte] as usize] += 1;
        byte += 1;
    }
    counts
};

/// The text of a code; `None` for what is none.
pub(super) fn decoded(code: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(code.len() * 8 / 5);
    let mut prefix = Prefix::EMPTY;
    for byte in code {
        for shift in (0..8).rev() {
            prefix.push(byte >> shift & 1)?;
            if let Some(symbol) = prefix.symbol() {
                text.push(symbol);
                prefix = Prefix::EMPTY;
            }
        }
    }
    // The last byte is filled up with the beginning of the end-of-string code, which is all ones.
    (prefix.length < 8 && prefix.bits + 1 == 1 << prefix.length).then_some(text)
}

/// The bits of a code so far.
struct Prefix {
    bits: u32,
    length: usize,
    /// The first code of this length.
    first: u32,
}

impl Prefix {
    const EMPTY: Self = Self { bits: 0, length: 0, first: 0 };

    /// `None` when no code is so long: that is the end-of-string symbol, which must not appear.
    fn push(&mut self, bit: u8) -> Option<()> {
        self.first = (self.first + u32::from(COUNTS[self.length])) << 1;
        self.bits = self.bits << 1 | u32::from(bit);
        self.length += 1;
        (self.length <= LONGEST && !(self.length == LONGEST && self.bits == (1 << LONGEST) - 1)).then_some(())
    }

    fn symbol(&self) -> Option<u8> {
        let index = self.bits.checked_sub(self.first)?;
        if index >= u32::from(COUNTS[self.length]) {
            return None;
        }
        let has_this_length = |byte: &u8| usize::from(LENGTHS[usize::from(*byte)]) == self.length;
        (0..=u8::MAX).filter(has_this_length).nth(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_rfc_are_decoded() {
        for (code, text) in [
            (
                &[0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff][..],
                "www.example.com",
            ),
            (&[0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf], "no-cache"),
            (&[0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xa9, 0x7d, 0x7f], "custom-key"),
            (&[0x64, 0x02], "302"),
            (&[], ""),
        ] {
            assert_eq!(decoded(code).as_deref(), Some(text.as_bytes()));
        }
    }

    #[test]
    fn every_byte_has_its_code() {
        let (mut first, mut codes) = (0_u32, Vec::new());
        for length in 1..=LONGEST {
            first = (first + u32::from(COUNTS[length - 1])) << 1;
            let of_length = (0..=u8::MAX).filter(|byte| usize::from(LENGTHS[usize::from(*byte)]) == length);
            codes.extend(of_length.zip(first..).map(|(byte, code)| (byte, code, length)));
        }
        for (byte, code, length) in codes {
            let padded = u64::from(code) << (64 - length) | (u64::MAX >> length);
            assert_eq!(decoded(&padded.to_be_bytes()[..length.div_ceil(8)]), Some(vec![byte]));
        }
        // The rows of the appendix for 'a', '\\' and 0xff, and the code after the last is end-of-string.
        assert_eq!(decoded(&[0b0001_1111]), Some(b"a".to_vec()));
        assert_eq!(decoded(&[0xff, 0xfe, 0x1f]), Some(b"\\".to_vec()));
        assert_eq!(decoded(&[0xff, 0xff, 0xfb, 0xbf]), Some(vec![0xff]));
    }

    #[test]
    fn wrong_endings_are_refused() {
        // Padding of zeroes, padding of a whole byte, and the end-of-string symbol.
        for code in [&[0b0001_1000][..], &[0b0001_1111, 0xff], &[0xff; 4], &[0xff; 5]] {
            assert_eq!(decoded(code), None, "{code:?}");
        }
    }
}
