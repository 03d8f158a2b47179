//! Images: archives, and the registry that serves them.

use std::collections::BTreeMap;
use std::io::Read as _;

use serde_json::Value;
use slipway_lab::azure::Service;
use slipway_lab::oci::{self, Digest, Image, Layer, LayerFile, Reference};

use crate::Lab;
use crate::client::{Connection, Reply, ask};

fn pause() -> Image {
    let layer = Layer::of(&[LayerFile { path: "/usr/bin/pause", mode: 0o755, content: b"\x7fELF pause" }]);
    Image {
        name: "mcr.microsoft.com/oss/kubernetes/pause:3.9".parse().unwrap(),
        entrypoint: vec!["/usr/bin/pause".into()],
        layers: vec![layer.unwrap()],
    }
}

/// The files of an archive; directories end in a slash.
fn unpacked(archive: &[u8]) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(archive).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        let mode = entry.header().mode().unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        files.insert(path, (mode, content));
    }
    files
}

/// What a digest names, once it is sure that it does.
fn named(digest: &Value, find: impl Fn(&Digest) -> Vec<u8>) -> Vec<u8> {
    let digest: Digest = digest.as_str().unwrap().parse().unwrap();
    let content = find(&digest);
    assert_eq!(Digest::of(&content), digest);
    content
}

/// Follows a manifest down to the one file of the image.
fn has_the_program(manifest: &[u8], find: impl Fn(&Digest) -> Vec<u8>) {
    let manifest: Value = serde_json::from_slice(manifest).unwrap();
    let layer = named(&manifest["layers"][0]["digest"], &find);
    assert_eq!(manifest["layers"][0]["size"], layer.len());
    let config: Value = serde_json::from_slice(&named(&manifest["config"]["digest"], &find)).unwrap();
    assert_eq!(config["config"]["Entrypoint"][0], "/usr/bin/pause");
    assert_eq!(config["rootfs"]["diff_ids"][0], manifest["layers"][0]["digest"]);
    let files = unpacked(&layer);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["usr/", "usr/bin/", "usr/bin/pause"]);
    assert_eq!(files["usr/bin/pause"], (0o755, b"\x7fELF pause".to_vec()));
}

#[test]
fn an_archive_leads_from_the_name_to_the_program_and_is_always_the_same() {
    let archive = oci::archive(&pause()).unwrap();
    assert_eq!(archive, oci::archive(&pause()).unwrap());
    let files = unpacked(&archive);
    assert_eq!(files["oci-layout"].1, br#"{"imageLayoutVersion":"1.0.0"}"#);
    let index: Value = serde_json::from_slice(&files["index.json"].1).unwrap();
    let entry = &index["manifests"][0];
    assert_eq!(
        entry["annotations"]["io.containerd.image.name"],
        "mcr.microsoft.com/oss/kubernetes/pause:3.9"
    );
    let find = |digest: &Digest| files[&format!("blobs/sha256/{}", digest.hex())].1.clone();
    has_the_program(&named(&entry["digest"], find), find);
}

#[test]
fn the_registry_serves_an_image_by_tag_and_by_digest() {
    let lab = Lab::new();
    let get = |path: &str| -> Reply { ask(lab.azure.address(Service::Artifacts), "GET", path, &[]) };
    assert_eq!(get("/v2/oss/kubernetes/pause/manifests/3.9").status, 404);
    oci::store(&lab.directory.path().join("images"), &pause()).unwrap();
    oci::store(&lab.directory.path().join("images"), &pause()).unwrap();

    assert_eq!(get("/v2/").header("docker-distribution-api-version"), Some("registry/2.0"));
    let by_tag = get("/v2/oss/kubernetes/pause/manifests/3.9?ns=mcr.microsoft.com");
    assert_eq!(by_tag.header("content-type"), Some("application/vnd.oci.image.manifest.v1+json"));
    let digest = by_tag.header("docker-content-digest").unwrap();
    assert_eq!(digest, Digest::of(&by_tag.body).to_string());
    assert_eq!(get(&format!("/v2/oss/kubernetes/pause/manifests/{digest}")).body, by_tag.body);
    has_the_program(&by_tag.body, |digest| get(&format!("/v2/oss/kubernetes/pause/blobs/{digest}")).body);
    assert_eq!(get("/v2/oss/kubernetes/pause/tags/list").json()["tags"], serde_json::json!(["3.9"]));

    let none = "sha256:".to_owned() + &"0".repeat(64);
    for (path, code) in [
        ("/v2/oss/kubernetes/pause/manifests/3.10".to_owned(), "MANIFEST_UNKNOWN"),
        ("/v2/oss/other/manifests/3.9".to_owned(), "MANIFEST_UNKNOWN"),
        (format!("/v2/oss/kubernetes/pause/blobs/{none}"), "BLOB_UNKNOWN"),
        ("/v2/oss/kubernetes/pause/blobs/sha256:../../../secret".to_owned(), "DIGEST_INVALID"),
        ("/v2/oss/other/tags/list".to_owned(), "NAME_UNKNOWN"),
    ] {
        let reply = get(&path);
        assert_eq!((reply.status, reply.json()["errors"][0]["code"].as_str()), (404, Some(code)), "{path}");
    }
}

#[test]
fn a_head_request_gives_the_length_and_no_body() {
    let lab = Lab::new();
    oci::store(&lab.directory.path().join("images"), &pause()).unwrap();
    let mut connection = Connection::to(lab.azure.address(Service::Artifacts));
    connection.send(b"HEAD /v2/oss/kubernetes/pause/manifests/3.9 HTTP/1.1\r\nConnection: close\r\n\r\n");
    let reply = connection.rest();
    assert!(reply.starts_with("HTTP/1.1 200 OK\r\n") && reply.ends_with("\r\n\r\n"), "{reply}");
    let path = "/v2/oss/kubernetes/pause/manifests/3.9";
    let length = ask(lab.azure.address(Service::Artifacts), "GET", path, &[]).body.len();
    assert!(reply.contains(&format!("Content-Length: {length}\r\n")), "{reply}");
}

#[test]
fn names_without_registry_or_tag_are_refused() {
    for name in ["pause:3.9", "mcr.microsoft.com/pause", "oss/pause:3.9", "a.b/Pause:1", "a.b//c:1", "a.b/c:"]
    {
        let error = name.parse::<Reference>().unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let name: Reference = "localhost:5000/a/b:v1".parse().unwrap();
    assert_eq!(
        (name.repository(), name.tag(), name.to_string().as_str()),
        ("a/b", "v1", "localhost:5000/a/b:v1")
    );
}
