//! What the tests of machines share: one lab for a whole test program, its Azure, and a build of Slipway.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use std::{env, thread};

use serde_json::Value;
use slipway_lab::azure::Azure;
use slipway_lab::{Lab, LabName, Lifetime, Machine, Order, Progress, native, product};

/// A lab and what belongs to it for as long as the test program runs.
pub(crate) struct Scene {
    pub(crate) lab: Lab,
    pub(crate) azure: Azure,
}

/// The test program's lab. It ends with the test program, and what it leaves is swept up by the next one.
pub(crate) fn scene() -> &'static Scene {
    static SCENE: OnceLock<Scene> = OnceLock::new();
    SCENE.get_or_init(|| {
        let (sender, receiver) = channel();
        // A lab ends with the thread that made it, and the threads of tests end.
        thread::spawn(move || {
            sender.send(Scene::of_its_own("shared")).unwrap();
            loop {
                thread::park();
            }
        });
        receiver.recv().unwrap()
    })
}

impl Scene {
    /// A lab for a test that disturbs what others use. The name is one of the test program.
    pub(crate) fn of_its_own(name: &str) -> Self {
        // Copies of the source can be tested side by side.
        let mut hasher = DefaultHasher::new();
        env::current_exe().unwrap().hash(&mut hasher);
        let name: LabName = format!("{name}-{:08x}", hasher.finish() & 0xffff_ffff).parse().unwrap();
        let lab = Lab::up(&name, Lifetime::WithCaller, Progress::silent());
        let lab = lab.unwrap_or_else(|error| panic!("{error}"));
        let azure = native::azure(&lab, &[]).unwrap();
        Self { lab, azure }
    }

    /// A machine with the AKS image that Azure knows about. The name must be new in the lab.
    pub(crate) fn machine(&self, name: &str) -> Machine {
        let machine = self.lab.boot(name, &Order::default(), Progress::silent()).unwrap();
        self.azure.admit(native::metadata(&machine).unwrap());
        machine
    }

    /// A contract for this lab's cluster.
    pub(crate) fn contract(&self) -> Value {
        native::contract(&self.lab.cluster).unwrap()
    }

    /// Provisions a machine from a contract and waits until it is Ready.
    pub(crate) fn join(&self, machine: &Machine, contract: &Value) {
        native::install(machine, slipway(), contract).unwrap();
        let provisioned = || native::run(machine);
        self.lab
            .cluster
            .until_ready(&self.lab.space, &machine.name, provisioned)
            .unwrap_or_else(|error| panic!("{error}\n{}", journal(machine)));
    }

    /// The Node as the API server has it.
    pub(crate) fn node(&self, name: &str) -> Value {
        let output = self.kubectl(&["get", "node", name, "--output=json"]);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What kubectl says, which must succeed.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> Output {
        let output = self.lab.cluster.kubectl(&self.lab.space, arguments).output().unwrap();
        assert!(
            output.status.success(),
            "kubectl {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Makes objects of this text, which is YAML or JSON.
    pub(crate) fn apply(&self, objects: &[u8]) {
        let mut command = self.lab.cluster.kubectl(&self.lab.space, &["apply", "--filename", "-"]);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut kubectl = pipes.spawn().unwrap();
        kubectl.stdin.take().unwrap().write_all(objects).unwrap();
        let output = kubectl.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }

    /// Runs a pod on a node and asks it over HTTP from the node.
    pub(crate) fn pod_answers(&self, pod: &str, machine: &Machine) -> String {
        let address = self.pod(pod, machine);
        asked(machine, &address)
    }

    /// Runs a pod on a node and gives its address.
    pub(crate) fn pod(&self, name: &str, machine: &Machine) -> String {
        let (cluster, space) = (&self.lab.cluster, &self.lab.space);
        let address = cluster.run_pod(space, name, &machine.name, slipway_lab::image::POD);
        address.unwrap_or_else(|error| panic!("{error}\n{}", journal(machine)))
    }

    /// What a pod answers to another pod.
    pub(crate) fn asked_from(&self, pod: &str, address: &str) -> String {
        let url = format!("http://{address}:8080/");
        let output = self.kubectl(&["exec", pod, "--", "/pod", "get", &url]);
        String::from_utf8(output.stdout).unwrap()
    }
}

/// What a pod answers to a machine.
pub(crate) fn asked(machine: &Machine, address: &str) -> String {
    machine.run("curl", &["--silent", "--fail", &format!("http://{address}:8080/")]).unwrap()
}

/// Looks again and again until there is something; the evidence is for the message when there never is.
pub(crate) fn eventually<T>(
    what: &str,
    evidence: impl FnOnce() -> String,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_mins(2), "waited in vain for {what}\n{}", evidence());
        thread::sleep(Duration::from_millis(200));
    }
}

/// Kills what a unit runs, and waits for its end. It may be over by then, and the unit gone.
pub(crate) fn kill(machine: &Machine, unit: &str) {
    for verb in [&["kill", "--signal=KILL"][..], &["stop"]] {
        let _ = machine.run("systemctl", &[verb, &[unit]].concat());
    }
}

/// The end of a machine's journal, for the message of a failure.
pub(crate) fn journal(machine: &Machine) -> String {
    machine.run("journalctl", &["--no-pager", "--lines=80"]).unwrap_or_default()
}

/// Everything that a command said.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// What a command printed, as JSON, however it ended.
pub(crate) fn json_of(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// The build of Slipway that is tested: `SLIPWAY`, or this source's release build.
pub(crate) fn slipway() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| product::provide(Progress::silent()).unwrap())
}
