//! Whether a machine that has joined is the node that the cluster knows.
//!
//! A Node stays when its machine leaves, and the API server calls it Ready for a while yet: who joins again at once would find
//! what was said about its former life.

use std::path::Path;
use std::time::Duration;

use slipway_apply::Network;
use slipway_flex::preflight::look;
use slipway_flex::upgrade::{Expected, Gate};
use slipway_host::Host;

use super::leave::KUBECONFIG;
use super::upgrade::{Member, Unserved, kubelet_started};
use crate::failure::{Blame, Failure};

/// Waits until the Node is this machine's, with this version, and Ready by the word of the kubelet that runs now. Nothing less
/// will do: who may not ask about its Node does not know that it has one.
pub(super) fn confirm(
    host: &dyn Host,
    network: &Network<'_>,
    (name, kubernetes): (&str, &str),
    within: Duration,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    let server = match network.server_of_node(Path::new(KUBECONFIG)) {
        Some(Ok(server)) => server,
        Some(Err(error)) => {
            return Err(Failure { blame: error.blame(), ..unconfirmed(name, error.to_string()) });
        }
        None => return Err(unconfirmed(name, "the node has no credential".to_owned())),
    };
    let expected = Expected {
        uid: String::new(),
        machine: look::machine_name(host),
        kubelet: kubernetes.trim_start_matches('v').to_owned(),
        heard_since: kubelet_started(host),
    };
    let gate = Gate::new(expected, within, Duration::ZERO);
    Member::new(server, name).serves(host, gate, stop).map_err(|unserved| match unserved {
        Unserved::Unfit(why) => unconfirmed(name, why),
        Unserved::Undecided(why) => Failure { blame: Blame::Service, ..unconfirmed(name, why) },
    })
}

fn unconfirmed(name: &str, why: String) -> Failure {
    Failure::machine("not-the-node", format!("this machine is not seen to be the node {name}"), why)
        .with_hint("`journalctl -u kubelet` says more; slipway flex join goes on from here")
}
