//! Slipway in an image: installed as its package does, then run once as an image build runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Image;
use super::files::{Texts, copy, link, texts};
use crate::command::Run as _;
use crate::error::At as _;
use crate::store::digest;
use crate::{Error, native};

/// What the package brings besides the program.
const UNITS: Texts = &[
    (
        "/usr/lib/systemd/system/aks-node-controller.service",
        0o644,
        include_str!("../../../packaging/systemd/aks-node-controller.service"),
    ),
    (
        "/usr/lib/systemd/system/aks-node-controller.path",
        0o644,
        include_str!("../../../packaging/systemd/aks-node-controller.path"),
    ),
];

/// The names that the package gives to the program.
const NAMES: [&str; 3] = [
    "/opt/azure/containers/slipway",
    "/opt/azure/containers/aks-node-controller",
    "/usr/bin/aks-node-controller",
];

/// The arguments are the image's directories, a directory for the layer that is made, the program and the contract.
/// Mounts are this shell's own.
const BAKE: &str = r#"set -e
lower=$1 layer=$2 slipway=$3 contract=$4
mkdir "$layer.work" "$layer.root"
trap 'umount "$layer.root"; rm -rf "$layer.work" "$layer.root"' EXIT
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layer,workdir=$layer.work" "$layer.root"
"$slipway" provision --stage bake --root "$layer.root" --provision-config "$contract" --progress none"#;

/// A build of Slipway.
pub(super) struct Build {
    path: PathBuf,
    digest: String,
}

impl Build {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let content = fs::read(path).at("read", path)?;
        Ok(Self { path: path.to_owned(), digest: digest([content.as_slice()]) })
    }

    /// Names everything that the layer is made from.
    pub(super) fn edition(&self, image: &Image) -> String {
        let contract = native::preparation().to_string();
        let texts = UNITS.iter().map(|(_, _, text)| text.as_bytes());
        let made_from = [self.digest.as_bytes(), include_bytes!("baked.rs"), contract.as_bytes()];
        let lower = image.lower();
        digest(made_from.into_iter().chain(texts).chain([lower.as_bytes()]))
    }

    /// Fills the layer above an image.
    pub(super) fn bake(&self, image: &Image, layer: &Path) -> Result<(), Error> {
        let program = native::PROGRAM;
        copy(&self.path, &super::files::below(layer, program))?;
        texts(layer, UNITS)?;
        for name in NAMES {
            link(program, &super::files::below(layer, name))?;
        }
        let contract = layer.with_extension("contract.json");
        fs::write(&contract, native::preparation().to_string()).at("write", &contract)?;
        let baked = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "bash", "-c", BAKE, "bake", &image.lower()])
            .args([layer, &self.path, &contract])
            .printed();
        fs::remove_file(&contract).at("remove", &contract)?;
        baked.map(drop)
    }
}
