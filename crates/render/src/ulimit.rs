//! The limits of containerd's unit, as the line that the scripts break at its spaces.

use slipway_model::Mode;

/// Limits of containerd and of all that runs below it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ulimits<'a> {
    /// Open files.
    pub open_files: Option<&'a str>,
    /// Locked memory.
    pub locked_memory: Option<&'a str>,
}

/// A limit that the unit file cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the limit {name} is {value:?}: white space would start another line of containerd's unit")]
pub struct UlimitError {
    /// The unit's name of the limit.
    pub name: &'static str,
    /// What was asked for.
    pub value: String,
}

/// The drop-in of containerd's unit on one line.
pub fn containerd_ulimits(limits: Ulimits<'_>, mode: Mode) -> Result<String, UlimitError> {
    let mut out = "[Service] ".to_owned();
    for (name, value) in [("LimitMEMLOCK", limits.locked_memory), ("LimitNOFILE", limits.open_files)] {
        let Some(value) = value else { continue };
        if mode == Mode::Ours && value.contains(char::is_whitespace) {
            return Err(UlimitError { name, value: value.to_owned() });
        }
        for part in [name, "=", value, " "] {
            out.push_str(part);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stand_on_one_line() {
        let both = Ulimits { open_files: Some("1048"), locked_memory: Some("1024") };
        assert_eq!(
            containerd_ulimits(both, Mode::Ours).unwrap(),
            "[Service] LimitMEMLOCK=1024 LimitNOFILE=1048 "
        );
        assert_eq!(containerd_ulimits(Ulimits::default(), Mode::Ours).unwrap(), "[Service] ");
    }

    #[test]
    fn a_limit_cannot_bring_another_line() {
        let odd = Ulimits { open_files: Some("1 ExecStartPre=/bin/x"), ..Ulimits::default() };
        assert_eq!(containerd_ulimits(odd, Mode::Ours).unwrap_err().name, "LimitNOFILE");
        assert!(containerd_ulimits(odd, Mode::Compat).is_ok());
    }
}
