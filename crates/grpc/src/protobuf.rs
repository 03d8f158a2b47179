//! Protobuf on the wire, as far as small messages of strings and messages need it.

/// Wire type of strings, bytes and messages.
const LENGTH_DELIMITED: u64 = 2;

/// Adds a field that holds text, bytes or a message.
pub fn put(message: &mut Vec<u8>, number: u64, content: &[u8]) {
    varint(message, number << 3 | LENGTH_DELIMITED);
    varint(message, content.len() as u64);
    message.extend_from_slice(content);
}

/// The fields of a message that hold text, bytes or messages, by number and in their order; `None` for bytes that are not
/// a message.
pub fn fields(message: &[u8]) -> Option<Vec<(u64, &[u8])>> {
    let mut found = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let key = read_varint(&mut rest)?;
        if key >> 3 == 0 {
            return None;
        }
        match key & 7 {
            0 => drop(read_varint(&mut rest)?),
            1 => drop(take(&mut rest, 8)?),
            LENGTH_DELIMITED => {
                let length = usize::try_from(read_varint(&mut rest)?).ok()?;
                found.push((key >> 3, take(&mut rest, length)?));
            }
            5 => drop(take(&mut rest, 4)?),
            _ => return None,
        }
    }
    Some(found)
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_found_again() {
        let mut message = Vec::new();
        put(&mut message, 1, b"abc");
        assert_eq!(message, b"\x0a\x03abc");
        put(&mut message, 2, &[b'x'; 300]);
        let found = fields(&message).unwrap();
        assert_eq!(found[0], (1, &b"abc"[..]));
        assert_eq!((found[1].0, found[1].1.len()), (2, 300));
    }

    #[test]
    fn numbers_are_passed_over_and_what_is_no_message_is_noticed() {
        let numbers = b"\x18\x96\x01\x21\0\0\0\0\0\0\0\0\x2d\0\0\0\0\x32\x01z";
        assert_eq!(fields(numbers), Some(vec![(6, &b"z"[..])]));
        for broken in [
            &b"\x12\x05{}"[..],
            b"\x12",
            b"\x02\x01a",
            b"\x1b",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert_eq!(fields(broken), None, "{broken:?}");
        }
    }
}
