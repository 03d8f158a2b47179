//! What an image is made of: Debian's packages, the lab's programs, and a few texts.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::containers;
use super::files::{Texts, below, copy, enable, link, put, texts};
use super::{Kind, PAUSE};
use crate::command::Run as _;
use crate::error::At as _;
use crate::programs::KUBERNETES;
use crate::store::digest;
use crate::{Error, Programs};

const RELEASE: &str = "bookworm";

/// A machine that boots.
const SYSTEM: [&str; 12] = [
    "systemd",
    "systemd-sysv",
    "dbus",
    "libpam-systemd",
    "udev",
    "kmod",
    "procps",
    "iproute2",
    "netbase",
    "ca-certificates",
    "curl",
    "less",
];
/// What an AKS image has besides.
const NODE: [&str; 12] = [
    "runc",
    "containernetworking-plugins",
    "cloud-init",
    // cloud-init needs it under a virtual name, which debootstrap does not follow.
    "python3-cffi-backend",
    "iptables",
    "nftables",
    "ebtables",
    "ipset",
    "conntrack",
    "ethtool",
    "socat",
    "openssl",
];

/// What a machine has that somebody else owns: a firewall of its own.
const OWNED: [&str; 1] = ["nftables"];

const EVERY_MACHINE: Texts = &[
    ("/etc/systemd/system/slipway-lab.service", 0o644, include_str!("files/slipway-lab.service")),
    ("/usr/lib/slipway-lab/machine", 0o755, include_str!("files/machine")),
];
const AKS_MACHINE: Texts = &[
    ("/usr/lib/systemd/system/containerd.service", 0o644, include_str!("files/containerd.service")),
    (
        "/etc/systemd/system/containerd.service.d/99-slipway-lab.conf",
        0o644,
        include_str!("files/containerd-lab.conf"),
    ),
    ("/etc/slipway-lab/containerd.toml", 0o644, include_str!("files/containerd-lab.toml")),
    ("/etc/containerd/config.toml", 0o644, "version = 2\n"),
    ("/opt/azure/vhd-install.complete", 0o644, ""),
];

/// The packages of an image.
pub(super) fn packages(kind: Kind) -> Vec<&'static str> {
    let more: &[&str] = if kind == Kind::Aks { &NODE } else { &OWNED };
    SYSTEM.iter().chain(more).copied().collect()
}

/// Names everything that an image is made from.
pub(super) fn edition(kind: Kind, programs: &Programs) -> String {
    let packages = packages(kind).join(",");
    let texts = EVERY_MACHINE
        .iter()
        .chain(AKS_MACHINE)
        .flat_map(|(path, _, text)| [path.as_bytes(), text.as_bytes()]);
    let made_from = [packages.as_bytes(), include_bytes!("recipe.rs"), include_bytes!("containers.rs")];
    match kind {
        Kind::Plain => digest(made_from.into_iter().chain(texts)),
        Kind::Aks => digest(made_from.into_iter().chain(texts).chain([programs.edition().as_bytes()])),
    }
}

/// Makes an image of an installed Debian.
pub(super) fn make(kind: Kind, root: &Path, debian: &Path, programs: &Programs) -> Result<(), Error> {
    Command::new("cp").args(["-a", "--reflink=auto"]).arg(debian.join(".")).arg(root).printed()?;
    machine(root)?;
    if kind == Kind::Aks { node(root, programs) } else { Ok(()) }
}

/// Installs Debian's packages below a root.
pub(super) fn debian(root: &Path, packages: &[&str], cache: &Path) -> Result<(), Error> {
    fs::create_dir_all(cache).at("make", cache)?;
    Command::new("debootstrap")
        .args(["--variant=minbase", &format!("--include={}", packages.join(","))])
        .arg(format!("--cache-dir={}", cache.display()))
        .args([RELEASE.as_ref(), root.as_os_str()])
        .printed()?;
    Ok(())
}

/// What every machine of the lab has.
fn machine(root: &Path) -> Result<(), Error> {
    texts(root, EVERY_MACHINE)?;
    enable(root, "sysinit.target", "/etc/systemd/system/slipway-lab.service")?;
    // The lab gives a machine its network before it boots; each boot is a first one.
    for unit in ["systemd-networkd-wait-online.service", "getty.target", "console-getty.service"] {
        link("/dev/null", &below(root, &format!("/etc/systemd/system/{unit}")))?;
    }
    for file in ["/etc/machine-id", "/etc/hostname", "/var/lib/dbus/machine-id"] {
        let _ = fs::remove_file(below(root, file));
    }
    put(root, "/etc/machine-id", 0o444, b"")
}

/// What an AKS image has besides its packages.
fn node(root: &Path, programs: &Programs) -> Result<(), Error> {
    texts(root, AKS_MACHINE)?;
    for name in ["containerd", "containerd-shim-runc-v2", "ctr"] {
        copy(&programs.path(name), &below(root, &format!("/usr/bin/{name}")))?;
    }
    for name in ["kubelet", "kubectl"] {
        copy(&programs.path(name), &below(root, &format!("/opt/bin/{name}-{KUBERNETES}")))?;
    }
    for directory in [
        "/opt/azure/containers",
        "/opt/cni",
        "/etc/cni/net.d",
        "/etc/kubernetes/manifests",
        "/var/lib/kubelet",
    ] {
        let path = below(root, directory);
        fs::create_dir_all(&path).at("make", &path)?;
    }
    let (plugins, place) = (below(root, "/usr/lib/cni"), below(root, "/opt/cni/bin"));
    fs::rename(&plugins, &place).at("rename to", &place)?;
    let components = json!({"ContainerImages": [{"downloadURL": PAUSE}], "Packages": []});
    put(root, "/opt/azure/components.json", 0o644, components.to_string().as_bytes())?;
    // A node image is provisioned, not configured, by cloud-init; the lab turns it on where a test is about it.
    put(root, "/etc/cloud/cloud-init.disabled", 0o644, b"")?;
    containers::import(root, programs)
}
