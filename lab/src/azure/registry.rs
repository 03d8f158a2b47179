//! The read side of the OCI distribution protocol, over a layout.
//!
//! A name is looked up without its registry, so that this one can stand for any: that is how mirrors are asked.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::answer::Answer;
use super::artifacts;
use super::http::{Request, decode};
use crate::oci::{Digest, Index, blob};

/// What the registry says.
pub(super) fn answer(layout: &Path, request: &Request) -> Answer {
    let path = decode(request.path());
    let path = path.trim_start_matches("/v2").trim_matches('/');
    let answer = if path.is_empty() {
        Ok(Answer::json(200, &json!({})))
    } else if let Some((repository, reference)) = path.rsplit_once("/manifests/") {
        manifest(layout, repository, reference)
    } else if let Some((_, digest)) = path.rsplit_once("/blobs/") {
        content(layout, digest, request)
    } else if let Some(repository) = path.strip_suffix("/tags/list") {
        tags(layout, repository)
    } else {
        Ok(refusal("UNSUPPORTED", "this registry is only read, by manifests, blobs and tags"))
    };
    let answer =
        answer.unwrap_or_else(|error| Answer::of(500, "text/plain; charset=utf-8", error.to_string()));
    answer.with("Docker-Distribution-Api-Version", "registry/2.0")
}

fn refusal(code: &str, message: &str) -> Answer {
    Answer::json(404, &json!({ "errors": [{ "code": code, "message": message }] }))
}

fn manifest(layout: &Path, repository: &str, reference: &str) -> io::Result<Answer> {
    let by_digest = reference.parse::<Digest>().ok();
    let unknown = || refusal("MANIFEST_UNKNOWN", &format!("there is no {repository}:{reference} here"));
    let listed = Index::read(layout)?.images().find(|(name, digest)| {
        name.repository() == repository && (name.tag() == reference || Some(digest) == by_digest.as_ref())
    });
    let Some((_, digest)) = listed else { return Ok(unknown()) };
    let bytes = fs::read(blob(layout, &digest))?;
    let document: Value = serde_json::from_slice(&bytes)?;
    let kind = document["mediaType"].as_str().unwrap_or("application/vnd.oci.image.manifest.v1+json");
    Ok(Answer::of(200, kind, bytes).with("Docker-Content-Digest", digest.to_string()))
}

fn content(layout: &Path, digest: &str, request: &Request) -> io::Result<Answer> {
    let Ok(digest) = digest.parse::<Digest>() else {
        return Ok(refusal("DIGEST_INVALID", "blobs are named by sha256 here"));
    };
    let file = match File::open(blob(layout, &digest)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(refusal("BLOB_UNKNOWN", &format!("there is no {digest} here")));
        }
        other => other?,
    };
    let metadata = file.metadata()?;
    Ok(artifacts::content(file, &metadata, request).with("Docker-Content-Digest", digest.to_string()))
}

fn tags(layout: &Path, repository: &str) -> io::Result<Answer> {
    let index = Index::read(layout)?;
    let mut tags: Vec<String> = index
        .images()
        .filter(|(name, _)| name.repository() == repository)
        .map(|(name, _)| name.tag().to_owned())
        .collect();
    tags.sort();
    if tags.is_empty() {
        return Ok(refusal("NAME_UNKNOWN", &format!("there is no repository {repository} here")));
    }
    Ok(Answer::json(200, &json!({ "name": repository, "tags": tags })))
}
