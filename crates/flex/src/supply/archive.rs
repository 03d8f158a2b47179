//! What is in an archive of container images, in the form of OCI or of docker.
//!
//! Nothing is unpacked: the few documents that name images and say what they run on are looked for, and the rest is
//! passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Seek};

use serde::Deserialize;

use super::component::Architecture;
use super::image_name::ImageName;

const INDEX: &str = "index.json";
const DOCKER: &str = "manifest.json";
/// Where containerd writes an image's whole name.
const NAME: &str = "io.containerd.image.name";
/// Where others do, if it is not the tag alone.
const REFERENCE: &str = "org.opencontainers.image.ref.name";
const LARGEST_DOCUMENT: u64 = 4 << 20;

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It has neither form.
    #[error("this is no archive of images: it has neither {INDEX} nor {DOCKER}")]
    NoImages,
    /// It is no tar archive, or one that is compressed.
    #[error(
        "this is no tar archive; one that is compressed has to be unpacked first, with gunzip or zstd -d"
    )]
    NoTar,
    /// A document in it is missing or is something else.
    #[error("the archive's {0} cannot be read")]
    Document(String),
    /// It cannot be read.
    #[error("the archive cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The images of an archive by their names, and what each runs on. Images without a whole name are left out.
pub fn images<R: Read + Seek>(file: R) -> Result<BTreeMap<ImageName, BTreeSet<Architecture>>, ArchiveError> {
    let mut archive = Opened::new(file)?;
    // What runtimes read, too, where an archive has both forms.
    if archive.names.contains(INDEX) { archive.of_index() } else { archive.of_docker() }
}

#[derive(Deserialize)]
struct Index {
    manifests: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Descriptor {
    digest: String,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    #[serde(default)]
    platform: Option<Platform>,
}

#[derive(Deserialize)]
struct Platform {
    architecture: String,
}

/// An index of platforms, or the manifest of one image.
#[derive(Deserialize)]
#[serde(untagged)]
enum Blob {
    Index(Index),
    Manifest { config: Descriptor },
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Saved {
    config: String,
    repo_tags: Option<Vec<String>>,
}

struct Opened<R> {
    file: R,
    names: BTreeSet<String>,
}

impl<R: Read + Seek> Opened<R> {
    fn new(mut file: R) -> Result<Self, ArchiveError> {
        let mut names = BTreeSet::new();
        for entry in tar::Archive::new(&mut file).entries_with_seek()? {
            let entry = entry.map_err(|_| ArchiveError::NoTar)?;
            names.insert(name_of(&entry.path_bytes()));
        }
        Ok(Self { file, names })
    }

    /// A document of the archive.
    fn document<T: for<'a> Deserialize<'a>>(&mut self, name: &str) -> Result<T, ArchiveError> {
        let unreadable = || ArchiveError::Document(name.to_owned());
        self.file.rewind()?;
        for entry in tar::Archive::new(&mut self.file).entries_with_seek()? {
            let mut entry = entry?;
            if name_of(&entry.path_bytes()) != name {
                continue;
            }
            if entry.size() > LARGEST_DOCUMENT {
                return Err(unreadable());
            }
            let mut text = Vec::new();
            entry.read_to_end(&mut text)?;
            return serde_json::from_slice(&text).map_err(|_| unreadable());
        }
        Err(unreadable())
    }

    fn of_index(&mut self) -> Result<BTreeMap<ImageName, BTreeSet<Architecture>>, ArchiveError> {
        let mut images: BTreeMap<ImageName, BTreeSet<Architecture>> = BTreeMap::new();
        for entry in self.document::<Index>(INDEX)?.manifests {
            let name = entry.annotations.get(NAME).or_else(|| entry.annotations.get(REFERENCE));
            // A tag alone is the name of no image.
            let Some(name) = name.filter(|name| name.contains('/')).and_then(|name| name.parse().ok()) else {
                continue;
            };
            let found = self.architectures(&entry)?;
            images.entry(name).or_default().extend(found);
        }
        Ok(images)
    }

    /// What an image runs on. Of several platforms, only those count that are really here.
    fn architectures(&mut self, image: &Descriptor) -> Result<BTreeSet<Architecture>, ArchiveError> {
        let config = match self.document::<Blob>(&blob(image))? {
            Blob::Manifest { config } => config,
            Blob::Index(index) => {
                let here = index.manifests.into_iter().filter(|it| self.names.contains(&blob(it)));
                let known = |it: Descriptor| it.platform?.architecture.parse().ok();
                return Ok(here.filter_map(known).collect());
            }
        };
        let platform: Platform = self.document(&blob(&config))?;
        Ok(platform.architecture.parse().into_iter().collect())
    }

    fn of_docker(&mut self) -> Result<BTreeMap<ImageName, BTreeSet<Architecture>>, ArchiveError> {
        if !self.names.contains(DOCKER) {
            return Err(ArchiveError::NoImages);
        }
        let mut images: BTreeMap<ImageName, BTreeSet<Architecture>> = BTreeMap::new();
        for saved in self.document::<Vec<Saved>>(DOCKER)? {
            let platform: Platform = self.document(&saved.config)?;
            for name in saved.repo_tags.unwrap_or_default().iter().filter_map(|tag| tag.parse().ok()) {
                images.entry(name).or_default().extend(platform.architecture.parse::<Architecture>());
            }
        }
        Ok(images)
    }
}

fn blob(descriptor: &Descriptor) -> String {
    format!("blobs/{}", descriptor.digest.replacen(':', "/", 1))
}

fn name_of(path: &[u8]) -> String {
    let name = String::from_utf8_lossy(path);
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &str)]) -> io::Cursor<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, text) in files {
            let mut header = tar::Header::new_ustar();
            header.set_mode(0o644);
            header.set_size(text.len() as u64);
            archive.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        io::Cursor::new(archive.into_inner().unwrap())
    }

    fn read(files: &[(&str, &str)]) -> Result<String, String> {
        let images = images(archive(files)).map_err(|error| error.to_string())?;
        let line = |(name, on): (ImageName, BTreeSet<Architecture>)| {
            let on: Vec<&str> = on.into_iter().map(Architecture::name).collect();
            format!("{name} {}", on.join("+"))
        };
        Ok(images.into_iter().map(line).collect::<Vec<_>>().join(", "))
    }

    const CONFIG: (&str, &str) = ("blobs/sha256/cc", r#"{"architecture":"arm64","os":"linux"}"#);
    const MANIFEST: (&str, &str) = ("blobs/sha256/aa", r#"{"config":{"digest":"sha256:cc"},"layers":[]}"#);

    #[test]
    fn an_archive_of_oci_is_known_by_its_index_and_the_configurations_of_its_images() {
        let index =
            |names: &str| format!(r#"{{"manifests":[{{"digest":"sha256:aa","annotations":{names}}}]}}"#);
        let named =
            index(r#"{"io.containerd.image.name":"r.example/p:1","org.opencontainers.image.ref.name":"1"}"#);
        assert_eq!(read(&[CONFIG, MANIFEST, ("index.json", &named)]).unwrap(), "r.example/p:1 arm64");
        let tag = index(r#"{"org.opencontainers.image.ref.name":"1"}"#);
        assert_eq!(read(&[("./index.json", &tag), CONFIG, MANIFEST]).unwrap(), "");
        let many = r#"{"manifests":[{"digest":"sha256:aa","platform":{"architecture":"amd64"}},
            {"digest":"sha256:bb","platform":{"architecture":"arm64"}}]}"#;
        let top = index(r#"{"org.opencontainers.image.ref.name":"r.example/p:2"}"#).replace("aa", "dd");
        let files = [("index.json", top.as_str()), ("blobs/sha256/dd", many), MANIFEST];
        assert_eq!(read(&files).unwrap(), "r.example/p:2 amd64", "arm64 is named and not here");
    }

    #[test]
    fn an_archive_of_docker_is_known_by_its_tags() {
        let manifest = r#"[{"Config":"x.json","RepoTags":["pause:3.10","r.example/p:1"],"Layers":[]},
            {"Config":"x.json","RepoTags":null,"Layers":[]}]"#;
        let config = ("x.json", r#"{"architecture":"amd64"}"#);
        let found = read(&[("manifest.json", manifest), config]).unwrap();
        assert_eq!(found, "docker.io/library/pause:3.10 amd64, r.example/p:1 amd64");
    }

    #[test]
    fn what_is_no_archive_of_images_says_why() {
        for (files, part) in [
            (&[("x", "y")][..], "neither index.json nor manifest.json"),
            (&[("manifest.json", r#"[{"Config":"x.json"}]"#)], "archive's x.json cannot be read"),
            (&[("index.json", "[")], "archive's index.json cannot be read"),
        ] {
            let error = read(files).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let compressed = images(io::Cursor::new(b"\x1f\x8b\x08".repeat(400))).unwrap_err().to_string();
        assert!(compressed.contains("gunzip"), "{compressed}");
    }
}
