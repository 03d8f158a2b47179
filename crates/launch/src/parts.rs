//! Custom data of several parts: what makes the machine a node, and what the user adds, as cloud-init's MIME message.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use slipway_contract::custom_data::{CustomData, LIMIT};
use slipway_model::Secret;
use zeroize::Zeroize as _;

use crate::computed::fnv1_64;
use crate::payload::NoPayload;
use crate::request::CustomDataPart;

/// First lines by which cloud-init knows a part, and its type.
const MARKS: [(&str, &str); 7] = [
    ("#!", "text/x-shellscript"),
    ("#cloud-config", "text/cloud-config"),
    ("#cloud-boothook", "text/cloud-boothook"),
    ("#include", "text/x-include-url"),
    ("#part-handler", "text/part-handler"),
    ("#upstart-job", "text/upstart-job"),
    ("## template: jinja", "text/jinja2"),
];
/// Base64 in a message is broken into lines of this length.
const LINE: usize = 76;

/// What makes the machine a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ours<'a> {
    /// A script.
    Script(&'a str),
    /// A MIME message of its own, which becomes the first part.
    Message(&'a CustomData),
}

/// Why parts cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("options.customDataParts[{at}]: {problem}")]
pub struct BadPart {
    /// Which part.
    pub at: usize,
    /// What is wrong with it, and what to do.
    pub problem: &'static str,
}

/// The message of all parts, ours first, in base64; compressed where only that fits.
pub(crate) fn merged(ours: Ours<'_>, parts: &[CustomDataPart]) -> Result<Secret<String>, NoPayload> {
    let mut message = message(ours, parts)?;
    if base64_length(&message) > LIMIT {
        let packed = gzip(&message);
        message.zeroize();
        message = packed;
    }
    let length = base64_length(&message);
    let encoded = Secret::new(STANDARD.encode(&message));
    message.zeroize();
    if length > LIMIT { Err(NoPayload::TooLarge(length)) } else { Ok(encoded) }
}

fn message(ours: Ours<'_>, parts: &[CustomDataPart]) -> Result<Vec<u8>, BadPart> {
    let mut body = Vec::new();
    let mut parted: Vec<Vec<u8>> = Vec::with_capacity(parts.len() + 1);
    match ours {
        Ours::Script(script) => write_part(&mut body, "text/x-shellscript", script),
        Ours::Message(data) if data.compressed => {
            // What we packed ourselves can be unpacked, into a vector.
            let _ = GzDecoder::new(&**data.document.expose()).read_to_end(&mut body);
        }
        Ours::Message(data) => body.extend_from_slice(data.document.expose()),
    }
    parted.push(body);
    for (at, part) in parts.iter().enumerate() {
        let mut body = Vec::new();
        write_part(
            &mut body,
            content_type(part).map_err(|problem| BadPart { at, problem })?,
            part.content.expose(),
        );
        parted.push(body);
    }
    let boundary = boundary(&parted);
    let mut message =
        format!("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"{boundary}\"\n\n").into_bytes();
    for part in &mut parted {
        message.extend_from_slice(format!("--{boundary}\n").as_bytes());
        message.extend_from_slice(part);
        message.push(b'\n');
        part.zeroize();
    }
    message.extend_from_slice(format!("--{boundary}--\n").as_bytes());
    Ok(message)
}

/// A text that no part holds; the same parts always have the same.
fn boundary(parts: &[Vec<u8>]) -> String {
    let mut seed = parts.iter().fold(0, |seed: u64, part| seed.rotate_left(1) ^ fnv1_64(part));
    loop {
        let boundary = format!("slipway-{seed:016x}");
        let is_inside =
            |part: &Vec<u8>| part.windows(boundary.len()).any(|window| window == boundary.as_bytes());
        if !parts.iter().any(is_inside) {
            return boundary;
        }
        seed = seed.wrapping_add(1);
    }
}

/// The type that a part says it has, else the one that its first line tells.
fn content_type(part: &CustomDataPart) -> Result<&str, &'static str> {
    let said = part.content_type.as_str();
    if !said.is_empty() {
        let fits = said.starts_with("text/")
            && said.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/.+-".contains(&byte));
        return if fits {
            Ok(said)
        } else {
            Err("contentType must be a type of text, such as text/cloud-config")
        };
    }
    let content = part.content.expose();
    MARKS
        .iter()
        .find(|(mark, _)| content.starts_with(mark))
        .map(|(_, kind)| *kind)
        .ok_or("the first line does not tell its type, such as #cloud-config does; set contentType")
}

/// A part's headers and text. What is not plain goes as base64, because lines and letters of a message may be changed
/// on their way.
fn write_part(into: &mut Vec<u8>, kind: &str, text: &str) {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n'));
    into.extend_from_slice(format!("Content-Type: {kind}\n").as_bytes());
    if is_plain {
        into.push(b'\n');
        into.extend_from_slice(text.as_bytes());
        return;
    }
    into.extend_from_slice(b"Content-Transfer-Encoding: base64\n\n");
    let mut encoded = STANDARD.encode(text);
    for line in encoded.as_bytes().chunks(LINE) {
        into.extend_from_slice(line);
        into.push(b'\n');
    }
    encoded.zeroize();
}

fn base64_length(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(3) * 4
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    // A vector takes everything, so neither call can fail.
    let _ = writer.write_all(plain);
    writer.finish().unwrap_or_default()
}
