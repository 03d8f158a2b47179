//! What the services know and remember.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::arm::Arm;
use super::entra::Entra;
use super::fault::{Fault, Faults};
use super::http::Request;
use super::machine::Machines;
use super::tls::Tls;
use super::{Config, Service};

/// A request and what became of it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The service that was asked.
    pub service: Service,
    /// Who asked.
    pub peer: IpAddr,
    /// When, since the start.
    pub at: Duration,
    /// What was asked; the body is not kept here.
    pub request: Request,
    /// The status of the answer; `None` when there was none.
    pub status: Option<u16>,
    /// The fault that struck.
    pub fault: Option<Fault>,
}

/// A log that a machine uploaded.
#[derive(Clone, Debug)]
pub struct AgentLog {
    /// The machine's name.
    pub machine: String,
    /// `x-ms-client-correlationid` of the upload.
    pub correlation: String,
    /// The archive.
    pub content: Vec<u8>,
}

/// The health that a machine reported.
#[derive(Clone, Debug)]
pub struct HealthReport {
    /// The machine's name.
    pub machine: String,
    /// The XML as it came.
    pub document: String,
}

pub(super) struct State {
    pub(super) started: Instant,
    pub(super) files: PathBuf,
    pub(super) images: PathBuf,
    pub(super) tls: Tls,
    pub(super) entra: Entra,
    pub(super) arm: Mutex<Arm>,
    pub(super) machines: Mutex<Machines>,
    pub(super) faults: Mutex<Faults>,
    pub(super) exchanges: Mutex<Vec<Exchange>>,
    pub(super) agent_logs: Mutex<Vec<AgentLog>>,
    pub(super) health_reports: Mutex<Vec<HealthReport>>,
}

impl State {
    pub(super) fn new(config: Config) -> Self {
        let cloud = config.cloud;
        let entra = Entra::new(&cloud.tenant, cloud.principals.clone());
        let mut machines = Machines::default();
        for machine in config.machines {
            machine.identities.iter().for_each(|identity| entra.admit_identity(identity));
            machines.admit(machine);
        }
        Self {
            started: Instant::now(),
            files: config.files,
            images: config.images,
            tls: config.tls,
            arm: Mutex::new(Arm::new(&cloud)),
            entra,
            machines: Mutex::new(machines),
            faults: Mutex::default(),
            exchanges: Mutex::default(),
            agent_logs: Mutex::default(),
            health_reports: Mutex::default(),
        }
    }
}

/// The value behind a lock. A thread that panicked while it held the lock leaves nothing half-done here.
pub(super) fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
