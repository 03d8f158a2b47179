//! Versions of releases, in order.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The version of a release: `1.34.3`, `2.1.8`, `1.34.0-rc.1`. A leading `v` is dropped.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    text: String,
    numbers: [u32; 3],
    candidate: Option<String>,
}

/// Text that is no whole version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no version; give one such as 1.34.3")]
pub struct VersionError(String);

impl Version {
    /// The version without a leading `v`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its minor, such as 1.34.
    pub const fn series(&self) -> (u32, u32) {
        (self.numbers[0], self.numbers[1])
    }

    /// Whether it is a patch of this minor, such as 1.34.
    pub fn is_of(&self, minor: (u32, u32)) -> bool {
        self.series() == minor
    }

    /// Whether it is one for everybody, not a candidate.
    pub fn is_released(&self) -> bool {
        self.candidate.is_none()
    }

    /// The minor that a text names, such as `1.34` or `v1.34`; nothing for anything else.
    pub fn minor(text: &str) -> Option<(u32, u32)> {
        let (major, minor) = text.strip_prefix('v').unwrap_or(text).split_once('.')?;
        Some((number(major)?, number(minor)?))
    }
}

fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || VersionError(text.to_owned());
        let bare = text.strip_prefix('v').unwrap_or(text);
        let (core, candidate) = bare.split_once('-').map_or((bare, None), |(core, rest)| (core, Some(rest)));
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        if candidate.is_some_and(|it| it.is_empty() || !it.chars().all(fits)) {
            return Err(error());
        }
        let mut parts = core.split('.');
        let mut next = || parts.next().and_then(number).ok_or_else(error);
        let numbers = [next()?, next()?, next()?];
        if parts.next().is_some() {
            return Err(error());
        }
        Ok(Self { text: bare.to_owned(), numbers, candidate: candidate.map(str::to_owned) })
    }
}

impl TryFrom<String> for Version {
    type Error = VersionError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.text
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Ord for Version {
    /// Candidates come before their release; among themselves they are ordered part by part, numbers by value.
    fn cmp(&self, other: &Self) -> Ordering {
        let candidates = || match (&self.candidate, &other.candidate) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => parts(a).cmp(parts(b)),
        };
        self.numbers.cmp(&other.numbers).then_with(candidates).then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Numbers come before words.
fn parts(candidate: &str) -> impl Iterator<Item = (u8, u32, &str)> {
    candidate.split('.').map(|part| number(part).map_or((1, 0, part), |value| (0, value, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_value() {
        let ordered =
            ["1.9.0", "1.34.0-alpha.2", "1.34.0-rc.2", "1.34.0-rc.10", "1.34.0", "1.34.2", "1.34.10"];
        let versions: Vec<Version> = ordered.iter().map(|text| text.parse().unwrap()).collect();
        assert!(versions.is_sorted_by(|a, b| a < b));
        assert_eq!("v1.34.3".parse::<Version>().unwrap().as_str(), "1.34.3");
    }

    #[test]
    fn what_is_no_whole_version_is_refused_and_a_minor_is_told_from_it() {
        for text in ["", "1", "1.34", "1.34.x", "1.34.3.1", "1.34.3-", "1.34.3-a/b", "01.2.3", "1.+2.3"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
        assert_eq!(Version::minor("v1.34"), Some((1, 34)));
        for text in ["1.34.3", "1", "1.x", "stable"] {
            assert_eq!(Version::minor(text), None, "{text}");
        }
    }
}
