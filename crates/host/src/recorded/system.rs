//! The running part of a machine in memory: settings, modules, units, mounts, programs.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use slipway_model::Verb;

use super::tree::Tree;
use crate::child::{Ended, Exit};
use crate::host::{BootMoments, Mount, Pod, Program, Swap, UnitState};

/// Where unit files are looked for.
const UNIT_DIRECTORIES: [&str; 4] =
    ["/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"];

#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) settings: BTreeMap<PathBuf, String>,
    /// By name; the value says whether it is loaded.
    pub(super) modules: BTreeMap<String, bool>,
    pub(super) mounts: BTreeSet<PathBuf>,
    /// Mounts that are in use.
    pub(super) stuck: BTreeSet<PathBuf>,
    pub(super) units: BTreeMap<String, UnitState>,
    /// Units whose start fails.
    pub(super) failing: BTreeSet<String>,
    pub(super) programs: BTreeMap<PathBuf, (i32, Vec<u8>)>,
    /// By the socket of the runtime that has them.
    pub(super) pods: BTreeMap<PathBuf, Vec<Pod>>,
    /// By the socket of the runtime that has them; one that has none listens nevertheless.
    pub(super) images: BTreeMap<PathBuf, BTreeSet<String>>,
    pub(super) swaps: Vec<Swap>,
    pub(super) boot: BootMoments,
}

impl System {
    pub(super) fn set_setting(&mut self, path: &Path, value: &str) -> io::Result<()> {
        let setting = self.settings.get_mut(path).ok_or(io::ErrorKind::NotFound)?;
        value.trim_end().clone_into(setting);
        Ok(())
    }

    pub(super) fn load_module(&mut self, name: &str) -> io::Result<()> {
        let loaded = self.modules.get_mut(&module_name(name)).ok_or(io::ErrorKind::NotFound)?;
        *loaded = true;
        Ok(())
    }

    pub(super) fn mount(&mut self, mount: &Mount, tree: &Tree) -> io::Result<()> {
        match mount {
            Mount::Bind { from, at } => {
                for path in [from, at] {
                    tree.entry(path)?.ok_or(io::ErrorKind::NotFound)?;
                }
                self.mounts.insert(at.clone());
                Ok(())
            }
            Mount::Share { at } if self.mounts.contains(at) => Ok(()),
            Mount::Share { .. } => Err(rustix::io::Errno::INVAL.into()),
        }
    }

    pub(super) fn unmount(&mut self, path: &Path) -> io::Result<()> {
        if self.stuck.contains(path) {
            return Err(rustix::io::Errno::BUSY.into());
        }
        if self.mounts.remove(path) { Ok(()) } else { Err(rustix::io::Errno::INVAL.into()) }
    }

    /// What is known of a unit: what happened to it, or that there is a file of its name.
    pub(super) fn unit(&self, name: &str, tree: &Tree) -> UnitState {
        let has_file = |directory: &str| matches!(tree.entry(&Path::new(directory).join(name)), Ok(Some(_)));
        match self.units.get(name) {
            Some(state) => state.clone(),
            None if UNIT_DIRECTORIES.iter().any(|directory| has_file(directory)) => stopped("success"),
            None => UnitState::default(),
        }
    }

    pub(super) fn job(&mut self, name: &str, verb: Verb, tree: &Tree) -> io::Result<()> {
        let before = self.unit(name, tree);
        if !before.exists {
            let reason = format!("there is no unit {name}");
            return Err(io::Error::new(io::ErrorKind::NotFound, reason));
        }
        let runs = before.active == "active";
        let after = match verb {
            Verb::Reload => before,
            Verb::Start if runs => before,
            Verb::Stop => stopped("success"),
            Verb::Start | Verb::Restart if self.failing.contains(name) => {
                let state =
                    UnitState { active: "failed".into(), sub: "failed".into(), ..stopped("exit-code") };
                self.units.insert(name.to_owned(), state);
                return Err(io::Error::other(format!("{name} failed to start")));
            }
            Verb::Start | Verb::Restart => {
                UnitState { active: "active".into(), sub: "running".into(), ..stopped("success") }
            }
        };
        self.units.insert(name.to_owned(), after);
        Ok(())
    }

    pub(super) fn pods(&self, socket: &Path) -> io::Result<Vec<Pod>> {
        self.pods.get(socket).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn remove_pod(&mut self, socket: &Path, pod: &Pod) -> io::Result<()> {
        let pods = self.pods.get_mut(socket).ok_or(io::ErrorKind::NotFound)?;
        pods.retain(|other| other != pod);
        Ok(())
    }

    pub(super) fn has_image(&self, socket: &Path, name: &str) -> io::Result<bool> {
        Ok(self.images.get(socket).ok_or(io::ErrorKind::NotFound)?.contains(name))
    }

    pub(super) fn import_image(&mut self, socket: &Path, name: &str) -> io::Result<()> {
        self.images.get_mut(socket).ok_or(io::ErrorKind::NotFound)?.insert(name.to_owned());
        Ok(())
    }

    pub(super) fn remove_image(&mut self, socket: &Path, name: &str) -> io::Result<()> {
        self.images.get_mut(socket).ok_or(io::ErrorKind::NotFound)?.remove(name);
        Ok(())
    }

    pub(super) fn swap_off(&mut self, area: &Path) -> io::Result<()> {
        let at = self.swaps.iter().position(|swap| swap.path == area);
        self.swaps.remove(at.ok_or(rustix::io::Errno::INVAL)?);
        Ok(())
    }

    pub(super) fn swap_on(&mut self, area: &Swap) -> io::Result<()> {
        if self.swaps.iter().any(|swap| swap.path == area.path) {
            return Err(rustix::io::Errno::BUSY.into());
        }
        self.swaps.push(area.clone());
        Ok(())
    }

    pub(super) fn run(&self, program: &Program, most: usize) -> io::Result<Ended> {
        let (code, mut stdout) = self.programs.get(&program.path).cloned().ok_or(io::ErrorKind::NotFound)?;
        let exit = Exit::Code(code);
        let cut = stdout.len() > most;
        stdout.truncate(most);
        Ok(Ended { exit, stdout, stderr: Vec::new(), interrupted: None, timed_out: false, cut })
    }
}

/// A unit that exists and does not run.
pub(super) fn stopped(result: &str) -> UnitState {
    UnitState {
        exists: true,
        active: "inactive".into(),
        sub: "dead".into(),
        result: result.into(),
        ..UnitState::default()
    }
}

/// The kernel's name of a module: files and people also write hyphens.
pub(super) fn module_name(name: &str) -> String {
    name.replace('-', "_")
}
