//! What is measured: a launch, from a request to payload, launch template and the bodies of VM and network interface.

use std::hint::black_box;

use serde_json::Value;
use slipway_launch::arm::{self, Boot, Order};
use slipway_launch::{Bootstrapper, ContractForm, Fidelity, Request, VariablesScript, resolve};

/// A recorded request. Its network interface has thirty addresses.
const RECORDED: &str = include_str!("../../../crates/launch/tests/vectors/bootstrap/lt-000.json");

/// One way to launch, by the name that the reports use.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    form: &'static dyn Bootstrapper,
}

const VARIABLES: &VariablesScript = &VariablesScript { fidelity: Fidelity::Ours };
const CONTRACT: &ContractForm = &ContractForm { fidelity: Fidelity::Ours };

/// All of them.
pub(crate) const SUBJECTS: [Subject; 2] = [
    Subject { name: "launch-variables", form: VARIABLES },
    Subject { name: "launch-contract", form: CONTRACT },
];

/// The request that is launched.
pub(crate) fn request() -> Request {
    let recorded: Value = serde_json::from_str(RECORDED).unwrap_or_default();
    let request = Request::parse(&recorded["input"].to_string()).unwrap_or_default();
    assert!(resolve(&request, Fidelity::Ours).is_ok(), "the recorded request leads to no node");
    request
}

impl Subject {
    /// A request to everything that its VM is created with, the bodies as the JSON that is sent.
    pub(crate) fn launch(&self, request: &Request) {
        let Ok(node) = resolve(black_box(request), Fidelity::Ours) else { return };
        let Ok(payload) = self.form.payload(&node) else { return };
        let order = Order { request, node: &node, boot: Boot::of(&payload) };
        let bodies =
            (serde_json::to_vec(&arm::vm(&order)), serde_json::to_vec(&arm::network_interface(&order)));
        assert!(matches!(black_box(bodies), (Ok(_), Ok(_))));
    }
}
