//! A service that runs, in a directory of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Where recorded exchanges are.
const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../launch/tests/vectors/nps");

/// A recorded exchange of the real client.
pub(crate) fn recorded(name: &str) -> Value {
    serde_json::from_slice(&fs::read(format!("{VECTORS}/{name}.json")).unwrap()).unwrap()
}

/// The path and body of a recorded request.
pub(crate) fn request(name: &str) -> (String, String) {
    let exchange = recorded(name);
    (exchange["request"]["path"].as_str().unwrap().to_owned(), exchange["request"]["body"].to_string())
}

/// The configuration that knows the clusters of all recorded requests.
pub(crate) fn clusters() -> Value {
    let names = ["request-00", "request-01", "request-02", "request-03"];
    let clusters = names.map(|name| {
        let input = &recorded(name)["input"];
        json!({"options": input["options"], "environment": input["environment"]})
    });
    json!({"clusters": clusters})
}

/// A directory that goes away.
pub(crate) struct Area(PathBuf);

impl Area {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("slipwayd-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let area = std::env::temp_dir().join(name);
        fs::create_dir_all(&area).unwrap();
        Self(area)
    }

    /// Writes a file as Kubernetes replaces mounted ones: the new one is there at once.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let (path, new) = (self.0.join(name), self.0.join(format!("{name}.new")));
        fs::write(&new, content).unwrap();
        fs::rename(new, &path).unwrap();
        path
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A running `slipwayd launch`. It is killed when dropped.
pub(crate) struct Running {
    pub(crate) area: Area,
    pub(crate) address: SocketAddr,
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Running {
    /// Starts with the recorded clusters and these arguments.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let area = Area::new();
        let config = area.write("clusters.json", clusters().to_string());
        let config = config.to_str().unwrap().to_owned();
        let mut all = vec!["--listen", "127.0.0.1:0", "--config", &config];
        all.extend(arguments);
        Self::start_in(area, &all)
    }

    /// Starts with exactly these arguments, and waits until it listens.
    pub(crate) fn start_in(area: Area, arguments: &[&str]) -> Self {
        let mut child = command(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stderr.take().unwrap());
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                kept.lock().unwrap().push(line);
            }
        });
        let mut running = Self { area, address: ([127, 0, 0, 1], 0).into(), child, lines };
        let listening = running.await_line("listening");
        running.address = listening["address"].as_str().unwrap().parse().unwrap();
        running
    }

    /// Waits for a line of the log with this message.
    pub(crate) fn await_line(&self, message: &str) -> Value {
        let patience = Instant::now() + Duration::from_secs(20);
        while Instant::now() < patience {
            let found = self.lines().into_iter().find(|line| line["message"] == message);
            if let Some(line) = found {
                return line;
            }
            sleep(Duration::from_millis(2));
        }
        panic!("no line {message:?} in {:?}", self.lines.lock().unwrap());
    }

    /// The log so far; each line is JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.lines.lock().unwrap();
        lines.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }

    /// The log so far, as it is.
    pub(crate) fn log(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The most memory that it had so far, in kB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status =
            fs::read_to_string(Path::new("/proc").join(self.id().to_string()).join("status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Asks it to stop.
    pub(crate) fn terminate(&self) {
        assert!(Command::new("kill").args(["-TERM", &self.id().to_string()]).status().unwrap().success());
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program with `launch` and these arguments.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slipwayd"));
    command.arg("launch").args(arguments);
    command
}
