//! The MIME document: a boothook, and a cloud-config part that leaves a line in cloud-init's log.

use flate2::Crc;

use super::{Bring, Files, script};

const DONE: &str = "runcmd:\n- echo aks-boothook done\n";

/// The document, as cloud-init reads it: plain line ends, and no transfer encoding, so that it can be read by
/// eye after one base64 decoding and compresses well.
pub(super) fn document(files: &Files, bring: Option<&Bring>) -> Vec<u8> {
    let boothook = script::boothook(files, bring);
    // The same content always has the same boundary. It cannot occur in the parts, where no line starts with
    // two hyphens, so a checksum is enough.
    let mut checksum = Crc::new();
    checksum.update(boothook.as_bytes());
    let boundary = format!("{:08x}{:08x}", checksum.sum(), checksum.amount());
    let mut document = String::with_capacity(boothook.len() + 512);
    document.extend(["MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"", &boundary, "\"\n\n"]);
    for (kind, marker, body) in
        [("cloud-boothook", "#cloud-boothook\n", &*boothook), ("cloud-config", "#cloud-config\n", DONE)]
    {
        document.extend(["--", &boundary, "\nContent-Type: text/", kind, "\n\n", marker, body]);
    }
    document.extend(["--", &boundary, "--\n"]);
    document.into_bytes()
}
