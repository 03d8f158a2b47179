//! Lines that tell of known troubles, and how a line is quoted.

use super::{Place, Stamp};
use crate::scrub::without_secrets;

/// A line that tells of a known trouble.
#[derive(Debug, Clone)]
pub struct Sign {
    /// The trouble, by the name of the finding that it supports.
    pub id: &'static str,
    /// When, where the line says.
    pub time: Option<Stamp>,
    /// The line.
    pub place: Place,
}

/// What a line has to contain to be a sign: the first, and one of the others where there are any.
pub(super) struct Known {
    has: &'static str,
    with: &'static [&'static str],
    id: &'static str,
}

/// As many signs of one trouble are kept from one file.
pub(super) const MOST: usize = 50;

/// As much of a line is quoted.
const QUOTED: usize = 240;

const fn known(has: &'static str, with: &'static [&'static str], id: &'static str) -> Known {
    Known { has, with, id }
}

const FAILED: &[&str] =
    &["failed", "Failed", "timed out", "refused", "rror", "unreachable", "Retry", "retry"];

/// What scripts, cloud-init and extensions print.
pub(super) const SCRIPTS: [Known; 9] = [
    known("Could not get lock /var/lib/", &[], "apt-lock"),
    known("Waiting for cache lock", &[], "apt-lock"),
    known("no servers could be reached", &[], "dns-failover"),
    known("Temporary failure in name resolution", &[], "dns-failover"),
    known("169.254.169.254", FAILED, "imds-retries"),
    known("mcr.microsoft.com", FAILED, "registry-unreachable"),
    known("Could not resolve host", &[], "dns-failover"),
    known("Failed to connect to", &[], "api-server-unreachable"),
    known("connect to ", &["timed out", "refused", "No route to host"], "api-server-unreachable"),
];

/// What kubelet logs.
pub(super) const KUBELET: [Known; 8] = [
    known("cni plugin not initialized", &[], "cni-not-ready"),
    known("NetworkPluginNotReady", &[], "cni-not-ready"),
    known("certificate request was not signed", &[], "certificate-not-approved"),
    known("not yet valid", &["x509"], "clock-skew"),
    known("\"Unable to register node with API server\"", &[], "api-server-unreachable"),
    known("ErrImagePull", &[], "registry-unreachable"),
    known("failed to resolve reference", &[], "registry-unreachable"),
    known("Temporary failure in name resolution", &[], "dns-failover"),
];

/// What the container runtime logs.
pub(super) const CONTAINERD: [Known; 2] = [
    known("failed to resolve reference", &[], "registry-unreachable"),
    known("failed to do request", &[], "registry-unreachable"),
];

/// What Azure's agent logs.
pub(super) const AGENT: [Known; 1] = [known("169.254.169.254", FAILED, "imds-retries")];

/// The trouble that a line tells of.
pub(super) fn find(line: &str, signs: &[Known]) -> Option<&'static str> {
    let tells = |sign: &&Known| {
        line.contains(sign.has) && (sign.with.is_empty() || sign.with.iter().any(|word| line.contains(word)))
    };
    signs.iter().find(tells).map(|sign| sign.id)
}

/// A line as it is quoted: short, on one line, and without what looks like a secret. Half a secret would not look like one,
/// so what is too long is cut last.
pub(super) fn excerpt(line: &str) -> String {
    let mut quoted = shown(&without_secrets(line.trim()));
    let end = quoted.floor_char_boundary(QUOTED);
    if end < quoted.len() {
        quoted.truncate(end);
        quoted.push('…');
    }
    quoted
}

/// A text that cannot move a terminal's cursor, colour what follows, or turn it around.
pub(super) fn shown(text: &str) -> String {
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |letter: char| match letter {
        '\t' | '\n' | '\r' => ' ',
        other if other.is_control() || turns(other) => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn troubles_are_recognised_and_ordinary_lines_are_not() {
        for (line, expected) in [
            (
                "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812",
                Some("apt-lock"),
            ),
            ("+ curl http://169.254.169.254/metadata/instance", None),
            ("curl: (28) Failed to reach 169.254.169.254: timed out", Some("imds-retries")),
            (";; connection timed out; no servers could be reached", Some("dns-failover")),
            ("Reading package lists...", None),
        ] {
            assert_eq!(find(line, &SCRIPTS), expected, "{line}");
        }
    }

    #[test]
    fn a_quoted_line_is_short_and_tells_no_secret() {
        assert_eq!(excerpt("  --token abcdef.0123456789abcdef "), "--token ***");
        assert!(excerpt(&"ä ".repeat(500)).len() <= QUOTED + '…'.len_utf8());
        for before in QUOTED - 30..=QUOTED {
            let told = excerpt(&format!("{} abcdef.0123456789abcdef and on", "x".repeat(before)));
            assert!(!told.contains("abcdef"), "{told}");
        }
    }

    #[test]
    fn a_quoted_line_is_one_line_and_commands_no_terminal() {
        assert_eq!(excerpt("a\tb\u{1b}[31mc\r\nd\u{202e}e"), "a b\u{fffd}[31mc  d\u{fffd}e");
    }
}
