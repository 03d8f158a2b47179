//! Ids that are the same in every run.

use crate::oci::Digest;

/// The id that stands for this text.
pub(super) fn uuid(seed: &str) -> String {
    let digest = Digest::of(seed.as_bytes());
    let hex = digest.hex();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32])
}
