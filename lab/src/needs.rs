//! What the lab needs of this machine, and why.

use std::path::Path;
use std::process::Command;

use crate::command::Run as _;
use crate::{Error, Progress};

/// A program that the lab calls, and the Debian package that has it.
struct Need {
    program: &'static str,
    package: &'static str,
    why: &'static str,
}

const NEEDS: [Need; 9] = [
    Need { program: "systemd-nspawn", package: "systemd-container", why: "boots the machines" },
    Need { program: "debootstrap", package: "debootstrap", why: "makes the machines' images" },
    Need { program: "ip", package: "iproute2", why: "makes the lab's own network" },
    Need { program: "unshare", package: "util-linux", why: "makes the lab's namespaces" },
    Need { program: "nsenter", package: "util-linux", why: "runs programs in them" },
    Need { program: "flock", package: "util-linux", why: "puts kernel settings back after the last lab" },
    Need { program: "mount", package: "mount", why: "clones machines by overlay" },
    Need { program: "cp", package: "coreutils", why: "copies machines" },
    Need { program: "bash", package: "bash", why: "is the first process of a lab" },
];

/// Sees that everything the lab calls is there, and installs what is missing.
pub fn provide(progress: Progress) -> Result<(), Error> {
    require_root()?;
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !is_there(need.program)).collect();
    if !missing.is_empty() {
        for need in &missing {
            progress.note(&format!("{} is missing: it {}; package {}", need.program, need.why, need.package));
        }
        progress.part("installing packages", || {
            Command::new("apt-get").args(["update", "-qq"]).printed()?;
            Command::new("apt-get")
                .args(["install", "-y", "-qq", "--no-install-recommends"])
                .args(missing.iter().map(|need| need.package))
                .env("DEBIAN_FRONTEND", "noninteractive")
                .printed()
        })?;
    }
    if !is_there("go") && std::env::var_os("SLIPWAY_KUBE_BIN").is_none() {
        return Err(Error::refused(
            "go is missing: Kubernetes, containerd and etcd are built with it",
            "install Go 1.26 or later",
        ));
    }
    Ok(())
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

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let standard = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(Into::into);
    std::env::split_paths(&path).chain(standard).any(|directory| Path::new(&directory).join(program).exists())
}
