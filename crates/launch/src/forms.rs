//! Forms of text that platforms and Kubernetes take: whether a text is one.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An IP address.
pub(crate) fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

/// Visible ASCII, at least one character.
pub(crate) fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// ASCII letters, digits and these others, which are ASCII too.
pub(crate) fn is_made_of(text: &str, others: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.as_bytes().contains(&byte))
}

/// A token, or the place that the client of the node provisioning service fills in.
pub(crate) fn is_token(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && is_made_of(part, "-");
    text == "{{.TokenID}}.{{.TokenSecret}}"
        || text.split_once('.').is_some_and(|(id, secret)| is_part(id) && is_part(secret))
}

/// A host's name or address.
pub(crate) fn is_host(name: &str) -> bool {
    is_address(name) || !name.is_empty() && is_made_of(name, "-.")
}

/// Something, in base64.
pub(crate) fn is_base64(base64: &str) -> bool {
    !base64.is_empty() && STANDARD.decode(base64).is_ok()
}

/// A UUID with its dashes.
pub(crate) fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-');
    let fits = [8, 4, 4, 4, 12].into_iter().all(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
    });
    fits && parts.next().is_none()
}

/// A name that Linux and Azure take for an administrator.
pub(crate) fn is_user(name: &str) -> bool {
    name.len() <= 32 && name.starts_with(|first: char| first.is_ascii_alphabetic()) && is_made_of(name, "-_")
}

/// A kernel setting, or the beginning of several with `*`.
pub(crate) fn is_sysctl_pattern(text: &str) -> bool {
    let name = text.strip_suffix('*').unwrap_or(text);
    !name.is_empty() && is_made_of(name, "._-/")
}

/// A label's value.
pub(crate) fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name(text)
}

/// A label's key, with or without a domain.
pub(crate) fn is_label_key(key: &str) -> bool {
    // Domains have no slash, so the last one ends the domain or there are too many.
    match key.bytes().rposition(|byte| byte == b'/') {
        Some(slash) => is_domain(&key.as_bytes()[..slash]) && is_name(&key[slash + 1..]),
        None => is_name(key),
    }
}

/// At most 253 lower-case letters, digits and `-`, in parts between dots that have no `-` at their ends.
fn is_domain(domain: &[u8]) -> bool {
    let mut before = b'.';
    for &byte in domain {
        let fits = match byte {
            b'a'..=b'z' | b'0'..=b'9' => true,
            b'-' => before != b'.',
            b'.' => !matches!(before, b'.' | b'-'),
            _ => false,
        };
        if !fits {
            return false;
        }
        before = byte;
    }
    domain.len() <= 253 && !matches!(before, b'.' | b'-')
}

/// At most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    bytes.len() <= 63
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_other_text() {
        for key in ["a", "a.b_c-d", "example.com/a", "x-y.example/A1", &"a".repeat(63)] {
            assert!(is_label_key(key), "{key}");
        }
        for key in [
            "",
            "/a",
            "a/",
            "a/b/c",
            "-a",
            "a-",
            "Example.com/a",
            "a..b/c",
            "-a.b/c",
            "a b",
            "é",
            &"a".repeat(64),
        ] {
            assert!(!is_label_key(key), "{key}");
        }
        assert!(
            is_label_value("")
                && is_label_value("v1.2_3-x")
                && !is_label_value("a,b")
                && !is_label_value("$(id)")
        );
    }

    #[test]
    fn tokens_users_and_identifiers_have_their_forms() {
        assert!(is_token("abcdef.0123456789abcdef") && is_token("{{.TokenID}}.{{.TokenSecret}}"));
        assert!(!is_token("abcdef") && !is_token("a.$(id)") && !is_token(".a"));
        assert!(is_user("azureuser") && !is_user("1a") && !is_user("") && !is_user(&"a".repeat(33)));
        assert!(
            is_uuid("a519e60a-cac0-40b2-b883-084477fe6f5c") && !is_uuid("a519e60acac040b2b883084477fe6f5c")
        );
        assert!(is_sysctl_pattern("net.core.*") && !is_sysctl_pattern("*") && !is_sysctl_pattern("a b"));
        assert!(is_host("fd00::a") && is_host("a.example") && !is_host("a b") && !is_host(""));
    }
}
