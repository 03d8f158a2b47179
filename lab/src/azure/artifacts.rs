//! Files by their paths, whole or in part, each with its digest beside it; images under `/v2/`.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use super::answer::Answer;
use super::http::{Request, decode};
use super::registry;
use super::state::State;
use crate::oci::Digest;

/// What the artifact server says.
pub(super) fn answer(state: &State, request: &Request) -> Answer {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return Answer::empty(405).with("Allow", "GET, HEAD");
    }
    if request.path() == "/v2" || request.path().starts_with("/v2/") {
        return registry::answer(&state.images, request);
    }
    file(&state.files, request).unwrap_or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Answer::empty(404),
        _ => Answer::of(500, "text/plain; charset=utf-8", error.to_string()),
    })
}

fn file(root: &Path, request: &Request) -> io::Result<Answer> {
    let path = below(root, &decode(request.path())).ok_or(io::ErrorKind::NotFound)?;
    match opened(&path) {
        Ok((file, metadata)) => Ok(content(file, &metadata, request)),
        Err(error) => match path.to_str().and_then(|path| path.strip_suffix(".sha256")) {
            Some(digested) => digest(Path::new(digested)),
            None => Err(error),
        },
    }
}

/// The path below the root; `None` for one that would leave it.
fn below(root: &Path, path: &str) -> Option<PathBuf> {
    let relative = Path::new(path.trim_start_matches('/'));
    let stays = relative.components().all(|component| matches!(component, Component::Normal(_)));
    stays.then(|| root.join(relative))
}

fn opened(path: &Path) -> io::Result<(File, Metadata)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// A line as `sha256sum` writes it.
fn digest(path: &Path) -> io::Result<Answer> {
    let (file, _) = opened(path)?;
    let digest = Digest::of_stream(file)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(Answer::of(200, "text/plain; charset=utf-8", format!("{}  {name}\n", digest.hex())))
}

/// A file, or the range of it that was asked for, unless the client has it already.
pub(super) fn content(file: File, metadata: &Metadata, request: &Request) -> Answer {
    let length = metadata.len();
    let tag = format!("\"{length:x}-{:x}-{:x}\"", metadata.mtime(), metadata.mtime_nsec());
    let known = request.header("If-None-Match").unwrap_or_default();
    if known == "*" || known.split(',').any(|known| known.trim() == tag) {
        return Answer::empty(304).with("ETag", tag);
    }
    // A range of a file that has changed since would not fit what the client has of it.
    let is_current = request.header("If-Range").is_none_or(|known| known == tag);
    let range = request.header("Range").filter(|_| is_current).and_then(Range::parse);
    let answer = match range.map(|range| range.within(length)) {
        None => Answer::part(200, file, 0, length),
        Some(Some((start, end))) => Answer::part(206, file, start, end - start + 1)
            .with("Content-Range", format!("bytes {start}-{end}/{length}")),
        Some(None) => Answer::empty(416).with("Content-Range", format!("bytes */{length}")),
    };
    answer.with("ETag", tag).with("Accept-Ranges", "bytes")
}

/// A range of bytes as a client names it.
#[derive(Clone, Copy)]
enum Range {
    From(u64),
    FromTo(u64, u64),
    Last(u64),
}

impl Range {
    /// `None` for what is no single range of bytes: such a header is ignored.
    fn parse(header: &str) -> Option<Self> {
        let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
        match (first.trim(), last.trim()) {
            ("", last) => Some(Self::Last(last.parse().ok()?)),
            (first, "") => Some(Self::From(first.parse().ok()?)),
            (first, last) => Some(Self::FromTo(first.parse().ok()?, last.parse().ok()?))
                .filter(|range| matches!(range, Self::FromTo(first, last) if first <= last)),
        }
    }

    /// First and last byte in a file of this length; `None` when it has none of them.
    fn within(self, length: u64) -> Option<(u64, u64)> {
        let end = length.checked_sub(1)?;
        let (first, last) = match self {
            Self::From(first) => (first, end),
            Self::FromTo(first, last) => (first, last.min(end)),
            Self::Last(count) => (length.saturating_sub(count), end),
        };
        (first <= end && !matches!(self, Self::Last(0))).then_some((first, last))
    }
}
