//! One attempt at a time, on the machine or below a root.

use std::path::Path;

use slipway_host::{Held, Lock};
use slipway_scripts::paths;

use crate::failure::Failure;

/// Takes the right to change the machine, or the directory that stands for one.
pub(crate) fn take(root: Option<&Path>, doing: &str) -> Result<Lock, Failure> {
    let holder = format!("slipway {doing}, process {}", std::process::id());
    let (taken, place) = match root {
        // A file would stay behind in what may become an image.
        Some(root) => (Lock::directory(root), root),
        None => (Lock::take(Path::new(paths::LOCK), &holder), Path::new(paths::LOCK)),
    };
    taken.map_err(|held| match held {
        Held::By(other) => {
            let other = if other.is_empty() { "another process".to_owned() } else { other };
            Failure::machine("already-running", format!("cannot {doing}"), format!("{other} is at it"))
                .with_hint("wait for it: slipway provision-wait")
        }
        Held::Error(error) => Failure::machine("no-lock", format!("cannot lock {}", place.display()), error)
            .with_hint(format!("{doing} needs root")),
    })
}
