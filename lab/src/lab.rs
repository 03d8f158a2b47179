//! A lab: its namespaces, its cluster and its machines, under a name.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use crate::command::eventually;
use crate::error::At as _;
use crate::image::{Image, Kind};
use crate::machine::{check_name, unfinished};
use crate::oci::{self, Layer, LayerFile};
use crate::programs::EARLIER;
use crate::space::Lifetime;
use crate::{
    Cluster, Error, LabName, Machine, Order, Programs, Progress, Space, Store, control_group, needs, sysctl,
};

/// A lab whose caller has ended is gone after this time.
const ENDING: Duration = Duration::from_mins(1);
/// The file of a lab that says that its control plane has been started: whoever did it may have been killed halfway.
const STARTED: &str = "started";

/// A lab that is up.
#[derive(Debug)]
pub struct Lab {
    /// Its name.
    pub name: LabName,
    /// Its namespaces.
    pub space: Space,
    /// Its control plane.
    pub cluster: Cluster,
    pub(crate) programs: Programs,
    pub(crate) store: Store,
    lifetime: Lifetime,
}

impl Lab {
    /// Finds the lab of this name, or starts it.
    pub fn up(name: &LabName, lifetime: Lifetime, progress: Progress) -> Result<Self, Error> {
        needs::require_root()?;
        let store = Store::open()?;
        let programs = Programs::provide(&store, progress)?;
        let directory = store.lab(name);
        if lifetime == Lifetime::WithCaller {
            // What is there may be ending with a caller that has just ended.
            let in_use =
                || format!("the lab {name} is another's: its processes are below {}", directory.display());
            eventually("the lab's name to be free", ENDING, in_use, || {
                Ok(Space::find(&directory).is_none().then_some(()))
            })?;
        }
        let _turn = store.turn()?;
        if let Some(mut space) = Space::find(&directory) {
            if directory.join(STARTED).exists() {
                let cluster = Cluster::at(&programs, &directory);
                cluster.furnish(&space)?;
                return Ok(Self { name: name.clone(), space, cluster, programs, store, lifetime });
            }
            space.destroy()?;
        }
        // What a lab that was killed has left.
        sweep(&store, name)?;
        fs::create_dir_all(&directory).at("make", &directory)?;
        let held = sysctl::hold(&store.labs())?;
        sysctl::make_room()?;
        let space =
            progress.part("making the lab's network", || Space::create(&directory, lifetime, held))?;
        let started =
            progress.part("starting the control plane", || Cluster::start(&space, &programs, &directory));
        match started {
            Ok(cluster) => {
                let started = directory.join(STARTED);
                fs::write(&started, []).at("write", &started)?;
                Ok(Self { name: name.clone(), space, cluster, programs, store, lifetime })
            }
            Err(error) => {
                let mut space = space;
                space.destroy()?;
                Err(error)
            }
        }
    }

    /// Makes what labs have in common: programs and images, one of them baked with this build of Slipway.
    pub fn set_up(slipway: &Path, progress: Progress) -> Result<(), Error> {
        let store = Store::open()?;
        sweep_all(&store)?;
        let programs = Programs::provide(&store, progress)?;
        Programs::dns_server(&store, progress)?;
        Programs::helm(&store, progress)?;
        // Who brings programs of Kubernetes wants none built before a machine asks for them.
        if !Programs::are_given() {
            Programs::earlier_kubelet(&store, progress)?;
        }
        Programs::azure_clients(&store, progress)?;
        Image::provide(Kind::Plain, &store, &programs, progress)?;
        Image::provide(Kind::Aks, &store, &programs, progress)?.bake(slipway, &store, progress).map(drop)
    }

    /// Finds the lab of this name.
    pub fn find(name: &LabName) -> Result<Self, Error> {
        let store = Store::open()?;
        let programs = Programs::provide(&store, Progress::silent())?;
        let directory = store.lab(name);
        let space = Space::find(&directory)
            .filter(|_| directory.join(STARTED).exists())
            .ok_or_else(|| Error::refused(format!("the lab {name} is not up"), "cargo lab up"))?;
        let cluster = Cluster::at(&programs, &directory);
        Ok(Self { name: name.clone(), space, cluster, programs, store, lifetime: Lifetime::UntilDown })
    }

    /// Ends the lab of this name and removes what it has, whether it is up or was killed.
    pub fn down(name: &LabName) -> Result<(), Error> {
        needs::require_root()?;
        let store = Store::open()?;
        let _turn = store.turn()?;
        if let Some(mut space) = Space::find(&store.lab(name)) {
            space.destroy()?;
        }
        sweep(&store, name)
    }

    /// Where the lab has its files.
    pub fn directory(&self) -> PathBuf {
        self.store.lab(&self.name)
    }

    /// Boots a machine and waits until its systemd has started everything.
    pub fn boot(&self, name: &str, order: &Order, progress: Progress) -> Result<Machine, Error> {
        let mut machine = self.prepare(name, order, progress)?;
        progress.part(&format!("booting {name}"), || machine.boot())?;
        Ok(machine)
    }

    /// Makes a machine that is not switched on yet.
    pub fn prepare(&self, name: &str, order: &Order, progress: Progress) -> Result<Machine, Error> {
        check_name(name)?;
        let mut image = Image::provide(order.kind, &self.store, &self.programs, progress)?;
        if let Some(slipway) = &order.slipway {
            image = image.bake(slipway, &self.store, progress)?;
        }
        let directory = self.directory();
        unfinished::clear(&self.space, &self.name, &directory, name)?;
        progress.part(&format!("making {name}"), || {
            Machine::prepare(&self.space, &self.name, &directory, name, &image, order)
        })
    }

    /// Gives a machine the Kubernetes programs of another release than its image's.
    pub fn equip(&self, machine: &Machine, version: &str, progress: Progress) -> Result<(), Error> {
        if version != EARLIER {
            return Ok(());
        }
        let kubelet = Programs::earlier_kubelet(&self.store, progress)?;
        // kubectl may be one minor newer.
        for (name, program) in [("kubelet", kubelet), ("kubectl", self.programs.path("kubectl"))] {
            let content = fs::read(&program).at("read", &program)?;
            machine.put(&format!("/opt/bin/{name}-{version}"), 0o755, &content)?;
        }
        Ok(())
    }

    /// Puts an image of the program of pods into the lab's registry, under this name: with `/pod` its pods answer HTTP,
    /// with `/pod pause` they do nothing.
    pub fn publish(&self, name: &str, command: &[&str]) -> Result<(), Error> {
        let layout = self.directory().join("images");
        oci::store(&layout, &self.pod_image(name, command)?).at("write", &layout)
    }

    /// The same image as an archive.
    pub fn packed(&self, name: &str, command: &[&str]) -> Result<Vec<u8>, Error> {
        oci::archive(&self.pod_image(name, command)?).at("pack", &self.programs.path("pod"))
    }

    fn pod_image(&self, name: &str, command: &[&str]) -> Result<oci::Image, Error> {
        let program = self.programs.path("pod");
        let content = fs::read(&program).at("read", &program)?;
        let files = [
            LayerFile { path: "/pod", mode: 0o755, content: &content },
            // A layer that machines have already would not be fetched.
            LayerFile { path: "/name", mode: 0o644, content: name.as_bytes() },
        ];
        let layers = vec![Layer::of(&files).at("make a layer of", &program)?];
        let name = name.parse().map_err(io::Error::other).at("name an image of", &program)?;
        Ok(oci::Image { name, entrypoint: command.iter().map(|&word| word.to_owned()).collect(), layers })
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
            let turn = self.store.turn();
            // By now the name may be another's.
            if turn.is_ok() && Space::find(&self.directory()).is_none() {
                let _ = sweep(&self.store, &self.name);
            }
        }
    }
}

/// Removes what labs have left that were killed, and that nobody will start again.
fn sweep_all(store: &Store) -> Result<(), Error> {
    let _turn = store.turn()?;
    for entry in fs::read_dir(store.labs()).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().ok().and_then(|name| name.parse().ok());
        if let Some(name) = name.filter(|_| entry.path().is_dir() && Space::find(&entry.path()).is_none()) {
            sweep(store, &name)?;
        }
    }
    Ok(())
}

fn sweep(store: &Store, name: &LabName) -> Result<(), Error> {
    control_group::remove(name);
    let directory = store.lab(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).at("remove", &directory)?;
    }
    sysctl::restore(&store.labs())
}
