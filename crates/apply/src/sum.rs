//! What a file on the machine adds up to.

use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use slipway_host::Host;

use crate::tree::hexadecimal;

/// How much of a file is read at once.
const PIECE: usize = 1 << 20;

/// Whether there is a file whose bytes have this SHA-256, in hexadecimal digits.
pub fn adds_up(host: &dyn Host, path: &Path, sha256: &str) -> io::Result<bool> {
    let Some(found) = host.entry(path)? else { return Ok(false) };
    let mut sum = Sha256::new();
    let mut from = 0;
    while from < found.size {
        let piece = host.read_part(path, from, PIECE)?;
        if piece.is_empty() {
            return Ok(false);
        }
        from += piece.len() as u64;
        sum.update(&piece);
    }
    Ok(hexadecimal(&sum.finalize()).eq_ignore_ascii_case(sha256))
}
