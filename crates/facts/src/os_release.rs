use slipway_host::Host;
use slipway_model::Os;

use crate::{Missing, text};

/// The second is where images keep it that leave `/etc` to the first boot.
const FILES: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

/// The operating system.
pub(crate) fn os(host: &dyn Host) -> Result<Os, Missing> {
    let file = text(host, FILES[0]).or_else(|_| text(host, FILES[1]))?;
    let value = |key| value(&file, key).unwrap_or_default();
    Ok(Os { id: value("ID"), version_id: value("VERSION_ID"), variant_id: value("VARIANT_ID") })
}

/// The value of a key; the last line counts, as it would in a shell.
fn value(file: &str, key: &str) -> Option<String> {
    let of_key = |line: &str| line.trim().strip_prefix(key)?.strip_prefix('=').map(str::to_owned);
    file.lines().filter_map(of_key).next_back().map(|value| unquoted(value.trim()))
}

/// A value without its quotes: in double quotes and outside a backslash takes the meaning from the next character,
/// in single quotes nothing does.
fn unquoted(value: &str) -> String {
    if let Some(inner) = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.to_owned();
    }
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_every_kind_of_quote() {
        let file = "# a comment\nID=ubuntu\nVERSION_ID=\"22.04\"\n VARIANT_ID='flat car'\nNAME=\"a \\\"b\\\" \\$c\"\nID_LIKE=debian\n";
        for (key, expected) in [
            ("ID", Some("ubuntu")),
            ("VERSION_ID", Some("22.04")),
            ("VARIANT_ID", Some("flat car")),
            ("NAME", Some("a \"b\" $c")),
            ("PRETTY_NAME", None),
        ] {
            assert_eq!(value(file, key).as_deref(), expected, "{key}");
        }
        assert_eq!(value("ID=a\nID=b", "ID").as_deref(), Some("b"));
        assert_eq!(unquoted("\""), "\"");
    }
}
