//! Values in Kubernetes' own notations, parsed: versions, quantities, durations.

/// A Kubernetes version, read as leniently as the node reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
    patch: u32,
    /// A pre-release comes before the release.
    release: bool,
}

impl Version {
    /// Reads `1.33.2`, and also `v1.33.2`, `1.33` and `1.33.0-beta.1`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split_once('+').map_or(text, |(version, _)| version);
        let (numbers, pre_release) = match text.split_once('-') {
            Some((numbers, pre_release)) => (numbers, Some(pre_release)),
            None => (text, None),
        };
        if pre_release.is_some_and(str::is_empty) {
            return None;
        }
        let mut parts = numbers.split('.').map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        });
        let major = parts.next()??;
        let mut next = || parts.next().map_or(Some(0), |part: Option<u32>| part);
        let (minor, patch) = (next()?, next()?);
        if parts.next().is_some() {
            return None;
        }
        Some(Self { major, minor, patch, release: pre_release.is_none() })
    }

    /// Whether this version is that of a minor release, or a later one.
    pub(super) fn is_at_least(self, major: u32, minor: u32) -> bool {
        self >= Self { major, minor, patch: 0, release: true }
    }
}

/// The number that a quantity stands for: `500m`, `1.5Gi`, `2e3`.
pub(super) fn quantity(text: &str) -> Option<f64> {
    const SUFFIXES: [(&str, f64); 15] = [
        ("", 1.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
    ];
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (digits, suffix) = unsigned.split_at(end);
    let number: f64 = decimal(digits)?;
    let factor = match SUFFIXES.iter().find(|(known, _)| *known == suffix) {
        Some((_, factor)) => *factor,
        None if suffix == "Ei" => 1_152_921_504_606_846_976.0,
        None => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            10f64.powi(exponent)
        }
    };
    Some(if text.starts_with('-') { -number * factor } else { number * factor })
}

/// The seconds of a duration in Go's notation: `1h30m`, `300ms`, `0`.
pub(super) fn duration(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 8] = [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("μs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
    ];
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "0" {
        return Some(0.0);
    }
    let mut rest = unsigned;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (digits, after) = rest.split_at(end);
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        seconds += decimal(digits)? * UNITS.iter().find(|(known, _)| *known == unit)?.1;
        rest = after;
    }
    if unsigned.is_empty() {
        return None;
    }
    Some(if text.starts_with('-') { -seconds } else { seconds })
}

/// Digits with at most one dot among them: `1`, `1.5`, `.5`, `1.`.
fn decimal(digits: &str) -> Option<f64> {
    let plain = digits.bytes().any(|byte| byte.is_ascii_digit()) && digits.matches('.').count() <= 1;
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_node_reads_them() {
        for text in ["1.33.2", "v1.22", "2", "01.22.0", "1.33.0-beta.1", "1.30.0-hotfix.20240131", "1.30.0+x"]
        {
            assert!(Version::parse(text).is_some(), "{text}");
        }
        for text in ["", "V1.34.0", " 1.34.0", "1.34.x", "1.34.0.1", "1..2", "1.34.0-", "latest"] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
        let at_least = |text| Version::parse(text).is_some_and(|version| version.is_at_least(1, 34));
        assert!(at_least("1.34.0") && at_least("1.35.0-alpha.1") && at_least("2"));
        assert!(!at_least("1.33.9") && !at_least("1.34.0-rc.0"));
    }

    #[test]
    fn quantities_follow_kubernetes() {
        for (text, number) in
            [("1", 1.0), ("500m", 0.5), ("1.5Gi", 1_610_612_736.0), ("2e3", 2000.0), (".5", 0.5)]
        {
            assert_eq!(quantity(text), Some(number), "{text}");
        }
        for text in ["", "1 Gi", "1GB", "Gi", "1.2.3", "1gi", "ten", "1e"] {
            assert_eq!(quantity(text), None, "{text}");
        }
    }

    #[test]
    fn durations_follow_go() {
        for (text, seconds) in
            [("4h0m0s", 14400.0), ("1.5h", 5400.0), ("0", 0.0), ("100ms", 0.1), ("-1s", -1.0)]
        {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
        for text in ["", "5", "5 s", "1d", "s", "1h30", "-"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
