//! The two messages: a component's name out, its configuration back.

use slipway_grpc::protobuf;

const COMPONENT_NAME: u64 = 1;
const CONFIG: u64 = 2;

/// A request for a component.
pub(super) fn request(component: &str) -> Vec<u8> {
    let mut message = Vec::with_capacity(component.len() + 4);
    protobuf::put(&mut message, COMPONENT_NAME, component.as_bytes());
    message
}

/// The configuration in a response message; `None` for bytes that are not one.
pub(super) fn config(message: &[u8]) -> Option<String> {
    let mut config = "";
    for (number, value) in protobuf::fields(message)? {
        match number {
            CONFIG => config = str::from_utf8(value).ok()?,
            COMPONENT_NAME => drop(str::from_utf8(value).ok()?),
            // Fields of a later version of the service.
            _ => {}
        }
    }
    Some(config.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_found_among_other_fields() {
        assert_eq!(request("abc"), b"\x0a\x03abc");
        for (message, expected) in [
            (&b""[..], Some("")),
            (b"\x12\x02{}", Some("{}")),
            (b"\x0a\x01c\x12\x02{}", Some("{}")),
            (b"\x12\x01a\x12\x01b", Some("b")),
            (b"\x12\x05{}", None),
            (b"\x12\x01\xff", None),
            (b"\x0a\x01\xff", None),
        ] {
            assert_eq!(config(message).as_deref(), expected, "{message:?}");
        }
    }
}
