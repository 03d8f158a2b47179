//! Handing the process over to another program, and being told to end before that.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Access, access};
use signal_hook::consts::{SIGINT, SIGTERM};

/// Becomes another program, with exactly this environment. Returns only if that is impossible.
///
/// What the kernel does not know how to execute is refused before it is tried: the C library would give it to a shell.
pub fn become_program(
    program: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> io::Error {
    if let Err(error) = check_program(program) {
        return error;
    }
    Command::new(program).args(arguments).env_clear().envs(environment).exec()
}

/// Refuses what the kernel would refuse to execute.
pub(crate) fn check_program(path: &Path) -> io::Result<()> {
    if is_program(path)? { Ok(()) } else { Err(rustix::io::Errno::NOEXEC.into()) }
}

/// Whether a file is a script that names its interpreter, or a program for the machine that we are a program for.
fn is_program(path: &Path) -> io::Result<bool> {
    let head = head(path)?;
    // Class, byte order and version of an ELF file stand at 4 to 7, its machine at 18 to 20.
    let kind = |head: &[u8; HEAD]| (head[..7].to_owned(), head[18..].to_owned());
    Ok(head.starts_with(b"#!") || kind(&head) == kind(&self::head(Path::new("/proc/self/exe"))?))
}

const HEAD: usize = 20;

/// The first bytes of a file, zeroes after its end.
fn head(path: &Path) -> io::Result<[u8; HEAD]> {
    let mut head = [0; HEAD];
    let mut read = File::open(path)?.take(HEAD as u64);
    let mut length = 0;
    while let count @ 1.. = read.read(&mut head[length..])? {
        length += count;
    }
    Ok(head)
}

/// Whether a path is a file that this process may execute.
pub fn is_executable(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok() && path.is_file()
}

/// Remembers that the process was told to end, for those who want to end between two steps.
#[derive(Debug)]
pub struct Interruption(Arc<AtomicUsize>);

impl Interruption {
    /// Listens from now on; SIGTERM and SIGINT no longer end the process by themselves.
    pub fn listen() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGTERM, SIGINT] {
            let value = usize::try_from(number).unwrap_or_default();
            signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
        }
        Ok(Self(signal))
    }

    /// The signal that came, if one did.
    pub fn signal(&self) -> Option<i32> {
        i32::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|signal| *signal != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_kernel_can_execute_is_a_program() {
        let path = std::env::temp_dir().join(format!("slipway-program-{}", std::process::id()));
        let own = std::fs::read("/proc/self/exe").unwrap();
        let mut foreign = own[..HEAD].to_vec();
        foreign[18] ^= 0xff;
        for (content, expected) in [
            (&own[..HEAD], true),
            (b"#!/bin/sh\n", true),
            (&foreign, false),
            (b"rm -rf /\n", false),
            (b"\x7fELF", false),
            (b"", false),
        ] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(is_program(&path).unwrap(), expected, "{content:?}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(is_program(&path).is_err());
    }
}
