//! Names of container images.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The registry of names that do not begin with one.
const DEFAULT_REGISTRY: &str = "docker.io";
/// Where that registry has names of one word.
const DEFAULT_FOLDER: &str = "library";

/// An image's whole name, with its registry and a tag or a digest, as container runtimes know it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageName(String);

/// A text that names no image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no image's name, such as registry.example/pause:3.10")]
pub struct ImageNameError(String);

impl ImageName {
    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its registry: a host, and a port where it has one.
    pub fn registry(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }
}

impl FromStr for ImageName {
    type Err = ImageNameError;

    /// What a name leaves out is filled in as `docker` does it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ImageNameError(text.to_owned());
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/:@+".contains(&byte);
        if !text.starts_with(|first: char| first.is_ascii_alphanumeric()) || !text.bytes().all(letters) {
            return Err(wrong());
        }
        let is_registry = |word: &str| word.contains(['.', ':']) || word == "localhost";
        let (registry, path) = match text.split_once('/') {
            Some((first, rest)) if is_registry(first) => (first, rest.to_owned()),
            Some(_) => (DEFAULT_REGISTRY, text.to_owned()),
            None => (DEFAULT_REGISTRY, format!("{DEFAULT_FOLDER}/{text}")),
        };
        let (before, last) = path.rsplit_once('/').map_or(("x", &*path), |(before, last)| (before, last));
        let word = last.split([':', '@']).next().unwrap_or_default();
        if word.is_empty() || before.split('/').any(str::is_empty) || last.ends_with([':', '@']) {
            return Err(wrong());
        }
        let tag = if last.contains([':', '@']) { "" } else { ":latest" };
        Ok(Self(format!("{registry}/{path}{tag}")))
    }
}

impl TryFrom<String> for ImageName {
    type Error = ImageNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ImageName> for String {
    fn from(name: ImageName) -> Self {
        name.0
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_whole_and_what_it_leaves_out_is_filled_in() {
        for (text, whole) in [
            ("mcr.microsoft.com/oss/pause:3.10", "mcr.microsoft.com/oss/pause:3.10"),
            ("localhost:5000/x", "localhost:5000/x:latest"),
            ("nginx", "docker.io/library/nginx:latest"),
            ("calico/node:v3", "docker.io/calico/node:v3"),
            ("r.example/a@sha256:ab", "r.example/a@sha256:ab"),
        ] {
            let name: ImageName = text.parse().unwrap();
            assert_eq!(name.as_str(), whole);
            assert_eq!(name.as_str().parse(), Ok(name.clone()), "a whole name stays as it is");
        }
        assert_eq!("r.example:5000/a".parse::<ImageName>().unwrap().registry(), "r.example:5000");
        for text in ["", "--local", "a b", "r.example/", "r.example//a", "a:", "/a", "r.example/:1"] {
            assert!(text.parse::<ImageName>().is_err(), "{text}");
        }
    }
}
