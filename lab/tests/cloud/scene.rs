//! One lab for the whole test program, with its Azure and an Arc machine.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::{env, thread};

use slipway_lab::azure::{Azure, Himds, Principal};
use slipway_lab::image::Kind;
use slipway_lab::{Lab, LabName, Lifetime, Machine, Order, Progress, arc, native};

pub(crate) const CERTIFICATE: &str = include_str!("../azure/data/application.crt");
pub(crate) const KEY: &str = include_str!("../azure/data/application.key");
pub(crate) const SECRET: &str = "s3cr3t~value.with-chars_=";

/// A lab and what belongs to it for as long as the test program runs.
pub(crate) struct Scene {
    pub(crate) lab: Lab,
    pub(crate) azure: Azure,
    /// A machine that is no node, connected to Arc.
    pub(crate) machine: Machine,
    /// Its id in Azure.
    pub(crate) arc: String,
    _himds: Himds,
}

/// The test program's scene. It ends with the test program, and what it leaves is swept up by the next one.
pub(crate) fn scene() -> &'static Scene {
    static SCENE: OnceLock<Scene> = OnceLock::new();
    SCENE.get_or_init(|| {
        let (sender, receiver) = channel();
        // A lab ends with the thread that made it, and the threads of tests end.
        thread::spawn(move || {
            sender.send(Scene::new()).unwrap();
            loop {
                thread::park();
            }
        });
        receiver.recv().unwrap()
    })
}

impl Scene {
    fn new() -> Self {
        // Copies of the source can be tested side by side.
        let mut hasher = DefaultHasher::new();
        env::current_exe().unwrap().hash(&mut hasher);
        let name: LabName = format!("cloud-{:08x}", hasher.finish() & 0xffff_ffff).parse().unwrap();
        let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent());
        let lab = lab.unwrap_or_else(|error| panic!("{error}"));
        let azure = native::azure(&lab, &[]).unwrap();
        azure.admit_principal(application());
        let order = Order { kind: Kind::Plain, ..Order::default() };
        let machine = lab.boot("edge-07", &order, Progress::silent()).unwrap();
        arc::trust(&machine, &lab.cluster.authority().unwrap()).unwrap();
        let arc = azure.connect_arc("lab", &machine.name);
        let himds = arc::serve_identity(&azure, &machine, &arc).unwrap();
        Self { lab, azure, machine, arc, _himds: himds }
    }

    /// A file that programs in the lab can read.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.lab.directory().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

/// An application that can sign in by secret and by certificate.
pub(crate) fn application() -> Principal {
    use base64::Engine as _;
    let encoded: String = CERTIFICATE.lines().filter(|line| !line.starts_with("-----")).collect();
    let certificate = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap();
    Principal::application("flex").with_secret(SECRET).with_certificate(certificate)
}
