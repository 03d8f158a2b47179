//! Names of images.

use std::fmt;
use std::str::FromStr;

/// The whole name of an image: registry, repository and tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    registry: String,
    repository: String,
    tag: String,
}

/// A name that lacks a part.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not the whole name of an image: write it as registry.example/some/repository:tag")]
pub struct ReferenceError(String);

impl Reference {
    /// The name within the registry.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let wrong = || ReferenceError(text.to_owned());
        let (registry, rest) = text.split_once('/').ok_or_else(wrong)?;
        let (repository, tag) = rest.rsplit_once(':').ok_or_else(wrong)?;
        let is_host = registry.contains(['.', ':']) || registry == "localhost";
        let is_path = |text: &str| {
            let allowed =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-/".contains(&byte);
            !text.is_empty() && text.bytes().all(allowed) && text.split('/').all(|part| !part.is_empty())
        };
        let is_tag = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        if !is_host || !is_path(repository) || !is_tag(tag) {
            return Err(wrong());
        }
        Ok(Self { registry: registry.to_owned(), repository: repository.to_owned(), tag: tag.to_owned() })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { registry, repository, tag } = self;
        write!(formatter, "{registry}/{repository}:{tag}")
    }
}
