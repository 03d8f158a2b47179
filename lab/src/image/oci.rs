//! OCI archives of one static program.

use std::io;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tar::{Builder, Header};

/// A layout in a tar file, whose one image has the program in its root.
pub(super) fn archive(name: &str, program: &str, content: &[u8], command: &[&str]) -> io::Result<Vec<u8>> {
    let mut layer = Builder::new(Vec::new());
    add(&mut layer, program, 0o755, content)?;
    let layer = layer.into_inner()?;
    let config = json!({
        "architecture": architecture(),
        "os": "linux",
        "config": {"Entrypoint": command},
        "rootfs": {"type": "layers", "diff_ids": [digest(&layer)]},
    });
    let config = config.to_string().into_bytes();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", &config),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar", &layer)],
    });
    let manifest = manifest.to_string().into_bytes();
    let mut entry = descriptor("application/vnd.oci.image.manifest.v1+json", &manifest);
    entry["annotations"] = json!({"io.containerd.image.name": name});
    let index = json!({"schemaVersion": 2, "manifests": [entry]});

    let mut archive = Builder::new(Vec::new());
    add(&mut archive, "oci-layout", 0o644, br#"{"imageLayoutVersion":"1.0.0"}"#)?;
    add(&mut archive, "index.json", 0o644, index.to_string().as_bytes())?;
    for blob in [&layer, &config, &manifest] {
        let path = digest(blob).replace(':', "/");
        add(&mut archive, &format!("blobs/{path}"), 0o644, blob)?;
    }
    archive.into_inner()
}

fn add(tar: &mut Builder<Vec<u8>>, path: &str, mode: u32, content: &[u8]) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(mode);
    tar.append_data(&mut header, path, content)
}

fn descriptor(media_type: &str, content: &[u8]) -> Value {
    json!({"mediaType": media_type, "digest": digest(content), "size": content.len()})
}

fn digest(content: &[u8]) -> String {
    let octets = Sha256::digest(content);
    octets.iter().fold("sha256:".to_owned(), |text, octet| text + &format!("{octet:02x}"))
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "amd64",
    }
}
