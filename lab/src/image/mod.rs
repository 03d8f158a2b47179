//! The machines' images: made once from Debian's packages and the lab's programs, and kept.

mod oci;

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::cluster::tail;
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::programs::KUBERNETES;
use crate::store::{digest, kept};
use crate::{Error, Programs, Progress, Store};

/// The pause image of contracts for the lab.
pub const PAUSE: &str = "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10";
/// An image whose pods answer HTTP on port 8080.
pub const POD: &str = "lab.test/pod:1";

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

/// Text files of an image: path, mode and content.
type Texts = &'static [(&'static str, u32, &'static str)];

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

/// Which image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Debian with systemd and a network, and nothing of Kubernetes.
    Plain,
    /// What an AKS node image has, at its paths.
    #[default]
    Aks,
}

/// An image that is there: the root of a machine.
#[derive(Debug, Clone)]
pub struct Image {
    /// Where it is.
    pub root: PathBuf,
}

impl Image {
    /// Finds an image, or makes it.
    pub fn provide(
        kind: Kind,
        store: &Store,
        programs: &Programs,
        progress: Progress,
    ) -> Result<Self, Error> {
        let packages = kind.packages();
        let name = format!("debian-{}", digest(packages.iter().map(|package| package.as_bytes())));
        let debian = kept(&store.images().join(name), |root| {
            let title = format!("installing Debian's packages for the {} image", kind.name());
            progress.part(&title, || debian(root, &packages, &store.packages()))
        })?;
        let root = kept(&store.images().join(kind.edition(programs)), |root| {
            progress.part(&format!("making the {} image", kind.name()), || {
                Command::new("cp")
                    .args(["-a", "--reflink=auto"])
                    .arg(debian.join("."))
                    .arg(root)
                    .printed()?;
                machine(root)?;
                if kind == Kind::Aks { node(root, programs) } else { Ok(()) }
            })
        })?;
        Ok(Self { root })
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Aks => "aks",
        }
    }

    fn packages(self) -> Vec<&'static str> {
        let more: &[&str] = if self == Self::Aks { &NODE } else { &[] };
        SYSTEM.iter().chain(more).copied().collect()
    }

    fn edition(self, programs: &Programs) -> String {
        let packages = self.packages().join(",");
        let texts = EVERY_MACHINE
            .iter()
            .chain(AKS_MACHINE)
            .flat_map(|(path, _, text)| [path.as_bytes(), text.as_bytes()]);
        let made_from = [packages.as_bytes(), include_bytes!("mod.rs"), include_bytes!("oci.rs")];
        let digest = match self {
            Self::Plain => digest(made_from.into_iter().chain(texts)),
            Self::Aks => digest(made_from.into_iter().chain(texts).chain([programs.edition().as_bytes()])),
        };
        format!("{}-{digest}", self.name())
    }
}

fn debian(root: &Path, packages: &[&str], cache: &Path) -> Result<(), Error> {
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
    images(root, programs)
}

/// Imports the pods' images into the image's containerd.
fn images(root: &Path, programs: &Programs) -> Result<(), Error> {
    let scratch = below(root, "/tmp/slipway-lab");
    fs::create_dir_all(&scratch).at("make", &scratch)?;
    let path = |name: &str| scratch.join(name).display().to_string();
    let config = format!(
        "version = 3\nroot = '{}'\nstate = '{}'\ndisabled_plugins = ['io.containerd.grpc.v1.cri', \
         'io.containerd.cri.v1.images', 'io.containerd.cri.v1.runtime', 'io.containerd.nri.v1.nri']\n[grpc]\naddress = '{}'\n[ttrpc]\naddress = '{}'\n",
        below(root, "/var/lib/containerd").display(),
        path("state"),
        path("socket"),
        path("ttrpc"),
    );
    put(root, "/tmp/slipway-lab/config.toml", 0o644, config.as_bytes())?;
    let log = scratch.join("log");
    let mut containerd = Command::new(programs.path("containerd"))
        .args(["--config", &path("config.toml")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log).at("make", &log)?)
        .spawn()
        .map_err(|source| Error::Start { program: "containerd".to_owned(), source })?;
    let imported = import(programs, &scratch, &log);
    let _ = containerd.kill();
    let _ = containerd.wait();
    imported?;
    fs::remove_dir_all(&scratch).at("remove", &scratch)
}

fn import(programs: &Programs, scratch: &Path, log: &Path) -> Result<(), Error> {
    let ctr = |arguments: &[&str]| {
        let mut command = Command::new(programs.path("ctr"));
        command.arg("--address").arg(scratch.join("socket")).args(["--namespace", "k8s.io"]).args(arguments);
        command.printed()
    };
    eventually("containerd", Duration::from_secs(20), || tail(log), || Ok(ctr(&["version"]).ok()))?;
    let program = programs.path("pod");
    let program = fs::read(&program).at("read", &program)?;
    for (name, arguments) in [(PAUSE, &["/pod", "pause"][..]), (POD, &["/pod"])] {
        let archive = scratch.join("archive.tar");
        fs::write(&archive, oci::archive(name, "pod", &program, arguments).at("make", &archive)?)
            .at("write", &archive)?;
        ctr(&["images", "import", &archive.display().to_string()])?;
    }
    Ok(())
}

fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

fn texts(root: &Path, texts: Texts) -> Result<(), Error> {
    texts.iter().try_for_each(|(path, mode, text)| put(root, path, *mode, text.as_bytes()))
}

/// Writes a file below a root.
pub(crate) fn put(root: &Path, path: &str, mode: u32, content: &[u8]) -> Result<(), Error> {
    let path = below(root, path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).at("make", parent)?;
    }
    fs::write(&path, content).at("write", &path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).at("set the mode of", &path)
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).at("make", parent)?;
    }
    fs::copy(from, to).at("copy to", to).map(drop)
}

fn link(target: &str, path: &Path) -> Result<(), Error> {
    let _ = fs::remove_file(path);
    symlink(target, path).at("link", path)
}

fn enable(root: &Path, target: &str, unit: &str) -> Result<(), Error> {
    let wants = below(root, &format!("/etc/systemd/system/{target}.wants"));
    fs::create_dir_all(&wants).at("make", &wants)?;
    let name = Path::new(unit).file_name().unwrap_or_default();
    link(unit, &wants.join(name))
}
