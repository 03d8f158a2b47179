//! Azure as a node sees it: metadata, wireserver, artifacts, sign-in, resource management, the identity of Arc machines,
//! on addresses that the caller chooses.
//!
//! Comes in: addresses to listen on, machines, a [`Cloud`], directories of files and images, faults. Goes out: answers of
//! the shape that the real services give, tokens that are really signed, and a log of what was asked. Never does: networks,
//! namespaces, machines; whoever starts it has already put its addresses where the nodes can reach them.
//!
//! Every connection has a thread. Machines are told apart by the address that they ask from, because in Azure each has a
//! metadata service of its own. Faults are scripted for a [`Route`] and used up in the order in which they were given.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "sockets and files are what an emulated service is made of"
)]

mod access;
mod answer;
mod arm;
mod artifacts;
mod cloud;
pub(crate) mod entra;
mod fault;
mod himds;
mod host_plugin;
mod http;
mod id;
mod imds;
pub(crate) mod listen;
mod machine;
mod registry;
mod scheduled;
mod state;
mod tls;
mod token;
mod visit;
mod wireserver;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

pub use cloud::{Cloud, KUBERNETES, MANAGEMENT, ManagedCluster, Principal, SIGN_IN, SUBSCRIPTION, TENANT};
pub use fault::{Fault, Route, Times};
pub use himds::{ADDRESS as HIMDS, Himds, Keys, Mishap, TOKENS};
pub use http::Request;
pub use machine::{Identity, Interface, Machine, Subnet};
pub use scheduled::{EventStatus, ScheduledEvent};
pub use state::{AgentLog, Exchange, HealthReport};
pub use tls::Tls;

use answer::Answer;
use listen::{Closing, Listener};
use state::{State, hold};
use visit::Visit;

/// Where sign-in is in the lab: an address as the real one has them.
pub(crate) const ENTRA: Ipv4Addr = Ipv4Addr::new(20, 190, 128, 1);
/// Where Azure Resource Manager is in the lab.
pub(crate) const ARM: Ipv4Addr = Ipv4Addr::new(4, 150, 240, 10);
/// Where the lab's API server asks about principals: at a port that the kernel gives to no connection.
pub(crate) const CLUSTER_ACCESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 10444);

/// A service that is asked over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// The instance metadata service.
    Imds,
    /// Goal state, health, certificates.
    Wireserver,
    /// The part of the wireserver that serves guest agents.
    HostPlugin,
    /// Files and images.
    Artifacts,
    /// Sign-in.
    Entra,
    /// Azure Resource Manager.
    Arm,
    /// What the cluster's API server asks about principals.
    ClusterAccess,
    /// The identity services of Arc machines, each on its machine: see [`Azure::himds`].
    Himds,
}

/// The services that are everywhere the same.
const SHARED: [Service; 7] = [
    Service::Imds,
    Service::Wireserver,
    Service::HostPlugin,
    Service::Artifacts,
    Service::Entra,
    Service::Arm,
    Service::ClusterAccess,
];

impl Service {
    fn has_tls(self) -> bool {
        matches!(self, Self::Entra | Self::Arm)
    }
}

/// Where the services listen; port 0 lets the machine choose.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Of the instance metadata service.
    pub imds: SocketAddr,
    /// Of the wireserver.
    pub wireserver: SocketAddr,
    /// Of the host plugin.
    pub host_plugin: SocketAddr,
    /// Of files and images.
    pub artifacts: SocketAddr,
    /// Of sign-in.
    pub entra: SocketAddr,
    /// Of Azure Resource Manager.
    pub arm: SocketAddr,
    /// Of the API server's question who may do what.
    pub cluster_access: SocketAddr,
}

impl Addresses {
    /// Those of every Azure machine, and one of the lab's for artifacts.
    pub fn of_azure(artifacts: SocketAddr) -> Self {
        let wireserver = Ipv4Addr::new(168, 63, 129, 16);
        Self {
            imds: (Ipv4Addr::new(169, 254, 169, 254), 80).into(),
            wireserver: (wireserver, 80).into(),
            host_plugin: (wireserver, 32526).into(),
            artifacts,
            entra: (ENTRA, 443).into(),
            arm: (ARM, 443).into(),
            cluster_access: CLUSTER_ACCESS,
        }
    }

    /// Free ports of the loopback.
    pub fn loopback() -> Self {
        let free = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self {
            imds: free,
            wireserver: free,
            host_plugin: free,
            artifacts: free,
            entra: free,
            arm: free,
            cluster_access: free,
        }
    }

    fn of(&self, service: Service) -> SocketAddr {
        match service {
            Service::Imds => self.imds,
            Service::Wireserver => self.wireserver,
            Service::HostPlugin => self.host_plugin,
            Service::Artifacts => self.artifacts,
            Service::Entra => self.entra,
            Service::Arm => self.arm,
            Service::ClusterAccess => self.cluster_access,
            Service::Himds => HIMDS,
        }
    }
}

/// What an Azure consists of.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where it listens.
    pub addresses: Addresses,
    /// The machines it knows. More can come later.
    pub machines: Vec<Machine>,
    /// The directory whose files are served by their paths.
    pub files: PathBuf,
    /// The OCI layout whose images are served under `/v2/`; [`crate::oci::store`] fills it.
    pub images: PathBuf,
    /// Who and what there is beside machines.
    pub cloud: Cloud,
    /// What sign-in and Azure Resource Manager prove their names with.
    pub tls: Tls,
}

/// A running Azure; it ends when this is dropped.
pub struct Azure {
    state: Arc<State>,
    doors: Vec<Door>,
}

struct Door {
    service: Service,
    address: SocketAddr,
    listener: Mutex<Option<Listener>>,
}

impl Azure {
    /// Opens all services.
    pub fn start(config: Config) -> io::Result<Self> {
        let addresses = config.addresses;
        let state = Arc::new(State::new(config));
        let door = |service| -> io::Result<Door> {
            let listener = listen(&state, service, addresses.of(service))?;
            Ok(Door { service, address: listener.address(), listener: Mutex::new(Some(listener)) })
        };
        let doors = SHARED.into_iter().map(door).collect::<Result<_, _>>()?;
        Ok(Self { state, doors })
    }

    /// Where this service listens.
    pub fn address(&self, service: Service) -> SocketAddr {
        self.door(service).map_or(HIMDS, |door| door.address)
    }

    /// Scripts a fault. Faults of one route follow each other; the next begins when the one before is used up.
    pub fn fault(&self, route: Route, fault: Fault, times: Times) {
        hold(&self.state.faults).add(route, fault, times);
    }

    /// Forgets the faults that remain for this very route.
    pub fn heal(&self, route: &Route) {
        hold(&self.state.faults).remove(route);
    }

    /// Closes a service: connections are refused from now on, and those that exist end. An identity service is closed by
    /// dropping it.
    pub fn close(&self, service: Service) {
        if let Some(door) = self.door(service) {
            drop(hold(&door.listener).take());
        }
    }

    /// Opens a closed service again, at the same address.
    pub fn open(&self, service: Service) -> io::Result<()> {
        let Some(door) = self.door(service) else { return Ok(()) };
        let mut listener = hold(&door.listener);
        if listener.is_none() {
            *listener = Some(listen(&self.state, service, door.address)?);
        }
        Ok(())
    }

    /// Makes a machine known, or changes the one of that name.
    pub fn admit(&self, machine: Machine) {
        machine.identities.iter().for_each(|identity| self.state.entra.admit_identity(identity));
        hold(&self.state.machines).admit(machine);
    }

    /// Everything that was asked so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Exchange> {
        hold(&self.state.exchanges).clone()
    }

    /// The logs that machines uploaded.
    pub fn agent_logs(&self) -> Vec<AgentLog> {
        hold(&self.state.agent_logs).clone()
    }

    /// The health that machines reported.
    pub fn health_reports(&self) -> Vec<HealthReport> {
        hold(&self.state.health_reports).clone()
    }

    fn door(&self, service: Service) -> Option<&Door> {
        self.doors.iter().find(|door| door.service == service)
    }
}

fn listen(state: &Arc<State>, service: Service, address: SocketAddr) -> io::Result<Listener> {
    let state = Arc::clone(state);
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("{service:?} cannot listen on {address}: {error}"))
    };
    let serve = move |stream: &TcpStream, closing: &Closing| {
        let visit = Visit { state: &state, service, stream, closing };
        visit.serve(|peer, request| answer(&state, service, peer, request));
    };
    Listener::open(address, serve).map_err(named)
}

fn answer(state: &State, service: Service, peer: IpAddr, request: &Request) -> Answer {
    match service {
        Service::Imds => imds::answer(state, peer, request),
        Service::Wireserver => wireserver::answer(state, peer, request),
        Service::HostPlugin => host_plugin::answer(state, peer, request),
        Service::Artifacts => artifacts::answer(state, request),
        Service::Entra => entra::answer(&state.entra, request),
        Service::Arm => arm::answer(state, request),
        Service::ClusterAccess => access::answer(state, request),
        Service::Himds => Answer::empty(404),
    }
}
