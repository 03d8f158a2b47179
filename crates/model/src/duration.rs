//! Durations as Go writes them: `1h30m`, `260ms`, `1.5s`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

const SECOND: i64 = 1_000_000_000;

/// Units, longest name first where one is the beginning of another.
const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
];

/// A duration in nanoseconds, read from and written in Go's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GoDuration(i64);

impl GoDuration {
    /// A duration of this many nanoseconds.
    pub const fn of_nanoseconds(nanoseconds: i64) -> Self {
        Self(nanoseconds)
    }

    /// Nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        self.0
    }

    /// Reads Go's form; `None` for text that is not a duration, or too long for one.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, mut rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if rest == "0" {
            return Some(Self(0));
        }
        if rest.is_empty() {
            return None;
        }
        let mut total: i128 = 0;
        while !rest.is_empty() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
            let (number, tail) = rest.split_at(digits);
            let unit_len = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(unit_len);
            let nanoseconds = UNITS.iter().find(|(name, _)| *name == unit)?.1;
            total += amount(number, nanoseconds)?;
            if total > i128::from(i64::MAX) {
                return None;
            }
            rest = tail;
        }
        i64::try_from(if negative { -total } else { total }).ok().map(Self)
    }
}

/// A decimal number of units in nanoseconds; what is finer than a nanosecond is cut off.
fn amount(number: &str, unit: i64) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let mut total = match whole {
        "" => 0,
        whole => i128::from(whole.parse::<u64>().ok()?) * i128::from(unit),
    };
    let mut place = i128::from(unit) * 1_000_000_000;
    for digit in fraction.bytes().take(18) {
        place /= 10;
        total += place * i128::from(digit - b'0') / 1_000_000_000;
    }
    Some(total)
}

impl fmt::Display for GoDuration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            out.write_str("-")?;
        }
        let total = self.0.unsigned_abs();
        let (unit, name) = match total {
            0 => return out.write_str("0s"),
            1..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "µs"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        let (units, fraction) = (total / unit, total % unit);
        let units = if unit == 1_000_000_000 {
            let (hours, minutes) = (units / 3_600, units / 60 % 60);
            if hours > 0 {
                write!(out, "{hours}h")?;
            }
            if hours > 0 || minutes > 0 {
                write!(out, "{minutes}m")?;
            }
            units % 60
        } else {
            units
        };
        write!(out, "{units}")?;
        if fraction > 0 {
            let width = unit.ilog10() as usize;
            let digits = format!("{fraction:0width$}");
            write!(out, ".{}", digits.trim_end_matches('0'))?;
        }
        out.write_str(name)
    }
}

impl<'de> Deserialize<'de> for GoDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text)
            .ok_or_else(|| D::Error::custom(format!("{text:?} is not a duration such as 1h30m or 100ms")))
    }
}

impl Serialize for GoDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_as_go_does() {
        for (text, nanoseconds, written) in [
            ("0s", 0, "0s"),
            ("0", 0, "0s"),
            ("90s", 90 * SECOND, "1m30s"),
            ("1h", 3_600 * SECOND, "1h0m0s"),
            ("1h25m54s", 5_154 * SECOND, "1h25m54s"),
            ("260ms", 260_000_000, "260ms"),
            ("1.349s", 1_349_000_000, "1.349s"),
            ("1500us", 1_500_000, "1.5ms"),
            ("-1.5h", -5_400 * SECOND, "-1h30m0s"),
            ("+3ns", 3, "3ns"),
            (".5s", 500_000_000, "500ms"),
            ("1.s", SECOND, "1s"),
        ] {
            let read = GoDuration::parse(text).unwrap();
            assert_eq!((read.nanoseconds(), read.to_string().as_str()), (nanoseconds, written), "{text}");
        }
        for text in ["", "-", "1", "s", ".s", "1x", "1h30", " 1s", "1..5s", "9999999999h", "1 s"] {
            assert_eq!(GoDuration::parse(text), None, "{text}");
        }
    }
}
