//! What is asked for when a machine is booted.

use std::path::PathBuf;

use crate::Error;
use crate::image::Kind;

/// How a machine gets its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// An overlay in memory over the image: there in milliseconds.
    #[default]
    Overlay,
    /// A copy on disk: what is measured on it is not the overlay.
    Copy,
}

/// A machine to be booted.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// The image that it is a clone of.
    pub kind: Kind,
    /// The build of Slipway that the image was baked with; without one it has no Slipway.
    pub slipway: Option<PathBuf>,
    /// How it gets its files.
    pub storage: Storage,
    /// How many octets the machine can write, counted with its containers' images; only for an overlay.
    pub disk: Option<u64>,
}

/// The longest name of a machine: with `v-` before it, it is that of a network link.
const LONGEST: usize = 13;

/// Whether a name is fit for a machine's host name and its link.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=LONGEST).contains(&name.len()) && name.chars().all(fits) && !name.starts_with('-') {
        return Ok(());
    }
    let hint = format!("use up to {LONGEST} of a-z, 0-9 and -");
    Err(Error::refused(format!("{name:?} is no name for a machine"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machines_name_is_that_of_a_host_and_of_a_link() {
        for name in ["n1", "edge-07", "thirteen-char"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "-a", "fourteen-chars", "A", "a.b", "a/b"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
