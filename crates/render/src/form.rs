//! The forms without which CoreDNS refuses a value, and with it the whole file.

use std::borrow::Cow;
use std::net::IpAddr;

/// A form, by what it is called and what has it.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) fits: fn(&str) -> bool,
}

pub(crate) const DOMAIN: Form = Form { name: "a domain", fits: is_domain };
pub(crate) const DURATION: Form = Form { name: "a duration like 5s", fits: is_duration };
pub(crate) const ADDRESS: Form = Form { name: "an IP address", fits: |text| text.parse::<IpAddr>().is_ok() };

/// Units as Go spells them; where one begins like another, the longer one comes first.
const UNITS: [(&str, f64); 6] =
    [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
/// What Go's durations hold.
const LONGEST_SECONDS: f64 = 9.2e9;

/// Braces open blocks or name variables of the environment, quotes and white space end a word, `#` ends the line.
fn is_word(text: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\\' | '{' | '}' | '#');
    !text.is_empty() && !text.contains(odd)
}

/// A value as one word, in quotes if need be.
pub(crate) fn one_word(value: &str) -> Cow<'_, str> {
    if is_word(value) {
        return value.into();
    }
    // A doubled backslash reads as two: ugly, but it cannot take the closing quote with it.
    format!("\"{}\"", value.replace('\\', r"\\").replace('"', r#"\""#)).into()
}

/// Colons and slashes are not for domains: to CoreDNS they are ports, transports and networks.
fn is_domain(text: &str) -> bool {
    let labels = text.strip_suffix('.').unwrap_or(text);
    let label = |label: &str| (1..=63).contains(&label.len()) && !label.contains([':', '/']);
    is_word(text) && text.len() <= 253 && (text == "." || labels.split('.').all(label))
}

/// Whether CoreDNS serves both as one, and so refuses to start.
pub(crate) fn same_domain(one: &str, other: &str) -> bool {
    one.trim_end_matches('.').eq_ignore_ascii_case(other.trim_end_matches('.'))
}

fn is_duration(text: &str) -> bool {
    let mut rest = text;
    let mut seconds = 0.0;
    while let Some(at) = rest.find(|c: char| !c.is_ascii_digit() && c != '.') {
        let (number, tail) = rest.split_at(at);
        let unit = UNITS.iter().find_map(|(unit, length)| Some((tail.strip_prefix(unit)?, length)));
        let (Ok(number), Some((tail, length))) = (number.parse::<f64>(), unit) else { return false };
        seconds += number * length;
        rest = tail;
    }
    !text.is_empty() && rest.is_empty() && seconds < LONGEST_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_that_go_reads() {
        for text in ["5s", "500ms", "1h30m", "1.5m", "0s", ".5s"] {
            assert!(is_duration(text), "{text}");
        }
        for text in ["", "5", "s", "-1s", "5 s", "5sec", "1..5s", "5S", "99999999h", "test"] {
            assert!(!is_duration(text), "{text}");
        }
    }

    #[test]
    fn neither_case_nor_a_final_dot_makes_another_domain() {
        assert!(same_domain("a.b", "A.b.") && same_domain(".", "."));
        assert!(!same_domain("a.b", "a.bc") && !same_domain("a", "."));
    }

    #[test]
    fn domains_have_labels_and_nothing_else() {
        let long = "a".repeat(63);
        for text in [".", "a", "a.b.", "cluster.local", "_tcp.a", &long] {
            assert!(is_domain(text), "{text}");
        }
        for text in ["", "..", "a..b", ".a", "a:53", "tls://a", "10.0.0.0/8", "a b", &format!("{long}a")] {
            assert!(!is_domain(text), "{text}");
        }
    }
}
