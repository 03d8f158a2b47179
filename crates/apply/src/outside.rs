//! What a node needs of others: the network, the API server. Everything else is the host's.

use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use slipway_host::Writer;
use slipway_model::Secret;
use slipway_plan::{Artifact, TlsBootstrap};

use crate::attempt::Problem;

/// How often a wait looks whether it should end.
const SLICE: Duration = Duration::from_millis(20);

/// The world outside the machine. Each call retries what can pass, within the patience that it is given.
pub trait Outside: Sync {
    /// Brings a file from the network. Each member that the artifact names is written to what `open` gives for its
    /// destination; nothing appears there before all of it has come and is what it should be.
    fn fetch(
        &self,
        artifact: &Artifact,
        open: &mut dyn FnMut(&Path) -> io::Result<Box<dyn Writer>>,
        patience: Patience<'_>,
    ) -> Result<(), Problem>;

    /// Asks for the node's first credential: a certificate chain (PEM) for this key (PEM).
    fn bootstrap(
        &self,
        order: &TlsBootstrap,
        ca: &[u8],
        key: &Secret<String>,
        patience: Patience<'_>,
    ) -> Result<String, Problem>;

    /// Waits until the node is Ready.
    fn wait_ready(&self, order: &ReadyOrder<'_>, patience: Patience<'_>) -> Result<(), Problem>;

    /// Whether a host answers on a port, and what was found, in a few words.
    fn reach(&self, host: &str, port: u16, patience: Patience<'_>) -> Result<String, Problem>;
}

/// Whose readiness is awaited, and how to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyOrder<'a> {
    /// The API server.
    pub server: &'a str,
    /// Where the cluster's CA is on the host.
    pub ca: &'a Path,
    /// The node's name.
    pub node: &'a str,
    /// Where the node's credential is on the host.
    pub kubeconfig: &'a Path,
}

/// How long to wait, and how the caller says that it no longer wants to.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// When the time is up.
    pub until: Instant,
    /// Whether to stop at once.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Why a wait ended without what was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impatience {
    /// The time ran out.
    Late,
    /// The attempt was asked to stop.
    Stopped,
}

impl Patience<'_> {
    /// The same, but for no longer than this from now on.
    #[must_use]
    pub fn at_most(self, limit: Duration) -> Self {
        let end = Instant::now().checked_add(limit).unwrap_or(self.until);
        Self { until: self.until.min(end), ..self }
    }

    /// How much time is left.
    pub fn left(self) -> Result<Duration, Impatience> {
        if (self.stop)() {
            return Err(Impatience::Stopped);
        }
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Impatience::Late) } else { Ok(left) }
    }

    /// Sleeps, but no longer than there is time.
    pub fn sleep(self, time: Duration) -> Result<(), Impatience> {
        let awake = Instant::now() + time;
        loop {
            let rest = awake.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Ok(());
            }
            sleep(rest.min(SLICE).min(self.left()?));
        }
    }
}

impl Impatience {
    /// As a problem of what was being done.
    pub fn problem(self, what: impl Into<String>) -> Problem {
        match self {
            Self::Late => Problem::new(what, "did not come to an end in time").late(),
            Self::Stopped => Problem::new(what, "stopped on request"),
        }
    }
}
