//! Versions of images: which is newer, and which a gallery's newest is.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use super::gallery::{AZURE_LINUX, UBUNTU};

/// A version in a community gallery.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommunityVersion {
    /// The version's name.
    pub name: String,
    /// When it was published.
    #[serde(default, deserialize_with = "timestamp")]
    pub published_date: Option<Timestamp>,
}

/// A version in the list that AKS gives of its node images in a region.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct NodeImageVersion {
    /// The operating system, which is also the gallery.
    pub os: String,
    /// The definition's name.
    pub sku: String,
    /// The version.
    pub version: String,
}

/// The versions that galleries have.
#[derive(Debug, Clone, Copy)]
pub enum Catalogue<'a> {
    /// Every gallery's newest is this one.
    Latest(&'a str),
    /// Versions by definition.
    Community(&'a BTreeMap<String, Vec<CommunityVersion>>),
    /// The list of AKS.
    Shared(&'a [NodeImageVersion]),
}

impl<'a> Catalogue<'a> {
    /// The newest version of a definition; `None` where there is none.
    pub fn newest(&self, gallery: &str, definition: &str) -> Option<&'a str> {
        match *self {
            Self::Latest(version) => Some(version),
            Self::Community(versions) => newest_published(versions.get(definition)?),
            Self::Shared(versions) => versions
                .iter()
                .filter(|version| version.os == gallery && version.sku == definition)
                .map(|version| version.version.as_str())
                .reduce(|newest, version| if is_newer(version, newest) { version } else { newest }),
        }
    }
}

/// The version that was published last; the first of those that were published at once.
fn newest_published(versions: &[CommunityVersion]) -> Option<&str> {
    versions
        .iter()
        .reduce(
            |newest, version| if version.published_date > newest.published_date { version } else { newest },
        )
        .map(|version| version.name.as_str())
}

/// Whether one version is newer than another: numbers between dots, from left to right; with equal beginnings the
/// longer one. A part that is no number makes it not newer.
pub fn is_newer(version: &str, than: &str) -> bool {
    let (mut left, mut right) = (version.split('.'), than.split('.'));
    loop {
        match (left.next(), right.next()) {
            (Some(left), Some(right)) => match (left.parse::<i64>(), right.parse::<i64>()) {
                (Ok(left), Ok(right)) if left == right => {}
                (Ok(left), Ok(right)) => return left > right,
                _ => return false,
            },
            (longer, _) => return longer.is_some(),
        }
    }
}

/// The newest version of each image of Ubuntu and Azure Linux, sorted by operating system and definition.
pub fn newest_of_each(versions: &[NodeImageVersion]) -> Vec<&NodeImageVersion> {
    let mut newest: BTreeMap<(&str, &str), &NodeImageVersion> = BTreeMap::new();
    let systems = [UBUNTU.name, AZURE_LINUX.name];
    for version in versions.iter().filter(|version| systems.contains(&version.os.as_str())) {
        newest
            .entry((&version.os, &version.sku))
            .and_modify(|best| {
                if is_newer(&version.version, &best.version) {
                    *best = version;
                }
            })
            .or_insert(version);
    }
    newest.into_values().collect()
}

fn timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Option::<String>::deserialize(deserializer)?
        .map(|text| {
            text.parse().map_err(|_| {
                serde::de::Error::custom(format!("{text:?} is not a time such as 2026-05-23T08:00:00Z"))
            })
        })
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        for (version, than, expected) in [
            ("202405.20.0", "202404.09.0", true),
            ("202411.12.0", "2022.12.15", true),
            ("2022.10.03", "2022.12.15", false),
            ("1.2", "1.2", false),
            ("1.2.0", "1.2", true),
            ("1.2", "1.2.0", false),
            ("2o2411.12.0", "202405.20.0", false),
            ("202411.12.0", "2o2405.20.0", false),
            ("10.0", "9.0", true),
        ] {
            assert_eq!(is_newer(version, than), expected, "{version} {than}");
        }
    }
}
