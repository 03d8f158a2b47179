//! Releases of node components as their makers publish them, made of the lab's programs: files below a directory, whose
//! first part is the name of the host.
//!
//! A machine without a node image fetches them from the lab's artifact server, which it takes for a mirror.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::Run as _;
use crate::error::At as _;
use crate::image::{Image, Kind};
use crate::oci::Digest;
use crate::programs::{EARLIER, KUBERNETES};
use crate::store::{digest, kept};
use crate::{Error, Lab, Programs, Progress};

/// The versions under which they are published, whatever they are.
pub const CONTAINERD: &str = "2.1.8";
/// Of runc.
pub const RUNC: &str = "1.3.3";
/// Of the network plugins.
pub const CNI_PLUGINS: &str = "1.7.1";

const ARCHITECTURE: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

impl Lab {
    /// Publishes releases on the lab's artifact server: two of Kubernetes, one of everything else.
    pub fn open_market(&self, progress: Progress) -> Result<(), Error> {
        let image = Image::provide(Kind::Aks, &self.store, &self.programs, progress)?;
        let root = image.layers.last().map_or(Path::new("/"), PathBuf::as_path);
        let earlier = Programs::earlier_kubelet(&self.store, progress)?;
        let made_from = [root.as_os_str().as_encoded_bytes(), include_bytes!("market.rs")];
        let name = format!("market-{}", digest(made_from));
        let market = kept(&self.store.programs().join(name), |market| {
            progress.part("publishing releases", || fill(market, &self.programs, &earlier, root))
        })?;
        let files = self.directory().join("artifacts");
        fs::create_dir_all(&files).at("make", &files)?;
        for host in ["dl.k8s.io", "github.com"] {
            let link = files.join(host);
            let _ = fs::remove_file(&link);
            symlink(market.join(host), &link).at("link", &link)?;
        }
        Ok(())
    }
}

fn fill(market: &Path, programs: &Programs, earlier: &Path, root: &Path) -> Result<(), Error> {
    for (version, kubelet) in [(KUBERNETES, programs.path("kubelet").as_path()), (EARLIER, earlier)] {
        let place = market.join(format!("dl.k8s.io/v{version}/bin/linux/{ARCHITECTURE}"));
        put(kubelet, &place.join("kubelet"))?;
        // kubectl may be one minor newer.
        put(&programs.path("kubectl"), &place.join("kubectl"))?;
        let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
        let stable = market.join(format!("dl.k8s.io/release/stable-{minor}.txt"));
        make_above(&stable)?;
        fs::write(&stable, format!("v{version}\n")).at("write", &stable)?;
    }
    let releases = |project: &str, version: &str| {
        market.join(format!("github.com/{project}/releases/download/v{version}"))
    };
    let containerd = releases("containerd/containerd", CONTAINERD)
        .join(format!("containerd-{CONTAINERD}-linux-{ARCHITECTURE}.tar.gz"));
    let programs = programs.path("containerd");
    let programs = programs.parent().unwrap_or(Path::new("/"));
    pack(&containerd, programs, &["containerd", "containerd-shim-runc-v2", "ctr"], "bin/")?;
    digest_in(&containerd, &containerd.with_extension("gz.sha256sum"))?;
    let runc = releases("opencontainers/runc", RUNC).join(format!("runc.{ARCHITECTURE}"));
    put(&root.join("usr/bin/runc"), &runc)?;
    digest_in(&runc, &runc.with_file_name("runc.sha256sum"))?;
    let plugins = releases("containernetworking/plugins", CNI_PLUGINS)
        .join(format!("cni-plugins-linux-{ARCHITECTURE}-v{CNI_PLUGINS}.tgz"));
    pack(&plugins, &root.join("opt/cni/bin"), &["."], "")
}

fn put(from: &Path, to: &Path) -> Result<(), Error> {
    make_above(to)?;
    fs::copy(from, to).at("write", to).map(|_| ())
}

fn make_above(path: &Path) -> Result<(), Error> {
    let above = path.parent().map(PathBuf::from).unwrap_or_default();
    fs::create_dir_all(&above).at("make", &above)
}

/// Some files of a directory as an archive, with this before their names.
fn pack(archive: &Path, directory: &Path, names: &[&str], before: &str) -> Result<(), Error> {
    make_above(archive)?;
    let mut tar = Command::new("tar");
    tar.args(["--create", "--use-compress-program=gzip -1", &format!("--transform=s,^,{before},")]);
    tar.arg("--file").arg(archive).arg("--directory").arg(directory);
    tar.args(names).printed().map(|_| ())
}

/// A line as `sha256sum` writes it.
fn digest_in(file: &Path, line: &Path) -> Result<(), Error> {
    let opened = File::open(file).at("read", file)?;
    let digest = Digest::of_stream(opened).at("read", file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    fs::write(line, format!("{}  {name}\n", digest.hex())).at("write", line)
}
