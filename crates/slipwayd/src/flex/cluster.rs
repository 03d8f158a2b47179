//! The machine as the cluster sees it: its Node, asked for as the node, and events about it.

use std::path::Path;
use std::time::{Duration, Instant};

use slipway_apply::server_of_node;
use slipway_flex::goal::{DELETING, Mark};
use slipway_flex::keep::{NodeSeen, NodeStatus};
use slipway_host::Host;
use slipway_kubernetes::{ApiError, ApiServer, NodeState, Patience};

use super::eye::KUBECONFIG;
use super::tale::Tale;

/// How many looks at the machine there are for one at the Node, and how long it is at least between two of those.
const LOOKS: u32 = 3;
const AT_LEAST: Duration = Duration::from_secs(10);
/// How long the API server may take to answer.
const WITHIN: Duration = Duration::from_secs(5);
/// After so long the credential is read again: programs give tokens that expire, kubelet changes its certificate.
const CREDENTIAL_FOR: Duration = Duration::from_mins(10);

pub(super) struct Cluster<'a> {
    host: &'a dyn Host,
    server: Option<(ApiServer, Instant)>,
    /// When the Node was last asked for, since the daemon began.
    asked: Option<Duration>,
    seen: NodeSeen,
    node: Option<NodeState>,
}

impl<'a> Cluster<'a> {
    pub(super) fn new(host: &'a dyn Host) -> Self {
        Self { host, server: None, asked: None, seen: NodeSeen::Unasked, node: None }
    }

    /// Something changed that may change the answer, or who asks.
    pub(super) fn forget(&mut self) {
        (self.server, self.asked) = (None, None);
    }

    /// The Node, as it was seen last; it is asked for if that is long ago.
    pub(super) fn look(&mut self, now: Duration, every: Duration, name: &str) -> NodeSeen {
        let pause = (every * LOOKS).max(AT_LEAST);
        if self.asked.is_none_or(|asked| now.saturating_sub(asked) >= pause) {
            self.asked = Some(now);
            self.seen = self.ask(name);
        }
        self.seen.clone()
    }

    fn ask(&mut self, name: &str) -> NodeSeen {
        let answer = match self.server() {
            None => return NodeSeen::Unasked,
            Some(Err(error)) => Err(error),
            Some(Ok(server)) => server.node(name, patience()),
        };
        if answer.is_err() {
            self.server = None;
        }
        match answer {
            Ok(None) => {
                self.node = None;
                NodeSeen::Absent
            }
            Ok(Some(node)) => {
                let seen = if node.is_ready() { NodeSeen::Ready } else { NodeSeen::NotReady(node.why_not()) };
                self.node = Some(node);
                seen
            }
            Err(error @ ApiError::Unauthorized { .. }) => NodeSeen::Unknown(error.to_string()),
            Err(error @ ApiError::Forbidden { .. }) => NodeSeen::Forbidden(error.to_string()),
            Err(error) => NodeSeen::Unreachable(error.to_string()),
        }
    }

    fn server(&mut self) -> Option<Result<&ApiServer, ApiError>> {
        if self.server.as_ref().is_none_or(|(_, since)| since.elapsed() >= CREDENTIAL_FOR) {
            self.server = match server_of_node(self.host, Path::new(KUBECONFIG))? {
                Ok(server) => Some((server, Instant::now())),
                Err(error) => return Some(Err(error)),
            };
        }
        self.server.as_ref().map(|(server, _)| Ok(server))
    }

    /// Whether the Node, as it was seen last, is marked to be deleted.
    pub(super) fn mark(&self) -> Mark {
        let there = matches!(self.seen, NodeSeen::Ready | NodeSeen::NotReady(_));
        let marked = |node: &NodeState| node.taints.iter().any(|taint| taint == DELETING);
        if there && self.node.as_ref().is_some_and(marked) { Mark::Deleting } else { Mark::None }
    }

    /// Shows the Node as it was seen last.
    pub(super) fn show(&self, status: &mut NodeStatus) {
        (status.ready, status.why) = match &self.seen {
            NodeSeen::Ready => (Some(true), None),
            NodeSeen::NotReady(why) => (Some(false), Some(why.clone())),
            NodeSeen::Absent => (Some(false), Some("there is no such Node".to_owned())),
            NodeSeen::Unasked => (None, None),
            NodeSeen::Unreachable(why) | NodeSeen::Unknown(why) | NodeSeen::Forbidden(why) => {
                (None, Some(why.clone()))
            }
        };
        if let Some(node) = &self.node {
            status.uid = Some(node.uid.clone());
            status.kubelet = Some(node.kubelet_version.clone());
        }
    }

    /// Tells what there is to tell, if somebody listens.
    pub(super) fn tell(&mut self, tale: &mut Tale, node: &NodeStatus) {
        let listens = matches!(self.seen, NodeSeen::Ready | NodeSeen::NotReady(_));
        if let (true, Some((server, _)), Some(uid)) = (listens, &self.server, &node.uid) {
            tale.tell(server, &node.name, uid, patience());
        }
    }
}

fn patience() -> Patience<'static> {
    Patience::new(Instant::now() + WITHIN, &|| false)
}
