//! The MIME document: a boothook, and a cloud-config part that leaves a line in cloud-init's log.

use sha2::{Digest as _, Sha256};

use super::{Bring, Files, script};

const DONE: &str = "#cloud-config\nruncmd:\n- echo aks-boothook done\n";

/// The document, as cloud-init reads it: plain line ends, and no transfer encoding, so that it can be read by
/// eye after one base64 decoding and compresses well.
pub(super) fn document(files: &Files, bring: Option<&Bring>) -> Vec<u8> {
    let boothook = script::boothook(files, bring);
    // The same content always has the same boundary. It cannot occur in the parts, where no line starts with
    // two hyphens.
    let digest = Sha256::digest(&boothook);
    let boundary = digest.iter().take(8).fold(0, |number, octet| number << 8 | u64::from(*octet));
    let boundary = format!("{boundary:016x}");
    format!(
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"{boundary}\"\n\n\
         --{boundary}\nContent-Type: text/cloud-boothook\n\n#cloud-boothook\n{boothook}\
         --{boundary}\nContent-Type: text/cloud-config\n\n{DONE}--{boundary}--\n"
    )
    .into_bytes()
}
