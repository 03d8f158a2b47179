//! Labels and taints of a Node that is there: kubelet gives them when it registers, and never again.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use slipway_apply::server_of_node;
use slipway_azure::arm::MachineWish;
use slipway_fetch::Patience;
use slipway_flex::keep::{Marks, Record};
use slipway_host::Host;
use slipway_kubernetes::{ApiError, ApiServer};

use super::leave::{KUBECONFIG, WITHIN};
use crate::failure::Failure;
use crate::screen::Screen;

/// The marks that a Node is to have.
pub(super) fn wanted(wish: &MachineWish) -> Marks {
    Marks {
        labels: wish.node_labels.clone().unwrap_or_default(),
        taints: wish.node_taints.clone().unwrap_or_default(),
    }
}

/// Gives the Node what changed since it registered or was last given something.
pub(super) fn bring(
    host: &dyn Host,
    record: &Record,
    wanted: &Marks,
    screen: &Screen,
) -> Result<(), Failure> {
    let Some(before) = record.marks.as_ref().filter(|before| *before != wanted) else { return Ok(()) };
    let Some(server) = server_of_node(host, Path::new(KUBECONFIG)) else { return Ok(()) };
    let server = server.map_err(|error| unmarked(&error))?;
    let labels = before.changes(wanted);
    if !labels.is_empty() {
        label(&server, &record.node, &labels)?;
    }
    if before.taints == wanted.taints {
        return Ok(());
    }
    match taint(&server, &record.node, before, wanted) {
        Err(error @ ApiError::Forbidden { .. }) => {
            screen.warning(format_args!(
                "the taints of the Node {} stay as they are until it registers again: {error}\n  hint: a node may not \
                 change its own taints; kubectl taint node does, or kubectl delete node, and it comes back with them",
                record.node
            ));
            Ok(())
        }
        done => done.map_err(|error| unmarked(&error)),
    }
}

fn label(server: &ApiServer, node: &str, labels: &BTreeMap<String, Option<String>>) -> Result<(), Failure> {
    let never = || false;
    let soon = Patience::new(Instant::now() + WITHIN, &never);
    server.set_labels(node, labels, soon).map_err(|error| unmarked(&error))
}

fn taint(server: &ApiServer, name: &str, before: &Marks, wanted: &Marks) -> Result<(), ApiError> {
    let never = || false;
    let soon = Patience::new(Instant::now() + WITHIN, &never);
    let Some(node) = server.node(name, soon)? else { return Ok(()) };
    let taints = wanted.among(before, &node.taints);
    if taints == node.taints { Ok(()) } else { server.set_taints(&node, &taints, soon) }
}

fn unmarked(error: &ApiError) -> Failure {
    let failure = Failure::input("node-unmarked", "cannot give the Node its labels and taints", error);
    Failure { blame: error.blame(), ..failure }.with_hint("slipway flex join tries again")
}
