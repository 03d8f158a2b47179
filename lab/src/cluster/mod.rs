//! The control plane: etcd, API server, controller manager and scheduler, with what AKS has in it for joining.

mod audit;
mod certificates;
mod components;
mod entra;
mod managed;
mod objects;
mod routes;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

pub use audit::Recorded;
use components::Component;
pub(crate) use objects::APPROVAL;

use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::space::{GATEWAY, children};
use crate::{Error, Programs, Space};

/// The API server's name.
pub const NAME: &str = "lab.hcp.test";
/// The addresses of services.
pub const SERVICES: &str = "10.0.0.0/16";
/// The addresses of pods.
pub const PODS: &str = "10.244.0.0/16";

/// The argument by which the API server is known among the lab's processes.
const API_SERVER: &str = "--secure-port=443";

const LONGEST: Duration = Duration::from_mins(3);

/// A control plane in a lab.
#[derive(Debug)]
pub struct Cluster {
    files: PathBuf,
    kubectl: PathBuf,
}

impl Cluster {
    /// Starts one, and waits until it is ready for nodes.
    pub fn start(space: &Space, programs: &Programs, directory: &Path) -> Result<Self, Error> {
        let cluster = Self::at(programs, directory);
        let services = "10.0.0.1";
        let names =
            [NAME, GATEWAY, "127.0.0.1", services, "localhost", "kubernetes", "kubernetes.default.svc"];
        certificates::write(&cluster.files, &names)?;
        entra::write(&cluster.files)?;
        audit::write(&cluster.files)?;
        for client in &certificates::CLIENTS {
            cluster.write_kubeconfig(client.file)?;
        }
        let token = cluster.files.join("bootstrap-token");
        certificates::secret(&token, &format!("{}.{}", random(3)?, random(8)?))?;
        let [etcd, api_server, others @ ..] =
            components::components(&cluster.files, &space.area().join("etcd"));
        let start = |component: &Component| {
            let log = directory.join(format!("{}.log", component.program));
            space.start(&log, &programs.path(component.program), &component.arguments)
        };
        start(&etcd)?;
        start(&api_server)?;
        cluster.wait_answering(space, directory)?;
        // Started before there is an answer, they would wait longer and longer before they ask again.
        others.iter().try_for_each(start)?;
        cluster.wait_controlled(space, directory)?;
        Ok(cluster)
    }

    /// Ends the API server as a crash would: connections are refused until it is started again.
    pub(crate) fn stop_api_server(space: &Space) -> Result<(), Error> {
        for id in space.started_with(API_SERVER) {
            if let Some(id) = Pid::from_raw(id.cast_signed()) {
                // It may end by itself in this very moment.
                let _ = kill_process(id, Signal::KILL);
            }
        }
        eventually("the API server's end", LONGEST, String::new, || {
            Ok(space.started_with(API_SERVER).is_empty().then_some(()))
        })
    }

    /// Starts the API server again, and waits until it answers.
    pub(crate) fn start_api_server(
        &self,
        space: &Space,
        programs: &Programs,
        directory: &Path,
    ) -> Result<(), Error> {
        let [_, api_server, ..] = components::components(&self.files, &space.area().join("etcd"));
        let log = directory.join(format!("{}.log", api_server.program));
        space.start(&log, &programs.path(api_server.program), &api_server.arguments)?;
        self.wait_answering(space, directory)
    }

    /// The one that was started with this directory.
    pub fn at(programs: &Programs, directory: &Path) -> Self {
        Self { files: directory.join("cluster"), kubectl: programs.path("kubectl") }
    }

    /// The authority's certificate, as PEM.
    pub fn authority(&self) -> Result<String, Error> {
        let path = self.files.join("ca.crt");
        fs::read_to_string(&path).at("read", &path)
    }

    /// The bootstrap token.
    pub fn token(&self) -> Result<String, Error> {
        let path = self.files.join("bootstrap-token");
        fs::read_to_string(&path).at("read", &path)
    }

    /// `kubectl` as the cluster's administrator.
    pub fn kubectl(&self, space: &Space, arguments: &[&str]) -> Command {
        let mut command = space.command(&self.kubectl);
        command.arg("--kubeconfig").arg(self.files.join("admin.kubeconfig")).args(arguments);
        // kubectl keeps what it discovers below HOME.
        command.env("HOME", &self.files);
        command
    }

    /// Does the work while nodes are watched, and gives what it gave with the moment when the API server said that
    /// the node is Ready.
    pub fn until_ready<T>(
        &self,
        space: &Space,
        node: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(T, Instant), Error> {
        const READY: &str = r#"{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}"#;
        let timeout = format!("--request-timeout={}s", LONGEST.as_secs());
        let output = format!("jsonpath={READY}");
        let selector = format!("--field-selector=metadata.name={node}");
        let mut watch = self
            .kubectl(space, &["get", "nodes", &selector, "--watch", "--output", &output, &timeout])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
        let wanted = format!("{node} True");
        let lines = watch.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        let seen = thread::scope(|scope| {
            let reading = scope.spawn(|| {
                let ready = lines.into_iter().flatten().map_while(Result::ok).any(|line| line == wanted);
                ready.then(Instant::now)
            });
            let done = work();
            if done.is_err() {
                end(&watch);
            }
            done.map(|done| (done, reading.join().ok().flatten()))
        });
        end(&watch);
        let _ = watch.wait();
        let (done, moment) = seen?;
        let Some(moment) = moment else {
            let evidence = self.kubectl(space, &["describe", "nodes"]).printed().unwrap_or_default();
            return Err(Error::Late { what: format!("node {node} to be Ready"), waited: LONGEST, evidence });
        };
        Ok((done, moment))
    }

    /// Runs a pod that answers HTTP on a node, and gives its address when it is running.
    pub fn run_pod(&self, space: &Space, name: &str, node: &str, image: &str) -> Result<String, Error> {
        let pod = objects::pod(name, node, image).to_string();
        self.kubectl(space, &["apply", "--filename", "-"]).printed_from(pod.as_bytes())?;
        let timeout = format!("--timeout={}s", LONGEST.as_secs());
        let waited = self.kubectl(space, &["wait", "--for=condition=Ready", "pod", name, &timeout]).printed();
        if let Err(error) = waited {
            let evidence = self.kubectl(space, &["describe", "pod", name]).printed().unwrap_or_default();
            return Err(Error::Late { what: format!("{error}"), waited: LONGEST, evidence });
        }
        self.kubectl(space, &["get", "pod", name, "--output=jsonpath={.status.podIP}"]).printed()
    }

    fn wait_answering(&self, space: &Space, directory: &Path) -> Result<(), Error> {
        let log = || tail(&directory.join("kube-apiserver.log"));
        eventually("the API server", LONGEST, log, || {
            if space.started_with(API_SERVER).is_empty() {
                return Err(Error::refused("the API server ended by itself", log()));
            }
            Ok(self.kubectl(space, &["get", "--raw=/readyz"]).printed().ok())
        })?;
        eventually("the cluster's roles", LONGEST, log, || Ok(self.furnish(space).ok()))
    }

    /// Makes the cluster's roles and its token, as far as they are not there: a benchmark that was killed may have left some out.
    pub(crate) fn furnish(&self, space: &Space) -> Result<(), Error> {
        let list = objects::objects(split(&self.token()?)).to_string();
        self.kubectl(space, &["apply", "--filename", "-"]).printed_from(list.as_bytes()).map(drop)
    }

    /// The default service account is the work of the controller manager, and pods need it.
    fn wait_controlled(&self, space: &Space, directory: &Path) -> Result<(), Error> {
        let log = || tail(&directory.join("kube-controller-manager.log"));
        eventually("the controller manager", LONGEST, log, || {
            Ok(self.kubectl(space, &["get", "serviceaccount", "default"]).printed().ok())
        })?;
        Ok(())
    }

    /// A kubeconfig that names its certificates by path.
    fn write_kubeconfig(&self, client: &str) -> Result<(), Error> {
        let file = |name: &str| self.files.join(name).display().to_string();
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": {
                "server": format!("https://{GATEWAY}:443"),
                "certificate-authority": file("ca.crt"),
            }}],
            "users": [{"name": client, "user": {
                "client-certificate": file(&format!("{client}.crt")),
                "client-key": file(&format!("{client}.key")),
            }}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": client}}],
            "current-context": "lab",
        });
        let path = self.files.join(format!("{client}.kubeconfig"));
        fs::write(&path, config.to_string()).at("write", &path)
    }
}

/// Ends a command in the lab: `nsenter` passes nothing on to the program that it runs in other namespaces, so that is
/// what must end.
pub(crate) fn end(nsenter: &Child) {
    for id in children(nsenter.id()).into_iter().chain([nsenter.id()]) {
        if let Some(id) = Pid::from_raw(id.cast_signed()) {
            let _ = kill_process(id, Signal::KILL);
        }
    }
}

fn split(token: &str) -> (&str, &str) {
    token.split_once('.').unwrap_or((token, ""))
}

/// Random octets in hexadecimal, which is what a bootstrap token may be made of.
fn random(octets: usize) -> Result<String, Error> {
    use std::io::Read as _;
    let source = Path::new("/dev/urandom");
    let mut random = vec![0; octets];
    fs::File::open(source).and_then(|mut file| file.read_exact(&mut random)).at("read", source)?;
    Ok(random.iter().fold(String::new(), |text, octet| text + &format!("{octet:02x}")))
}

/// The last lines of a log.
pub(crate) fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(20).collect();
    lines.into_iter().rev().fold(String::new(), |all, line| all + line + "\n")
}
