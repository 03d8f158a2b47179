//! Waiting for the machine to have its name, without polling.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::changes::Changes;

/// The kernel's name for the machine. It is also a file that can be polled: the kernel reports a change as an error.
const KERNEL: &str = "/proc/sys/kernel/hostname";

/// The names that were found when waiting was over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostNames {
    /// The kernel's.
    pub kernel: String,
    /// The one in the file; empty where there is none.
    pub configured: String,
}

impl HostNames {
    /// Whether the machine has the name that it was given.
    pub fn settled(&self) -> bool {
        !self.configured.is_empty() && self.kernel == self.configured
    }
}

/// Waits until the kernel has the name that the file holds, or until the time is over, and says which names there are.
pub fn settled_host_name(file: &Path, timeout: Duration) -> io::Result<HostNames> {
    let deadline = Instant::now() + timeout;
    // Both watches stand before the first look, so that no change between look and wait is missed.
    let mut kernel = File::open(KERNEL)?;
    let changes = Changes::beside(file)?;
    loop {
        let names = HostNames { kernel: kernel_name(&mut kernel)?, configured: configured_name(file) };
        let left = deadline.saturating_duration_since(Instant::now());
        if names.settled() || left.is_zero() {
            return Ok(names);
        }
        changes.wait_with(&[kernel.as_fd()], left)?;
    }
}

fn kernel_name(file: &mut File) -> io::Result<String> {
    let mut name = String::new();
    // The file is kept open, because a change is told only to those who had it open before.
    io::Seek::rewind(file)?;
    file.read_to_string(&mut name)?;
    Ok(name.trim().to_owned())
}

fn configured_name(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("slipway-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        path.join("hostname")
    }

    #[test]
    fn a_name_that_arrives_late_is_seen_at_once() {
        let file = area("late-name");
        let kernel = std::fs::read_to_string(KERNEL).unwrap();
        let writer = std::thread::spawn({
            let file = file.clone();
            move || {
                std::thread::sleep(Duration::from_millis(100));
                std::fs::write(file, kernel).unwrap();
                Instant::now()
            }
        });
        let names = settled_host_name(&file, Duration::from_secs(20)).unwrap();
        let seen = Instant::now();
        assert!(names.settled(), "{names:?}");
        let late = seen.saturating_duration_since(writer.join().unwrap());
        assert!(late < Duration::from_millis(500), "{late:?}");
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    #[test]
    fn waiting_for_a_name_ends_with_its_time() {
        let file = area("no-name");
        std::fs::write(&file, "another-name\n").unwrap();
        let start = Instant::now();
        let names = settled_host_name(&file, Duration::from_millis(150)).unwrap();
        assert!(!names.settled() && start.elapsed() >= Duration::from_millis(150));
        assert_eq!(names.configured, "another-name");
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
}
