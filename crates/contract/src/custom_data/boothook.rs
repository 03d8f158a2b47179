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
    let boundary: String =
        Sha256::digest(&boothook).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let transfer = if boothook.is_ascii() { "" } else { "Content-Transfer-Encoding: 8bit\n" };
    format!(
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"{boundary}\"\n\n\
         --{boundary}\nContent-Type: text/cloud-boothook\n{transfer}\n#cloud-boothook\n{boothook}\
         --{boundary}\nContent-Type: text/cloud-config\n\n{DONE}--{boundary}--\n"
    )
    .into_bytes()
}
