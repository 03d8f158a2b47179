//! Amounts of resources, written as Kubernetes writes them.

use std::fmt;

/// An amount of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Thousandths, for CPU.
    Milli(i64),
    /// Bytes, written with powers of 1024.
    Bytes(i64),
    /// Whole units, written with powers of 1000.
    Units(i64),
}

impl Quantity {
    /// Whole units; a started one counts.
    pub fn value(self) -> i64 {
        match self {
            Self::Milli(milli) => milli.div_euclid(1000) + i64::from(milli.rem_euclid(1000) > 0),
            Self::Bytes(units) | Self::Units(units) => units,
        }
    }

    /// What is left of this after `taken`, an amount of the same resource.
    #[must_use]
    pub fn minus(self, taken: Self) -> Self {
        match (self, taken) {
            (Self::Bytes(have), taken) => Self::Bytes(have - taken.value()),
            (have, taken) => Self::Milli(have.milli() - taken.milli()),
        }
    }

    fn milli(self) -> i64 {
        match self {
            Self::Milli(milli) => milli,
            Self::Bytes(units) | Self::Units(units) => units.saturating_mul(1000),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Milli(milli) if milli % 1000 == 0 => {
                scaled(out, milli / 1000, 1000, &["", "k", "M", "G", "T", "P", "E"])
            }
            Self::Milli(milli) => write!(out, "{milli}m"),
            Self::Bytes(bytes) => scaled(out, bytes, 1024, &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]),
            Self::Units(units) => scaled(out, units, 1000, &["", "k", "M", "G", "T", "P", "E"]),
        }
    }
}

/// The largest unit that the amount is a whole number of.
fn scaled(out: &mut fmt::Formatter<'_>, mut amount: i64, step: i64, names: &[&str]) -> fmt::Result {
    let mut unit = 0;
    while amount != 0 && amount % step == 0 && unit + 1 < names.len() {
        amount /= step;
        unit += 1;
    }
    write!(out, "{amount}{}", names[unit])
}

impl serde::Serialize for Quantity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_take_the_largest_whole_unit() {
        for (quantity, text) in [
            (Quantity::Milli(140), "140m"),
            (Quantity::Milli(32_000), "32"),
            (Quantity::Bytes(0), "0"),
            (Quantity::Bytes(750 << 20), "750Mi"),
            (Quantity::Bytes(17 << 30), "17Gi"),
            (Quantity::Bytes(257_010_842_992), "257010842992"),
            (Quantity::Units(64_000_000_000), "64G"),
            (Quantity::Units(2_000_000_000_000), "2T"),
        ] {
            assert_eq!(quantity.to_string(), text);
        }
        assert_eq!(Quantity::Milli(1001).value(), 2);
    }
}
