//! What the doctor looks at, all of it, before anything is judged.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use slipway_apply::{Status, diff, status};
use slipway_contract::{Issue, Severity};
use slipway_flex::preflight;
use slipway_host::{Host, UnitState, os_text, unix_seconds};
use slipway_kubernetes::{ClientCertificate, Patience, wait_kubelet_healthy};
use slipway_model::Sources;
use slipway_plan::CONTAINERD_SOCKET;
use slipway_timeline::Anatomy;

use crate::cli::Doctor;
use crate::commands::anatomy::of_machine;
use crate::commands::status::UNITS;
use crate::native::planned::Planned;
use crate::screen::Screen;

/// How long a look at something outside this process may take.
const LOOK: Duration = Duration::from_secs(3);

/// Where kubelet says whether it is well.
const KUBELET_HEALTH: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 10248);

/// From when to when a certificate is valid, in seconds since 1970.
pub(super) type Validity = Result<(u64, u64), String>;

/// What there is to see. `None` where it could not be looked at, or there was nothing to look for.
#[derive(Debug, Default)]
pub(super) struct Observed {
    pub(super) live: bool,
    pub(super) now: i64,
    pub(super) status: Option<Status>,
    /// The story of the node's start, where anything is known of it.
    pub(super) start: Option<Anatomy>,
    pub(super) units: Vec<(&'static str, UnitState)>,
    pub(super) socket: Option<bool>,
    pub(super) kubelet: Option<Result<(), String>>,
    /// Certificates by path, with what is wrong with those that cannot be read.
    pub(super) certificates: Vec<(PathBuf, Validity)>,
    /// The cluster's CA in the contract and on the disk.
    pub(super) authority: Option<(String, String)>,
    /// Whether the instance metadata service has answered.
    pub(super) metadata: Option<bool>,
    /// The API server's name, and whether it resolves.
    pub(super) server: Option<(String, Result<(), String>)>,
    /// Programs that a node runs, each with the places where it may be, and whether it is in one.
    pub(super) programs: Vec<(&'static str, bool)>,
    /// What every machine has that is to be a node.
    pub(super) machine: preflight::Observed,
    /// Whether the machine is its owner's: it has a flex configuration, and no contract.
    pub(super) is_own: bool,
    pub(super) contract: Option<Result<Vec<Issue>, String>>,
    /// Whether the machine was held against a plan.
    pub(super) compared: bool,
    /// Managed things that are not as they should be.
    pub(super) drifted: Vec<String>,
}

const AUTHORITY: &str = "/etc/kubernetes/certs/ca.crt";

const CERTIFICATES: [&str; 3] =
    [AUTHORITY, "/var/lib/kubelet/pki/kubelet-client-current.pem", "/etc/kubernetes/certs/kubeletserver.crt"];

const PROGRAMS: [(&str, &[&str]); 3] = [
    ("kubelet", &["/opt/bin/kubelet", "/usr/local/bin/kubelet", "/usr/bin/kubelet"]),
    ("containerd", &["/usr/bin/containerd", "/usr/local/bin/containerd"]),
    ("runc", &["/usr/bin/runc", "/usr/sbin/runc", "/usr/local/sbin/runc"]),
];

impl Observed {
    /// Looks at everything.
    pub(super) fn gather(host: &dyn Host, arguments: &Doctor, screen: &Screen) -> Self {
        let exists = |path: &str| matches!(host.entry(Path::new(path)), Ok(Some(_)));
        let mut seen = Self {
            live: host.is_live(),
            now: unix_seconds(),
            status: status(host).ok(),
            start: Some(of_machine(host)).filter(|anatomy| anatomy.start().is_some()),
            certificates: CERTIFICATES.iter().filter_map(|path| certificate(host, Path::new(path))).collect(),
            programs: PROGRAMS
                .iter()
                .map(|(name, places)| (*name, places.iter().any(|place| exists(place))))
                .collect(),
            contract: contract(&arguments.provision_config),
            ..Self::default()
        };
        let ours = seen.status.as_ref().is_some_and(|status| status.last.is_some());
        seen.is_own = seen.contract.is_none() && exists(slipway_flex::CONFIG);
        seen.machine = if seen.is_own {
            preflight::look::machine(host, None, ours)
        } else {
            preflight::Observed { ours, ..preflight::look::node(host) }
        };
        if seen.contract.as_ref().is_some_and(Result::is_ok) {
            let facts = arguments.knowledge.facts.as_deref();
            if let Ok(planned) = Planned::new(&arguments.provision_config, facts, host, screen) {
                let asked = seen.live && facts.is_none();
                seen.metadata = asked.then_some(planned.facts.imds.is_some());
                seen.compare(host, &planned);
            }
        }
        if host.is_live() {
            seen.look_at_system(host);
        }
        seen
    }

    /// What the contract says, held against the machine.
    fn compare(&mut self, host: &dyn Host, planned: &Planned) {
        let mut of = Sources::none();
        let (wanted, server) = (of.read(&planned.node.cluster.ca), of.read(&planned.node.cluster.server));
        if let Ok(found) = host.read(Path::new(AUTHORITY)) {
            self.authority = Some((wanted.clone(), String::from_utf8_lossy(&found).into_owned()));
        }
        if self.live && !server.is_empty() {
            self.server = Some((server.clone(), resolved(server)));
        }
        // Without the metadata service's answer the plan is that of another node.
        let known = self.metadata != Some(false);
        if known && self.status.as_ref().is_some_and(|status| status.last.is_some()) {
            let differences = diff(&planned.plan, host);
            self.compared = differences.is_ok();
            self.drifted =
                differences.unwrap_or_default().into_iter().map(|difference| difference.what).collect();
        }
    }

    fn look_at_system(&mut self, host: &dyn Host) {
        self.units = UNITS.iter().filter_map(|name| Some((*name, host.unit(name).ok()?))).collect();
        self.socket = host.entry(Path::new(CONTAINERD_SOCKET)).ok().map(|entry| entry.is_some());
        if self.units.iter().any(|(name, state)| *name == "kubelet.service" && state.active == "active") {
            let patience = Patience::new(Instant::now() + LOOK, &|| false);
            let healthy = wait_kubelet_healthy(KUBELET_HEALTH, patience);
            self.kubelet = Some(healthy.map_err(|error| error.to_string()));
        }
    }
}

fn certificate(host: &dyn Host, path: &Path) -> Option<(PathBuf, Validity)> {
    let text = host.read(path).ok()?;
    let parsed = ClientCertificate::parse(&String::from_utf8_lossy(&text));
    let validity = parsed.map(|found| (found.not_before, found.not_after)).map_err(|error| error.to_string());
    Some((path.to_owned(), validity))
}

/// The contract's problems; `None` where there is no contract.
fn contract(path: &Path) -> Option<Result<Vec<Issue>, String>> {
    match slipway_host::read(path) {
        Ok(text) => {
            let mut issues = slipway_contract::validate(&text, unix_seconds());
            issues.retain(|issue| issue.severity == Severity::Error);
            Some(Ok(issues))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(os_text(&error))),
    }
}

/// Whether a name resolves; the resolver has no deadline of its own.
fn resolved(name: &str) -> Result<(), String> {
    let (tell, told) = mpsc::channel();
    let asked = (name.to_owned(), 443);
    thread::spawn(move || {
        let found = asked.to_socket_addrs().map(|_| ()).map_err(|error| error.to_string());
        // Nobody may be waiting any more.
        let _ = tell.send(found);
    });
    told.recv_timeout(LOOK).unwrap_or_else(|_| Err(format!("no answer within {} s", LOOK.as_secs())))
}
