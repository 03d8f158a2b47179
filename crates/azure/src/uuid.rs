//! Identifiers as texts.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

/// The namespace that RFC 9562 gives to addresses.
const OF_ADDRESSES: [u8; 16] =
    [0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];

/// The identifier that a name always gets (version 5, which is SHA-1 by definition).
pub(crate) fn of_name(name: &str) -> String {
    let named = [&OF_ADDRESSES[..], name.as_bytes()].concat();
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, &named);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_ref()[..16]);
    text(bytes, 5)
}

/// An identifier of random bytes (version 4).
pub(crate) fn of_random(bytes: [u8; 16]) -> String {
    text(bytes, 4)
}

fn text(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = u128::from_be_bytes(bytes);
    let hex = format!("{hex:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gets_the_identifier_that_everyone_gives_it() {
        // As Python's `uuid.uuid5(uuid.NAMESPACE_URL, …)` has it.
        assert_eq!(of_name("https://www.example.com"), "a0787afd-c170-5773-8d60-02739168de9f");
        assert_eq!(of_random([0xff; 16]), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
