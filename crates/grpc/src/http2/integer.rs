//! HPACK's integers: some bits of a byte, and as many bytes as it takes (RFC 7541, 5.1).

/// Appends a value whose first bits share a byte with `first`.
pub(super) fn write(out: &mut Vec<u8>, first: u8, bits: u32, value: usize) {
    let most = (1_usize << bits) - 1;
    let [low, ..] = value.min(most).to_le_bytes();
    out.push(first | low);
    if value < most {
        return;
    }
    let mut rest = value - most;
    while rest >= 0x80 {
        let [low, ..] = rest.to_le_bytes();
        out.push(low | 0x80);
        rest >>= 7;
    }
    let [low, ..] = rest.to_le_bytes();
    out.push(low);
}

/// Reads a value that begins in the low bits of the first byte; `None` when it is cut or larger than any that we use.
pub(super) fn read(rest: &mut &[u8], bits: u32) -> Option<usize> {
    let most = (1_usize << bits) - 1;
    let mut value = usize::from(next(rest)?) & most;
    if value < most {
        return Some(value);
    }
    for shift in [0, 7, 14, 21] {
        let byte = next(rest)?;
        value += usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn next(rest: &mut &[u8]) -> Option<u8> {
    let (first, left) = rest.split_first()?;
    *rest = left;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_as_in_the_examples_of_the_rfc() {
        for (bits, value, bytes) in
            [(5, 10, &[0b01010][..]), (5, 1337, &[0b11111, 0b1001_1010, 0b1010]), (8, 42, &[42])]
        {
            let mut written = Vec::new();
            write(&mut written, 0, bits, value);
            assert_eq!(written, bytes);
            assert_eq!(read(&mut &*written, bits), Some(value));
        }
    }

    #[test]
    fn integers_without_an_end_are_refused() {
        for bytes in [&b""[..], &[0x1f], &[0x1f, 0x80], &[0x1f, 0xff, 0xff, 0xff, 0xff, 0x01]] {
            assert_eq!(read(&mut &*bytes, 5), None, "{bytes:?}");
        }
        for value in [30, 31, 32, 158, 159, 4096, 65_535, 1 << 20] {
            let mut written = Vec::new();
            write(&mut written, 0xe0, 5, value);
            assert_eq!(read(&mut &*written, 5), Some(value));
        }
    }
}
