//! The kernel settings of a node, as the file that `sysctl` loads.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use slipway_model::Mode;

/// What every node gets, unless something else was asked for.
const DEFAULTS: [(&str, i32); 8] = [
    ("net.core.message_burst", 80),
    ("net.core.message_cost", 40),
    ("net.core.somaxconn", 16384),
    ("net.ipv4.neigh.default.gc_thresh1", 4096),
    ("net.ipv4.neigh.default.gc_thresh2", 8192),
    ("net.ipv4.neigh.default.gc_thresh3", 16384),
    ("net.ipv4.tcp_max_syn_backlog", 16384),
    ("net.ipv4.tcp_retries2", 8),
];

const PORT_RANGE: &str = "net.ipv4.ip_local_port_range";
const RESERVED_PORTS: &str = "net.ipv4.ip_local_reserved_ports";
/// The platform's own port at the upper end; a range that goes beyond it has to leave it out.
const PLATFORM_PORT: i64 = 65330;

/// The value of a kernel setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sysctl<'a> {
    /// A number.
    Number(i32),
    /// A switch: 1 or 0.
    Switch(bool),
    /// A text, such as a range of ports; empty is unset.
    Text(&'a str),
}

/// A setting that the file cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the kernel setting {name} is {value:?}: a line break would start another setting")]
pub struct SysctlError {
    /// The kernel's name of the setting.
    pub name: String,
    /// What was asked for.
    pub value: String,
}

/// The settings that were asked for on top of the defaults, one in a line, sorted by name.
pub fn sysctl_file<'a>(
    requested: impl IntoIterator<Item = (&'a str, Sysctl<'a>)>,
    mode: Mode,
) -> Result<String, SysctlError> {
    let mut settings: BTreeMap<&str, Sysctl<'_>> =
        DEFAULTS.into_iter().map(|(name, value)| (name, Sysctl::Number(value))).collect();
    for (name, value) in requested {
        match value {
            Sysctl::Text("") => continue,
            Sysctl::Text(text) if mode == Mode::Ours && text.contains(['\n', '\r']) => {
                return Err(SysctlError { name: name.to_owned(), value: text.to_owned() });
            }
            Sysctl::Text(text) if name == PORT_RANGE && takes_platform_port(text) => {
                settings.insert(RESERVED_PORTS, Sysctl::Text("65330"));
            }
            _ => {}
        }
        settings.insert(name, value);
    }
    let mut out = String::with_capacity(1024);
    for (name, value) in settings {
        // Writing to a string cannot fail.
        let _ = match value {
            Sysctl::Number(number) => writeln!(out, "{name}={number}"),
            Sysctl::Switch(on) => writeln!(out, "{name}={}", i32::from(on)),
            Sysctl::Text(text) => writeln!(out, "{name}={text}"),
        };
    }
    Ok(out)
}

/// Whether a range of two positive numbers with one space between them goes beyond the platform's port.
fn takes_platform_port(range: &str) -> bool {
    let Some((start, end)) = range.split_once(' ') else { return false };
    match (start.parse::<i64>(), end.parse::<i64>()) {
        (Ok(start), Ok(end)) => start > 0 && start < end && end > PLATFORM_PORT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_stand_unless_something_else_was_asked_for() {
        let text = sysctl_file([], Mode::Ours).unwrap();
        assert_eq!(text.lines().count(), 8);
        assert!(
            text.starts_with("net.core.message_burst=80\n") && text.ends_with("net.ipv4.tcp_retries2=8\n")
        );
        let asked =
            [("net.core.somaxconn", Sysctl::Number(1)), ("net.ipv4.tcp_tw_reuse", Sysctl::Switch(true))];
        let text = sysctl_file(asked, Mode::Ours).unwrap();
        assert!(text.contains("net.core.somaxconn=1\n") && text.contains("net.ipv4.tcp_tw_reuse=1\n"));
    }

    #[test]
    fn a_range_beyond_the_platforms_port_leaves_it_out() {
        for (range, reserved) in [
            ("32768 65400", true),
            ("+1024 65331", true),
            ("1024 65330", false),
            ("0 65400", false),
            ("65400 65400", false),
            ("1024  65400", false),
            ("1024\t65400", false),
            ("1024 65400 1", false),
            ("a b", false),
        ] {
            let text = sysctl_file([(PORT_RANGE, Sysctl::Text(range))], Mode::Ours).unwrap();
            assert!(text.contains(range));
            assert_eq!(text.contains("ip_local_reserved_ports=65330\n"), reserved, "{range}");
        }
        assert!(!sysctl_file([(PORT_RANGE, Sysctl::Text(""))], Mode::Ours).unwrap().contains(PORT_RANGE));
    }

    #[test]
    fn a_setting_cannot_bring_another() {
        let odd = [(PORT_RANGE, Sysctl::Text("1 2\nkernel.panic=1"))];
        assert_eq!(sysctl_file(odd, Mode::Ours).unwrap_err().name, PORT_RANGE);
        assert!(sysctl_file(odd, Mode::Compat).is_ok());
    }
}
