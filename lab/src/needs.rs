//! What the lab needs of this machine, and why.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::command::Run as _;
use crate::{Error, Progress};

/// A program that the lab calls or a file that it reads, and the Debian package that has it.
struct Need {
    file: &'static str,
    package: &'static str,
    why: &'static str,
}

const NEEDS: [Need; 13] = [
    Need { file: "systemd-nspawn", package: "systemd-container", why: "boots the machines" },
    Need { file: "debootstrap", package: "debootstrap", why: "makes the machines' images" },
    Need {
        file: "/usr/share/keyrings/debian-archive-keyring.gpg",
        package: "debian-archive-keyring",
        why: "says whose packages go into them",
    },
    Need { file: "ip", package: "iproute2", why: "makes the lab's own network" },
    Need { file: "unshare", package: "util-linux", why: "makes the lab's namespaces" },
    Need { file: "nsenter", package: "util-linux", why: "runs programs in them" },
    Need { file: "setpriv", package: "util-linux", why: "lets a lab end with the test that made it" },
    Need { file: "setsid", package: "util-linux", why: "lets a lab outlast the command that made it" },
    Need { file: "flock", package: "util-linux", why: "puts kernel settings back after the last lab" },
    Need { file: "mount", package: "mount", why: "clones machines by overlay" },
    Need { file: "cp", package: "coreutils", why: "copies machines" },
    Need { file: "bash", package: "bash", why: "is the first process of a lab" },
    Need { file: "pip3", package: "python3-pip", why: "installs Azure's own clients, which the tests use" },
];

/// Sees that everything the lab calls is there, and installs what is missing.
pub fn provide(progress: Progress) -> Result<(), Error> {
    require_root()?;
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !is_there(need.file)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        progress.note(&format!("{} is missing: it {}; package {}", need.file, need.why, need.package));
    }
    let packages = packages(&missing);
    if !is_there("apt-get") {
        let names = packages.into_iter().collect::<Vec<_>>().join(", ");
        let hint = format!("install what has them; Debian's packages are {names}");
        return Err(Error::refused("this machine has no apt-get to install what is missing with", hint));
    }
    progress.part("installing packages", || {
        Command::new("apt-get").args(["update", "-qq"]).printed()?;
        Command::new("apt-get")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .printed()
    })?;
    Ok(())
}

/// Go builds what the lab does not have yet.
pub(crate) fn require_go(what: &str) -> Result<(), Error> {
    if is_there("go") {
        return Ok(());
    }
    let hint = "install Go 1.26 or later; programs of Kubernetes can also be given in SLIPWAY_KUBE_BIN";
    Err(Error::refused(format!("go is missing: {what} is built with it"), hint))
}

fn packages<'a>(needs: &[&'a Need]) -> BTreeSet<&'a str> {
    needs.iter().map(|need| need.package).collect()
}

/// Namespaces, mounts and control groups are root's.
pub(crate) fn require_root() -> Result<(), Error> {
    if rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(Error::refused(
        "the lab makes namespaces, mounts and control groups, which needs root",
        "run it as root",
    ))
}

/// Whether a file is there; a name alone is a program's, wherever those are.
fn is_there(file: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let standard = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(Into::into);
    std::env::split_paths(&path).chain(standard).any(|directory| Path::new(&directory).join(file).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_once_each() {
        let needs: Vec<&Need> = NEEDS.iter().filter(|need| need.package == "util-linux").collect();
        assert!(needs.len() > 1);
        assert_eq!(packages(&needs), BTreeSet::from(["util-linux"]));
    }

    #[test]
    fn programs_are_found_by_name_and_files_by_path() {
        assert!(is_there("bash") && is_there("/etc/passwd"));
        assert!(!is_there("no-such-program") && !is_there("/etc/no-such-file"));
    }
}
