//! One attempt at a time, on the machine or below a root.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use slipway_host::{Held, Lock};

use crate::failure::Failure;

/// The daemon holds the lock for one small repair at a time.
const DAEMON: &str = "slipwayd ";
/// A repair that takes longer than the service manager's own patience hangs.
const REPAIRED_WITHIN: Duration = Duration::from_secs(100);
const GLANCE: Duration = Duration::from_millis(50);

/// Takes the right to change the machine, or the directory that stands for one.
pub(crate) fn take(root: Option<&Path>, doing: &str) -> Result<Lock, Failure> {
    let holder = format!("slipway {doing}, process {}", std::process::id());
    let (taken, place) = match root {
        // A file would stay behind in what may become an image.
        Some(root) => (Lock::directory(root), root),
        None => (patiently(Path::new(Lock::MACHINE), &holder), Path::new(Lock::MACHINE)),
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

/// Waits for the daemon, and for nobody else.
fn patiently(path: &Path, holder: &str) -> Result<Lock, Held> {
    let until = Instant::now() + REPAIRED_WITHIN;
    loop {
        match Lock::take(path, holder) {
            Err(Held::By(other)) if other.starts_with(DAEMON) && Instant::now() < until => {
                thread::sleep(GLANCE);
            }
            taken => return taken,
        }
    }
}
