//! What can be installed: releases with their addresses and checksums.

use std::fmt;
use std::io::{self, Read, Seek};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use slipway_model::node::Component;

use super::component::Architecture;
use super::image_name::ImageName;
use super::version::Version;

/// The form that this program reads and writes.
const FORM: u32 = 1;

/// What can be installed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The form of the document.
    form: u32,
    /// Releases, each of one component for one architecture.
    pub releases: Vec<Release>,
    /// Container images that a node needs before it has a network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

/// One release of a component for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The component.
    pub component: Component,
    /// Its version.
    pub version: Version,
    /// What it runs on.
    pub architecture: Architecture,
    /// Where it is published.
    pub url: String,
    /// What its bytes add up to.
    pub sha256: Digest,
    /// How many there are.
    pub size: u64,
}

/// An archive with a container image.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The image's whole name, such as `registry.example/pause:3.10`.
    pub name: ImageName,
    /// What it runs on.
    pub architecture: Architecture,
    /// What the archive's bytes add up to.
    pub sha256: Digest,
    /// How many there are.
    pub size: u64,
}

/// A SHA-256, as 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

/// A document that is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It cannot be read.
    #[error("the manifest cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// It is of another form.
    #[error("the manifest is of form {0}, and this program reads form {FORM}; use a later Slipway")]
    Form(u32),
    /// Two entries speak of the same release.
    #[error("the manifest has {component} {version} for {architecture} twice")]
    Twice {
        /// Of which component.
        component: Component,
        /// Which version.
        version: Version,
        /// For which architecture.
        architecture: Architecture,
    },
    /// Two entries speak of the same image.
    #[error("the manifest has the image {name} for {architecture} twice")]
    ImageTwice {
        /// Which.
        name: ImageName,
        /// For which architecture.
        architecture: Architecture,
    },
}

impl Manifest {
    /// Of these.
    pub fn new(releases: Vec<Release>, images: Vec<Image>) -> Self {
        Self { form: FORM, releases, images }
    }

    /// Reads a manifest. Keys that it does not have are errors.
    pub fn parse(text: &[u8]) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Form {
            form: u32,
        }
        // Another form may have other keys: that it is another one says more.
        if let Ok(Form { form }) = serde_json::from_slice(text)
            && form != FORM
        {
            return Err(ManifestError::Form(form));
        }
        let manifest: Self = serde_json::from_slice(text)?;
        for (at, release) in manifest.releases.iter().enumerate() {
            if manifest.releases[..at].iter().any(|other| other.is_like(release)) {
                let Release { component, version, architecture, .. } = release.clone();
                return Err(ManifestError::Twice { component, version, architecture });
            }
        }
        for (at, image) in manifest.images.iter().enumerate() {
            if manifest.images[..at].iter().any(|other| other.is_like(image)) {
                let Image { name, architecture, .. } = image.clone();
                return Err(ManifestError::ImageTwice { name, architecture });
            }
        }
        Ok(manifest)
    }

    /// The text of it.
    pub fn text(&self) -> String {
        // A struct of texts and numbers can always be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The digests of all that it names, and how many bytes each has.
    pub fn files(&self) -> impl Iterator<Item = (&Digest, u64)> {
        let releases = self.releases.iter().map(|it| (&it.sha256, it.size));
        releases.chain(self.images.iter().map(|it| (&it.sha256, it.size)))
    }
}

impl Release {
    fn is_like(&self, other: &Self) -> bool {
        (self.component, &self.version, self.architecture)
            == (other.component, &other.version, other.architecture)
    }
}

impl Image {
    fn is_like(&self, other: &Self) -> bool {
        (&self.name, self.architecture) == (&other.name, other.architecture)
    }
}

impl Digest {
    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Of the 32 bytes of a hash.
    pub fn of(bytes: &[u8]) -> Self {
        use fmt::Write as _;
        Self(bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// Of a file from its beginning, and how many bytes it has.
    pub fn of_file(mut file: impl Read + Seek) -> io::Result<(Self, u64)> {
        file.rewind()?;
        let (mut sum, mut size) = (Sha256::new(), 0);
        let mut bytes = vec![0; 1 << 20];
        loop {
            match file.read(&mut bytes)? {
                0 => return Ok((Self::of(&sum.finalize()), size)),
                read => {
                    sum.update(&bytes[..read]);
                    size += read as u64;
                }
            }
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let text = text.to_ascii_lowercase();
        let fits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if fits { Ok(Self(text)) } else { Err("a SHA-256 has 64 hexadecimal digits") }
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(version: &str) -> String {
        format!(
            r#"{{"component":"kubelet","version":"{version}","architecture":"amd64","url":"https://h/k","sha256":"{}","size":3}}"#,
            "AB".repeat(32)
        )
    }

    fn image(name: &str) -> String {
        format!(r#"{{"name":"{name}","architecture":"amd64","sha256":"{}","size":3}}"#, "CD".repeat(32))
    }

    #[test]
    fn a_manifest_survives_its_own_text() {
        let text = format!(r#"{{"form":1,"releases":[{},{}]}}"#, release("1.34.3"), release("1.34.2"));
        let manifest = Manifest::parse(text.as_bytes()).unwrap();
        assert_eq!(manifest.releases[0].sha256.as_str(), "ab".repeat(32));
        assert_eq!(Manifest::parse(manifest.text().as_bytes()).unwrap(), manifest);
    }

    #[test]
    fn what_is_no_manifest_says_why() {
        for (text, part) in [
            (r#"{"form":2,"things":[]}"#.to_owned(), "form 2, and this program reads form 1"),
            (r#"{"form":1,"releases":[],"image":[]}"#.to_owned(), "unknown field `image`"),
            (
                format!(r#"{{"form":1,"releases":[{0},{0}]}}"#, release("1.34.3")),
                "kubelet 1.34.3 for amd64 twice",
            ),
            (format!(r#"{{"form":1,"releases":[{}]}}"#, release("1.34")), "is no version"),
            (
                format!(r#"{{"form":1,"releases":[{}]}}"#, release("1.34.3").replace("AB", "A")),
                "64 hexadecimal digits",
            ),
            (
                format!(r#"{{"form":1,"releases":[],"images":[{0},{0}]}}"#, image("r.example/p:1")),
                "image r.example/p:1 for amd64 twice",
            ),
            (
                format!(r#"{{"form":1,"releases":[],"images":[{}]}}"#, image("--p")),
                "\"--p\" is no image's name",
            ),
            ("[".to_owned(), "cannot be read"),
        ] {
            let error = Manifest::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
