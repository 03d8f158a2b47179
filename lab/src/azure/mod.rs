//! Azure as a node sees it: metadata, wireserver, artifacts, on addresses that the caller chooses.
//!
//! Comes in: addresses to listen on, machines, directories of files and images, faults. Goes out: answers of the
//! shape that the real services give, and a log of what was asked. Never does: networks, namespaces, machines, TLS;
//! whoever starts it has already put its addresses where the nodes can reach them.
//!
//! Every connection has a thread. Machines are told apart by the address that they ask from, because in Azure each has a
//! metadata service of its own. Faults are scripted for a [`Route`] and used up in the order in which they were given.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "sockets and files are what an emulated service is made of"
)]

mod answer;
mod artifacts;
mod fault;
mod host_plugin;
mod http;
mod imds;
pub(crate) mod listen;
mod machine;
mod registry;
mod scheduled;
mod state;
mod token;
mod visit;
mod wireserver;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

pub use fault::{Fault, Route, Times};
pub use http::Request;
pub use machine::{Identity, Interface, Machine, Subnet};
pub use scheduled::{EventStatus, ScheduledEvent};
pub use state::{AgentLog, Exchange, HealthReport};

use listen::Listener;
use state::{State, hold};

/// A service that listens on an address of its own.
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
        }
    }

    /// Free ports of the loopback.
    pub fn loopback() -> Self {
        let free = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self { imds: free, wireserver: free, host_plugin: free, artifacts: free }
    }

    fn of(&self, service: Service) -> SocketAddr {
        match service {
            Service::Imds => self.imds,
            Service::Wireserver => self.wireserver,
            Service::HostPlugin => self.host_plugin,
            Service::Artifacts => self.artifacts,
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
}

/// A running Azure; it ends when this is dropped.
pub struct Azure {
    state: Arc<State>,
    doors: [Door; 4],
}

struct Door {
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
            Ok(Door { address: listener.address(), listener: Mutex::new(Some(listener)) })
        };
        let doors = [
            door(Service::Imds)?,
            door(Service::Wireserver)?,
            door(Service::HostPlugin)?,
            door(Service::Artifacts)?,
        ];
        Ok(Self { state, doors })
    }

    /// Where this service listens.
    pub fn address(&self, service: Service) -> SocketAddr {
        self.door(service).address
    }

    /// Scripts a fault. Faults of one route follow each other; the next begins when the one before is used up.
    pub fn fault(&self, route: Route, fault: Fault, times: Times) {
        hold(&self.state.faults).add(route, fault, times);
    }

    /// Forgets the faults that remain for this very route.
    pub fn heal(&self, route: &Route) {
        hold(&self.state.faults).remove(route);
    }

    /// Closes a service: connections are refused from now on, and those that exist end.
    pub fn close(&self, service: Service) {
        drop(hold(&self.door(service).listener).take());
    }

    /// Opens a closed service again, at the same address.
    pub fn open(&self, service: Service) -> io::Result<()> {
        let door = self.door(service);
        let mut listener = hold(&door.listener);
        if listener.is_none() {
            *listener = Some(listen(&self.state, service, door.address)?);
        }
        Ok(())
    }

    /// Makes a machine known, or changes the one of that name.
    pub fn admit(&self, machine: Machine) {
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

    fn door(&self, service: Service) -> &Door {
        let [imds, wireserver, host_plugin, artifacts] = &self.doors;
        match service {
            Service::Imds => imds,
            Service::Wireserver => wireserver,
            Service::HostPlugin => host_plugin,
            Service::Artifacts => artifacts,
        }
    }
}

fn listen(state: &Arc<State>, service: Service, address: SocketAddr) -> io::Result<Listener> {
    let state = Arc::clone(state);
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("{service:?} cannot listen on {address}: {error}"))
    };
    Listener::open(address, move |stream, closing| visit::serve(&state, service, stream, closing))
        .map_err(named)
}
