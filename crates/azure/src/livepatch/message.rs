//! The two messages on the wire: a protobuf string field out, a protobuf string field back, each in a gRPC frame.

/// Wire type of strings, bytes and messages.
const LENGTH_DELIMITED: u64 = 2;
const COMPONENT_NAME: u64 = 1;
const CONFIG: u64 = 2;

/// A request for a component, in its frame: one byte for "not compressed", four for the length.
pub(super) fn request(component: &str) -> Vec<u8> {
    let mut message = Vec::with_capacity(component.len() + 4);
    varint(&mut message, COMPONENT_NAME << 3 | LENGTH_DELIMITED);
    varint(&mut message, component.len() as u64);
    message.extend_from_slice(component.as_bytes());
    let mut frame = vec![0];
    frame.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    frame.append(&mut message);
    frame
}

/// The configuration in a response message; `None` for bytes that are not one.
pub(super) fn config(message: &[u8]) -> Option<String> {
    let mut config = String::new();
    let mut rest = message;
    while !rest.is_empty() {
        let key = read_varint(&mut rest)?;
        let value = match key & 7 {
            0 => {
                read_varint(&mut rest)?;
                continue;
            }
            1 => take(&mut rest, 8)?,
            LENGTH_DELIMITED => {
                let length = usize::try_from(read_varint(&mut rest)?).ok()?;
                take(&mut rest, length)?
            }
            5 => take(&mut rest, 4)?,
            _ => return None,
        };
        match (key >> 3, key & 7) {
            (0, _) => return None,
            (CONFIG, LENGTH_DELIMITED) => config = String::from_utf8(value.to_vec()).ok()?,
            (COMPONENT_NAME, LENGTH_DELIMITED) => {
                str::from_utf8(value).ok()?;
            }
            // Fields of a later version of the service.
            _ => {}
        }
    }
    Some(config)
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
    fn a_request_is_a_string_in_a_frame() {
        assert_eq!(request("abc"), b"\0\0\0\0\x05\x0a\x03abc");
        let long = "x".repeat(300);
        assert_eq!(request(&long)[..8], *b"\0\0\0\x01\x2f\x0a\xac\x02");
    }

    #[test]
    fn the_configuration_is_found_among_other_fields() {
        for (message, expected) in [
            (&b""[..], Some("")),
            (b"\x12\x02{}", Some("{}")),
            (b"\x0a\x01c\x12\x02{}", Some("{}")),
            (b"\x12\x01a\x12\x01b", Some("b")),
            (b"\x18\x96\x01\x21\0\0\0\0\0\0\0\0\x2d\0\0\0\0\x32\x01z\x12\x01b", Some("b")),
            (b"\x12\x05{}", None),
            (b"\x12", None),
            (b"\x12\x01\xff", None),
            (b"\x0a\x01\xff", None),
            (b"\x02\x01a", None),
            (b"\x1b", None),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None),
        ] {
            assert_eq!(config(message).as_deref(), expected, "{message:?}");
        }
    }
}
