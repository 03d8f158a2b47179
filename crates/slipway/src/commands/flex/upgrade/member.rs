//! The machine as a member of its cluster.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use slipway_apply::server_of_node;
use slipway_flex::supply::Version;
use slipway_flex::upgrade::{Gate, Unfit, Verdict, series, skew};
use slipway_host::{Host, os_text};
use slipway_kubernetes::{ApiError, ApiServer, Drain, NodeState, Patience};

use super::super::leave::{KUBECONFIG, KUBELET, WITHIN, tell};
use crate::commands::launch::kubeconfig::Kubeconfig;
use crate::failure::Failure;
use crate::screen::Screen;

/// How often a node is looked at.
const GLANCE: Duration = Duration::from_millis(500);

/// A Node, and someone who may ask about it.
pub(in super::super) struct Member {
    server: ApiServer,
    name: String,
}

/// Why a node does not serve.
pub(in super::super) enum Unserved {
    /// It does not.
    Unfit(String),
    /// Nobody knows.
    Undecided(String),
}

impl Member {
    /// The Node of this name, asked about by whom this server knows.
    pub(in super::super) fn new(server: ApiServer, name: &str) -> Self {
        Self { server, name: name.to_owned() }
    }

    /// The machine's Node, asked about with the credential that was given or the node's own.
    pub(super) fn find(host: &dyn Host, kubeconfig: Option<&Path>, name: &str) -> Result<Self, Failure> {
        let server = match kubeconfig {
            Some(file) => Kubeconfig::read(file)?.api_server()?,
            None => match server_of_node(host, Path::new(KUBECONFIG)) {
                Some(server) => server.map_err(|error| unasked(&error))?,
                None => {
                    return Err(Failure::machine("no-node", "cannot upgrade", "the node has no credential")
                        .with_hint("slipway flex join goes on where it was cut short"));
                }
            },
        };
        Ok(Self::new(server, name))
    }

    /// The Node as it is, if there is one, and if it may have another version.
    pub(super) fn admits(&self, present: &Version, wanted: &Version) -> Result<Option<NodeState>, Failure> {
        let never = || false;
        let soon = Patience::new(Instant::now() + WITHIN, &never);
        let node = self.server.node(&self.name, soon).map_err(|error| unasked(&error))?;
        let version = self.server.version(soon).map_err(|error| unasked(&error))?;
        let Some(server) = series(&version) else {
            let found = format!("the API server calls its version {version:?}");
            return Err(Failure::input("odd-server", "cannot upgrade", found));
        };
        skew(present, wanted, server).map_err(|error| {
            Failure::input("version-skew", "cannot upgrade", &error).with_hint(error.hint())
        })?;
        Ok(node)
    }

    /// Lets no new pods come, and waits until the present ones have left.
    pub(super) fn clear(
        &self,
        drain: Drain,
        within: Duration,
        stop: &(dyn Fn() -> bool + Sync),
        screen: &mut Screen,
    ) -> Result<(), Failure> {
        let soon = Patience::new(Instant::now() + WITHIN, stop);
        self.server.set_schedulable(&self.name, false, soon).map_err(|error| unasked(&error))?;
        let pods = Patience::new(Instant::now() + within, stop);
        self.server.drain(&self.name, drain, pods, |event| tell(&event, screen)).map_err(|error| {
            let failure = Failure::input("pods-stay", "cannot let the pods leave", &error);
            Failure { blame: error.blame(), ..failure }.with_hint(
                "nothing was changed; --lose-pods lets those go that would be lost, --drain-timeout gives more time",
            )
        })
    }

    /// Lets pods come again.
    pub(super) fn open(&self) -> Result<(), Failure> {
        let never = || false;
        let soon = Patience::new(Instant::now() + WITHIN, &never);
        self.server.set_schedulable(&self.name, true, soon).map_err(|error| unasked(&error))
    }

    /// Watches the node until it is clear whether it serves.
    pub(in super::super) fn serves(
        &self,
        host: &dyn Host,
        mut gate: Gate,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), Unserved> {
        let began = Instant::now();
        loop {
            if stop() {
                return Err(Unserved::Undecided("stopped on request".to_owned()));
            }
            match gate.see(began.elapsed(), self.look(host, stop)) {
                Verdict::Serves => return Ok(()),
                Verdict::Wait => sleep(GLANCE),
                Verdict::Fails(Unfit::Seen(why)) => return Err(Unserved::Unfit(why)),
                Verdict::Fails(Unfit::Unseen(why)) => return Err(Unserved::Undecided(why)),
            }
        }
    }

    fn look(&self, host: &dyn Host, stop: &(dyn Fn() -> bool + Sync)) -> Result<Option<NodeState>, Unfit> {
        match host.runs(KUBELET) {
            Ok(true) => {}
            Ok(false) => return Err(Unfit::Seen("kubelet does not run".to_owned())),
            Err(error) => return Err(Unfit::Unseen(os_text(&error))),
        }
        let soon = Patience::new(Instant::now() + WITHIN, stop);
        self.server.node(&self.name, soon).map_err(|error| Unfit::Unseen(error.to_string()))
    }
}

/// When the kubelet that runs was started, by this run or by one that was cut short.
pub(in super::super) fn kubelet_started(host: &dyn Host) -> Option<Timestamp> {
    let started = host.unit(KUBELET).ok()?.main_started;
    i64::try_from(started)
        .ok()
        .filter(|started| *started > 0)
        .and_then(|it| Timestamp::from_microsecond(it).ok())
}

fn unasked(error: &ApiError) -> Failure {
    let failure = Failure::input("cluster-unasked", "cannot ask the cluster about this machine", error);
    Failure { blame: error.blame(), ..failure }
        .with_hint("nothing is upgraded without it; --kubeconfig gives the credential of someone who may ask")
}
