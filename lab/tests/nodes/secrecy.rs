//! Whether a secret is seen by others while something happens: in arguments and environments of processes, in files that
//! everyone reads, in logs and events.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use slipway_lab::Machine;

use crate::scene::Scene;

/// How often processes are looked at; what lives shorter than this is seen by chance, and joins are many.
const GLANCE: Duration = Duration::from_millis(10);
/// Where files may be that everyone reads.
const PLACES: [&str; 8] = ["/etc", "/opt", "/root", "/run", "/srv", "/tmp", "/usr/local", "/var"];

/// Looks at every process of a machine until it is told to stop.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(usize, BTreeSet<String>)>,
}

impl Watch {
    /// Begins to look for a secret.
    pub(crate) fn begin(machine: &Machine, secret: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (ends, secret, all) = (Arc::clone(&stop), secret.to_owned(), machine.path("/proc"));
        let thread = thread::spawn(move || {
            let (mut ours, mut found) = (0, BTreeSet::new());
            while !ends.load(Ordering::Relaxed) {
                for (arguments, environment) in processes(&all) {
                    ours += usize::from(arguments.contains("slipway\0flex"));
                    if arguments.contains(&secret) || environment.contains(&secret) {
                        found.insert(arguments);
                    }
                }
                thread::sleep(GLANCE);
            }
            (ours, found)
        });
        Self { stop, thread }
    }

    /// Nobody has shown it.
    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        let (ours, found) = self.thread.join().unwrap();
        assert!(ours > 0, "our processes were not seen");
        assert!(found.is_empty(), "the secret was shown by {found:?}");
    }
}

/// Arguments and environment of every process.
fn processes(all: &Path) -> impl Iterator<Item = (String, String)> {
    let entries = fs::read_dir(all).unwrap().flatten();
    entries.filter_map(|entry| {
        let text = |name: &str| fs::read(entry.path().join(name)).ok();
        let arguments = text("cmdline").filter(|text| !text.is_empty())?;
        let shown = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        Some((shown(&arguments), shown(&text("environ").unwrap_or_default())))
    })
}

/// No file that everyone reads holds it, nor a log, nor an event of the cluster.
pub(crate) fn is_kept(scene: &Scene, machine: &Machine, secret: &str) {
    let as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    assert_eq!(holding(machine, &as_nobody, &PLACES, secret), "", "everyone can read it");
    assert_eq!(holding(machine, &[], &["/var/log"], secret), "", "it is in a log");
    let logs = machine.run("journalctl", &["--no-pager", "--output=cat"]).unwrap();
    assert!(!logs.contains(secret), "it is in the journal");
    let events = scene.kubectl(&["get", "events", "--all-namespaces", "--output=json"]);
    assert!(!String::from_utf8_lossy(&events.stdout).contains(secret), "it is in an event");
}

/// The files below these places that hold it, as far as whoever searches may read them. What is searched for is no
/// argument: we look at those.
fn holding(machine: &Machine, as_whom: &[&str], places: &[&str], secret: &str) -> String {
    let search =
        ["grep", "--recursive", "--files-with-matches", "--no-messages", "--fixed-strings", "--file=-"];
    let mut command = machine.command("env");
    command.args(as_whom).args(search).args(places).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut grep = command.spawn().unwrap();
    grep.stdin.take().unwrap().write_all(secret.as_bytes()).unwrap();
    // To find nothing is an error to grep.
    String::from_utf8(grep.wait_with_output().unwrap().stdout).unwrap()
}
