//! The machines' images: made once, kept, and removed when nobody needs them any more.
//!
//! An image is a stack of directories: a system with its programs, and for a baked one what Slipway's image build adds.

mod baked;
mod containers;
mod files;
mod recipe;

use std::path::{Path, PathBuf};

use crate::store::digest;
use crate::store::{discard, kept};
use crate::{Error, Programs, Progress, Store};

pub(crate) use files::put;

/// The pause image of contracts for the lab.
pub const PAUSE: &str = "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10";
/// An image whose pods answer HTTP on port 8080.
pub const POD: &str = "lab.test/pod:1";

/// Which image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Debian with systemd and a network, and nothing of Kubernetes.
    Plain,
    /// What an AKS node image has, at its paths.
    #[default]
    Aks,
}

/// An image that is there.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    /// Its directories, the highest first.
    pub(crate) layers: Vec<PathBuf>,
}

impl Image {
    /// Finds an image, or makes it.
    pub(crate) fn provide(
        kind: Kind,
        store: &Store,
        programs: &Programs,
        progress: Progress,
    ) -> Result<Self, Error> {
        let debians = [Kind::Aks, Kind::Plain].map(|kind| {
            let packages = recipe::packages(kind);
            format!("debian-{}", digest(packages.iter().map(|package| package.as_bytes())))
        });
        let debian = &debians[usize::from(kind == Kind::Plain)];
        let debian = kept(&store.images().join(debian), |root| {
            let title = format!("installing Debian's packages for the {} image", kind.name());
            progress.part(&title, || recipe::debian(root, &recipe::packages(kind), &store.packages()))?;
            discard(store, "debian-", &debians)
        })?;
        let name = format!("{}-{}", kind.name(), recipe::edition(kind, programs));
        let root = kept(&store.images().join(&name), |root| {
            let title = format!("making the {} image", kind.name());
            progress.part(&title, || recipe::make(kind, root, &debian, programs))?;
            discard(store, &format!("{}-", kind.name()), std::slice::from_ref(&name))
        })?;
        Ok(Self { layers: vec![root] })
    }

    /// The image with Slipway in it, baked: found, or made.
    pub(crate) fn bake(self, slipway: &Path, store: &Store, progress: Progress) -> Result<Self, Error> {
        let program = baked::Build::read(slipway)?;
        let name = format!("baked-{}", program.edition(&self));
        let layer = kept(&store.images().join(&name), |layer| {
            progress.part("baking the image", || program.bake(&self, layer))?;
            discard(store, "baked-", std::slice::from_ref(&name))
        })?;
        Ok(Self { layers: std::iter::once(layer).chain(self.layers).collect() })
    }

    /// The image's directories as an overlay names its lower ones.
    pub(crate) fn lower(&self) -> String {
        self.layers.iter().map(|layer| layer.display().to_string()).collect::<Vec<_>>().join(":")
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Aks => "aks",
        }
    }
}
