//! Images as a directory of blobs with an index, and the same in one archive.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tar::{Builder, EntryType};

use super::layer::header;
use super::{Digest, Image, Reference};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const LAYOUT: &str = r#"{"imageLayoutVersion":"1.0.0"}"#;
/// Where containerd finds an image's whole name.
const NAME: &str = "io.containerd.image.name";
const TAG: &str = "org.opencontainers.image.ref.name";

/// The image as an archive that containerd imports.
pub fn archive(image: &Image) -> io::Result<Vec<u8>> {
    let blobs = Blobs::of(image);
    let mut archive = Builder::new(Vec::new());
    let mut add = |path: &str, content: &[u8]| {
        archive.append_data(&mut header(EntryType::Regular, 0o644, content.len() as u64), path, content)
    };
    add("oci-layout", LAYOUT.as_bytes())?;
    add("index.json", Index { manifests: vec![blobs.entry] }.to_json().to_string().as_bytes())?;
    for (digest, content) in &blobs.content {
        add(&format!("blobs/sha256/{}", digest.hex()), content)?;
    }
    archive.into_inner()
}

/// Adds the image to the layout in a directory, in the place of one of the same name.
pub fn store(layout: &Path, image: &Image) -> io::Result<()> {
    let blobs = Blobs::of(image);
    fs::create_dir_all(layout.join("blobs/sha256"))?;
    for (digest, content) in &blobs.content {
        replace(&blob(layout, digest), content)?;
    }
    let mut index = Index::read(layout)?;
    let name = image.name.to_string();
    index.manifests.retain(|entry| entry["annotations"][NAME] != name.as_str());
    index.manifests.push(blobs.entry);
    replace(&layout.join("oci-layout"), LAYOUT.as_bytes())?;
    replace(&layout.join("index.json"), index.to_json().to_string().as_bytes())
}

/// A registry may be reading: it sees the old file or the new one.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    fs::write(&beside, content)?;
    fs::rename(beside, path)
}

/// The file of a blob.
pub(crate) fn blob(layout: &Path, digest: &Digest) -> PathBuf {
    layout.join("blobs/sha256").join(digest.hex())
}

/// The images of a layout.
pub(crate) struct Index {
    manifests: Vec<Value>,
}

impl Index {
    /// The index of a layout; a directory without one has no images.
    pub(crate) fn read(layout: &Path) -> io::Result<Self> {
        let text = match fs::read(layout.join("index.json")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { manifests: Vec::new() });
            }
            other => other?,
        };
        let document: Value = serde_json::from_slice(&text)?;
        Ok(Self { manifests: document["manifests"].as_array().cloned().unwrap_or_default() })
    }

    /// The images by name, with the digests of their manifests.
    pub(crate) fn images(&self) -> impl Iterator<Item = (Reference, Digest)> {
        self.manifests.iter().filter_map(|entry| {
            let name = entry["annotations"][NAME].as_str()?.parse().ok()?;
            Some((name, entry["digest"].as_str()?.parse().ok()?))
        })
    }

    fn to_json(&self) -> Value {
        json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": self.manifests
        })
    }
}

/// An image in pieces: its line in an index, and what that leads to.
struct Blobs {
    entry: Value,
    content: Vec<(Digest, Vec<u8>)>,
}

impl Blobs {
    fn of(image: &Image) -> Self {
        let layers: Vec<(Digest, &[u8])> =
            image.layers.iter().map(|layer| (Digest::of(layer.bytes()), layer.bytes())).collect();
        let differences: Vec<String> = layers.iter().map(|(digest, _)| digest.to_string()).collect();
        let config = json!({
            "architecture": architecture(),
            "os": "linux",
            "config": { "Entrypoint": image.entrypoint, "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"] },
            "rootfs": { "type": "layers", "diff_ids": differences }
        })
        .to_string()
        .into_bytes();
        let described = |kind: &str, digest: &Digest, length: usize| json!({ "mediaType": kind, "digest": digest.to_string(), "size": length });
        let config_digest = Digest::of(&config);
        let layer_entries: Vec<Value> =
            layers.iter().map(|(digest, bytes)| described(LAYER, digest, bytes.len())).collect();
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": described(CONFIG, &config_digest, config.len()),
            "layers": layer_entries
        })
        .to_string()
        .into_bytes();
        let manifest_digest = Digest::of(&manifest);
        let mut entry = described(MANIFEST, &manifest_digest, manifest.len());
        entry["annotations"] = json!({ NAME: image.name.to_string(), TAG: image.name.tag() });
        let mut content = vec![(manifest_digest, manifest), (config_digest, config)];
        content.extend(layers.into_iter().map(|(digest, bytes)| (digest, bytes.to_vec())));
        // Two layers of one content are one blob.
        content.sort();
        content.dedup();
        Self { entry, content }
    }
}

/// This machine's architecture as image configurations call it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
