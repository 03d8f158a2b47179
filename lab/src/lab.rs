//! A lab: its namespaces, its cluster and its machines, under a name.

use std::fs;
use std::path::PathBuf;

use crate::error::At as _;
use crate::machine::unfinished;
use crate::space::Lifetime;
use crate::{
    Cluster, Error, Image, LabName, Machine, Order, Programs, Progress, Space, Store, control_group, needs,
    sysctl,
};

/// A lab that is up.
#[derive(Debug)]
pub struct Lab {
    /// Its name.
    pub name: LabName,
    /// Its namespaces.
    pub space: Space,
    /// Its control plane.
    pub cluster: Cluster,
    programs: Programs,
    store: Store,
    lifetime: Lifetime,
}

impl Lab {
    /// Finds the lab of this name, or starts it.
    pub fn up(name: &LabName, lifetime: Lifetime, progress: Progress) -> Result<Self, Error> {
        needs::require_root()?;
        let store = Store::open()?;
        let programs = Programs::provide(&store, progress)?;
        let directory = store.lab(name);
        if let Some(space) = Space::find(&directory) {
            let cluster = Cluster::at(&programs, &directory);
            return Ok(Self { name: name.clone(), space, cluster, programs, store, lifetime });
        }
        // What a lab that was killed has left.
        sweep(&store, name)?;
        fs::create_dir_all(&directory).at("make", &directory)?;
        let held = sysctl::hold(&store.labs())?;
        let space =
            progress.part("making the lab's network", || Space::create(&directory, lifetime, held))?;
        let started =
            progress.part("starting the control plane", || Cluster::start(&space, &programs, &directory));
        match started {
            Ok(cluster) => Ok(Self { name: name.clone(), space, cluster, programs, store, lifetime }),
            Err(error) => {
                let mut space = space;
                space.destroy()?;
                Err(error)
            }
        }
    }

    /// Finds the lab of this name.
    pub fn find(name: &LabName) -> Result<Self, Error> {
        let store = Store::open()?;
        let programs = Programs::provide(&store, Progress::silent())?;
        let directory = store.lab(name);
        let space = Space::find(&directory)
            .ok_or_else(|| Error::refused(format!("the lab {name} is not up"), "cargo lab up"))?;
        let cluster = Cluster::at(&programs, &directory);
        Ok(Self { name: name.clone(), space, cluster, programs, store, lifetime: Lifetime::UntilDown })
    }

    /// Ends the lab of this name and removes what it has, whether it is up or was killed.
    pub fn down(name: &LabName) -> Result<(), Error> {
        needs::require_root()?;
        let store = Store::open()?;
        if let Some(mut space) = Space::find(&store.lab(name)) {
            space.destroy()?;
        }
        sweep(&store, name)
    }

    /// Where the lab has its files.
    pub fn directory(&self) -> PathBuf {
        self.store.lab(&self.name)
    }

    /// Boots a machine.
    pub fn boot(&self, name: &str, order: &Order, progress: Progress) -> Result<Machine, Error> {
        let image = Image::provide(order.kind, &self.store, &self.programs, progress)?;
        let directory = self.directory();
        unfinished::clear(&self.space, &self.name, &directory, name)?;
        progress.part(&format!("booting {name}"), || {
            Machine::boot(&self.space, &self.name, &directory, name, &image, order)
        })
    }

    /// Ends the API server as a crash would: connections are refused until it is started again.
    pub fn stop_api_server(&self) -> Result<(), Error> {
        Cluster::stop_api_server(&self.space)
    }

    /// Starts the API server again, and waits until it answers.
    pub fn start_api_server(&self) -> Result<(), Error> {
        self.cluster.start_api_server(&self.space, &self.programs, &self.directory())
    }

    /// A machine that was booted before.
    pub fn machine(&self, name: &str) -> Result<Machine, Error> {
        Machine::find(&self.space, &self.name, &self.directory(), name)
            .ok_or_else(|| Error::refused(format!("there is no machine {name}"), "cargo lab join"))
    }

    /// Every machine of the lab, by name.
    pub fn machines(&self) -> Vec<Machine> {
        let entries = fs::read_dir(self.directory().join("machines")).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names.iter().filter_map(|name| self.machine(name).ok()).collect()
    }

    /// What is left of a lab: directories and control groups. Nothing else can be.
    pub fn remains(name: &LabName) -> Result<Vec<PathBuf>, Error> {
        let directory = Store::open()?.lab(name);
        let mut remains = control_group::remaining(name);
        remains.extend(directory.exists().then_some(directory));
        Ok(remains)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if self.lifetime == Lifetime::WithCaller {
            let _ = self.space.destroy();
            let _ = sweep(&self.store, &self.name);
        }
    }
}

fn sweep(store: &Store, name: &LabName) -> Result<(), Error> {
    control_group::remove(name);
    let directory = store.lab(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).at("remove", &directory)?;
    }
    sysctl::restore(&store.labs())
}
