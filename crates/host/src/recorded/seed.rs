//! What a machine in memory starts with.

use std::io;
use std::path::Path;

use slipway_model::Attributes;

use super::system::{module_name, stopped};
use super::{Inner, Recorded};
use crate::host::{BootMoments, Pod, Swap, UnitState};

impl Recorded {
    /// A running machine without a single file.
    pub fn live() -> Self {
        Self { live: true, ..Self::default() }
    }

    /// An empty directory that stands for a machine.
    pub fn below() -> Self {
        Self::default()
    }

    /// With files of root, and the directories above them.
    #[must_use]
    pub fn with_files<'a>(self, files: impl IntoIterator<Item = (&'a str, &'a str, u32)>) -> Self {
        for (path, content, mode) in files {
            self.seed(Path::new(path), |inner, path| {
                let file = inner.tree.create(path, Attributes::root(mode))?;
                file.write(content.as_bytes());
                Ok(())
            });
        }
        self
    }

    /// With a directory of root.
    #[must_use]
    pub fn with_directory(self, path: &str, mode: u32) -> Self {
        self.seed(Path::new(path), |inner, path| {
            Ok(inner.tree.make_directory(path, Attributes::root(mode))?)
        });
        self
    }

    /// With a link.
    #[must_use]
    pub fn with_link(self, path: &str, target: &str) -> Self {
        self.seed(Path::new(path), |inner, path| Ok(inner.tree.make_link(path, Path::new(target))?));
        self
    }

    /// With a kernel setting.
    #[must_use]
    pub fn with_setting(self, path: &str, value: &str) -> Self {
        self.lock().system.settings.insert(path.into(), value.to_owned());
        self
    }

    /// With a kernel module that can be loaded.
    #[must_use]
    pub fn with_module(self, name: &str) -> Self {
        self.lock().system.modules.insert(module_name(name), false);
        self
    }

    /// With a unit that does not run.
    #[must_use]
    pub fn with_unit(self, name: &str) -> Self {
        self.with_unit_state(name, stopped("success"))
    }

    /// With a unit in some state.
    #[must_use]
    pub fn with_unit_state(self, name: &str, state: UnitState) -> Self {
        self.lock().system.units.insert(name.to_owned(), state);
        self
    }

    /// With a unit that fails whenever it is started.
    #[must_use]
    pub fn with_failing_unit(self, name: &str) -> Self {
        self.lock().system.failing.insert(name.to_owned());
        self.with_unit(name)
    }

    /// With a mount point.
    #[must_use]
    pub fn with_mount(self, path: &str) -> Self {
        self.lock().system.mounts.insert(path.into());
        self
    }

    /// With a mount point that is in use.
    #[must_use]
    pub fn with_stuck_mount(self, path: &str) -> Self {
        self.lock().system.stuck.insert(path.into());
        self.with_mount(path)
    }

    /// With a program that ends with this code after it printed this.
    #[must_use]
    pub fn with_program(self, path: &str, code: i32, stdout: &str) -> Self {
        self.lock().system.programs.insert(path.into(), (code, stdout.as_bytes().to_vec()));
        self
    }

    /// With a container runtime that has a pod.
    #[must_use]
    pub fn with_pod(self, socket: &str, name: &str) -> Self {
        let pod = Pod { id: format!("id of {name}"), name: name.to_owned() };
        self.lock().system.pods.entry(socket.into()).or_default().push(pod);
        self
    }

    /// With a container runtime that has these images.
    #[must_use]
    pub fn with_images(self, socket: &str, names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned());
        self.lock().system.images.entry(socket.into()).or_default().extend(names);
        self
    }

    /// With a swap area that is in use.
    #[must_use]
    pub fn with_swap(self, path: &str, priority: i32) -> Self {
        self.lock().system.swaps.push(Swap { path: path.into(), priority });
        self
    }

    /// Booted at these moments.
    #[must_use]
    pub fn with_boot_moments(self, moments: BootMoments) -> Self {
        self.lock().system.boot = moments;
        self
    }

    /// Makes the directories above a path, then what is to be there. A seed that does not fit into the machine is a
    /// mistake of the test that wrote it.
    fn seed(&self, path: &Path, plant: impl FnOnce(&mut Inner, &Path) -> io::Result<()>) {
        let mut inner = self.lock();
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        for directory in above {
            // Those that are there stay as they are.
            let _ = inner.tree.make_directory(directory, Attributes::root(0o755));
        }
        let planted = plant(&mut inner, path);
        assert!(planted.is_ok(), "cannot seed {}: {planted:?}", path.display());
    }
}
