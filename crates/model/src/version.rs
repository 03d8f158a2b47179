//! Kubernetes versions, read as leniently as the peer's library reads them.

/// A Kubernetes version that says something: `1.33.4`, `v1.22`, `2`, `01.22.0`, `1.34.0-rc.1+build`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KubernetesVersion {
    numbers: [u64; 3],
    released: bool,
}

impl KubernetesVersion {
    /// Reads a version; `None` for text that is not one, such as `1.34.x` or `V1.34.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, build) = split(text, '+');
        let (core, candidate) = split(text, '-');
        let well_formed = |part: Option<&str>, word: fn(&str) -> bool| {
            part.is_none_or(|part| {
                part.split('.').all(|identifier| is_identifier(identifier) && word(identifier))
            })
        };
        if !well_formed(build, |_| true) || !well_formed(candidate, has_no_leading_zero) {
            return None;
        }
        let mut numbers = [0; 3];
        for (at, part) in core.split('.').enumerate() {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            *numbers.get_mut(at)? = part.parse().ok()?;
        }
        Some(Self { numbers, released: candidate.is_none() })
    }

    /// Whether this is `major.minor.0` or later. A candidate of `major.minor.0` comes before it.
    pub fn is_at_least(self, major: u64, minor: u64) -> bool {
        let wanted = [major, minor, 0];
        self.numbers > wanted || self.numbers == wanted && self.released
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(head, tail)| (head, Some(tail)))
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_no_leading_zero(identifier: &str) -> bool {
    !(identifier.len() > 1 && identifier.starts_with('0') && identifier.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_leniently() {
        for text in ["1.22.0", "01.22.0", "v1.22", "2", "1.34.0-rc.1", "1.34.0-rc.1+b.01", "1.30-a--b", "1+x"]
        {
            assert!(KubernetesVersion::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "V1.34.0",
            " 1.34.0",
            "1.34.x",
            "1.34.0.1",
            "1.",
            ".1",
            "+1.2",
            "1.2-",
            "1.2+",
            "1.2-01",
            "1.2-a..b",
            "1.2.3-é",
            "99999999999999999999.0.0",
            "1.34.0\n",
        ] {
            assert!(KubernetesVersion::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn candidates_come_before_their_release() {
        for (text, expected) in [
            ("1.34.0", true),
            ("1.34.0+x", true),
            ("1.34.0-rc.1", false),
            ("1.34.1-rc.1", true),
            ("1.35.0-alpha.1", true),
            ("1.33.9", false),
            ("v1.34", true),
            ("2", true),
        ] {
            assert_eq!(KubernetesVersion::parse(text).unwrap().is_at_least(1, 34), expected, "{text}");
        }
    }
}
