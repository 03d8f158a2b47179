//! Containers' images in a machine's image: made of one static program, imported by a containerd of its own.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::files::{below, put};
use super::{PAUSE, POD};
use crate::cluster::tail;
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::oci::{self, Layer, LayerFile};
use crate::{Error, Programs};

/// Imports the pods' images into the image's containerd.
pub(super) fn import(root: &Path, programs: &Programs) -> Result<(), Error> {
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
    let imported = import_all(programs, &scratch, &log);
    let _ = containerd.kill();
    let _ = containerd.wait();
    imported?;
    fs::remove_dir_all(&scratch).at("remove", &scratch)
}

fn import_all(programs: &Programs, scratch: &Path, log: &Path) -> Result<(), Error> {
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
        let file = LayerFile { path: "/pod", mode: 0o755, content: &program };
        let image = oci::Image {
            name: name.parse().map_err(io::Error::other).at("name", &archive)?,
            entrypoint: arguments.iter().map(|&word| word.to_owned()).collect(),
            layers: vec![Layer::of(&[file]).at("make", &archive)?],
        };
        fs::write(&archive, oci::archive(&image).at("make", &archive)?).at("write", &archive)?;
        ctr(&["images", "import", &archive.display().to_string()])?;
    }
    Ok(())
}
