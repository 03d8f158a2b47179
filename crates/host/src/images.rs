//! The container runtime's images: asked for and removed as kubelet does (CRI), brought by containerd's own program.
//!
//! Bringing one over containerd's API would take streams in both directions and its own way of storing content; `ctr` comes
//! with every containerd and does just that.

use std::io;
use std::path::Path;
use std::time::Duration;

use slipway_grpc::protobuf;

use crate::host::{Host, Program};
use crate::runtime::call;

const SERVICE: &str = "/runtime.v1.ImageService";
/// Where containerd's program for people is: with a release of it, or with a distribution's package.
const PROGRAMS: [&str; 2] = ["/usr/local/bin/ctr", "/usr/bin/ctr"];
/// containerd's name for what belongs to kubelet.
const NAMESPACE: &str = "k8s.io";
/// What keeps kubelet from removing an image when the disk is full: it could not be fetched again.
const PINNED: &str = "io.cri-containerd.pinned=pinned";
/// How long taking a name away may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// The numbers of fields in CRI's messages.
const IMAGE: u64 = 1;
const NAME: u64 = 1;
const TAGS: u64 = 2;

/// Whether kubelet would find an image under this name.
pub(crate) fn has(socket: &Path, name: &str) -> io::Result<bool> {
    Ok(tags(socket, name)?.is_some())
}

/// Brings the images of an archive.
pub(crate) fn import(
    host: &dyn Host,
    socket: &Path,
    name: &str,
    archive: &Path,
    within: Duration,
) -> io::Result<()> {
    control(host, socket, &["images", "import", &archive.to_string_lossy()], within)?;
    control(host, socket, &["images", "label", name, PINNED], within)
}

/// Takes a name away. Kubelet's way takes all names of an image at once, so it is taken with the last name only.
pub(crate) fn remove(host: &dyn Host, socket: &Path, name: &str) -> io::Result<()> {
    match tags(socket, name)? {
        None => Ok(()),
        Some(tags) if tags.iter().any(|tag| tag != name) => {
            control(host, socket, &["images", "remove", name], PATIENCE)
        }
        Some(_) => call(socket, SERVICE, "RemoveImage", &asking(name)).map(drop),
    }
}

/// All tags of the image that has this name; nothing where there is none.
fn tags(socket: &Path, name: &str) -> io::Result<Option<Vec<String>>> {
    read(&call(socket, SERVICE, "ImageStatus", &asking(name))?)
}

fn asking(name: &str) -> Vec<u8> {
    let mut image = Vec::new();
    protobuf::put(&mut image, NAME, name.as_bytes());
    let mut message = Vec::new();
    protobuf::put(&mut message, IMAGE, &image);
    message
}

fn read(answer: &[u8]) -> io::Result<Option<Vec<String>>> {
    let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "the runtime's answer is unreadable");
    let fields = protobuf::fields(answer).ok_or_else(unreadable)?;
    let Some((_, image)) = fields.iter().find(|(number, _)| *number == IMAGE) else { return Ok(None) };
    let tags = protobuf::fields(image).ok_or_else(unreadable)?;
    let tags = tags.into_iter().filter(|(number, _)| *number == TAGS);
    Ok(Some(tags.map(|(_, tag)| String::from_utf8_lossy(tag).into_owned()).collect()))
}

/// Lets containerd's own program do something.
fn control(host: &dyn Host, socket: &Path, words: &[&str], within: Duration) -> io::Result<()> {
    let mut path = None;
    for program in PROGRAMS.map(Path::new) {
        if path.is_none() && host.entry(program)?.is_some() {
            path = Some(program.to_owned());
        }
    }
    let path = path.ok_or_else(|| {
        let reason = format!("containerd's program ctr is not here: neither {}", PROGRAMS.join(" nor "));
        io::Error::new(io::ErrorKind::NotFound, reason)
    })?;
    let socket = socket.to_string_lossy();
    let before = ["--address", &socket, "--namespace", NAMESPACE];
    let arguments = before.iter().chain(words).map(|&word| word.to_owned()).collect();
    host.run(&Program { path, arguments, input: None, within })?.succeeded().map_err(|error| {
        match error.kind() {
            io::ErrorKind::Other => io::Error::other(format!("ctr {}: {error}", words.join(" "))),
            _ => error,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_tags_and_its_absence_by_an_empty_answer() {
        let mut image = Vec::new();
        protobuf::put(&mut image, 1, b"sha256:ab");
        for tag in ["r.example/pause:3.10", "r.example/pause:3"] {
            protobuf::put(&mut image, TAGS, tag.as_bytes());
        }
        let mut answer = Vec::new();
        protobuf::put(&mut answer, IMAGE, &image);
        let tags = ["r.example/pause:3.10", "r.example/pause:3"].map(str::to_owned).to_vec();
        assert_eq!(read(&answer).unwrap(), Some(tags));
        assert_eq!(read(b"").unwrap(), None);
        assert_eq!(read(b"\x0a\x05abc").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(asking("p:1"), b"\x0a\x05\x0a\x03p:1");
    }
}
