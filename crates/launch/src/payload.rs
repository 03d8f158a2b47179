//! Payloads: what a VM is given so that it becomes a node.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use slipway_contract::custom_data::{LIMIT, TooLarge};
use slipway_model::Secret;

use crate::Fidelity;
use crate::parts::{BadPart, Ours, merged};
use crate::resolve::{Finding, Resolved};
use crate::script::{Unwritable, script};
use crate::variables::{NoVariables, variables};

/// Turns a resolved node into its payload.
pub trait Bootstrapper {
    /// The payload of a node.
    fn payload(&self, node: &Resolved) -> Result<Payload, NoPayload>;
}

/// What a VM is created with.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// The custom data, in base64.
    pub custom_data: Secret<String>,
    /// The command of an extension, where one has to run.
    pub command: Option<Secret<String>>,
    /// What the payload cannot do of what was asked for.
    pub findings: Vec<Finding>,
}

/// Why a node has no payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPayload {
    /// A variable cannot be made.
    #[error(transparent)]
    Variables(#[from] NoVariables),
    /// A variable cannot be written.
    #[error(transparent)]
    Script(#[from] Unwritable),
    /// The platform would refuse it.
    #[error(
        "the custom data has {0} base64 characters; the platform takes {LIMIT}: fewer labels or certificates make it smaller"
    )]
    TooLarge(usize),
    /// The platform would refuse the contract.
    #[error(transparent)]
    Contract(#[from] TooLarge),
    /// A part that the user adds cannot be used.
    #[error(transparent)]
    Part(#[from] BadPart),
    /// The node provisioning service did not give one.
    #[error("{0}")]
    Service(String),
}

/// The script form: variables for the scripts of the node image.
#[derive(Debug, Clone, Copy, Default)]
pub struct VariablesScript {
    /// How close the script stays to the peer's.
    pub fidelity: Fidelity,
}

impl Bootstrapper for VariablesScript {
    fn payload(&self, node: &Resolved) -> Result<Payload, NoPayload> {
        let variables = variables(&node.bootstrap, self.fidelity)?;
        let script = script(&variables, self.fidelity)?;
        let custom_data = if node.custom_data_parts.is_empty() || !self.fidelity.is_ours() {
            Secret::new(STANDARD.encode(script.expose()))
        } else {
            merged(Ours::Script(script.expose()), &node.custom_data_parts)?
        };
        let length = custom_data.expose().len();
        if length > LIMIT {
            return Err(NoPayload::TooLarge(length));
        }
        let findings = limits(node, self.fidelity);
        Ok(Payload { custom_data, command: None, findings })
    }
}

/// What the variables cannot express of what was asked for.
fn limits(node: &Resolved, fidelity: Fidelity) -> Vec<Finding> {
    let wishes = &node.wishes;
    let beyond_the_peer = !fidelity.is_ours();
    [
        (wishes.local_dns, "nodeClass.spec.localDNS", "the local resolver"),
        (wishes.artifact_streaming, "nodeClass.spec.artifactStreaming", "artifact streaming"),
        (
            beyond_the_peer && wishes.linux_os,
            "nodeClass.spec.linuxOSConfig",
            "settings of the operating system",
        ),
        (
            beyond_the_peer && wishes.fail_swap_on,
            "nodeClass.spec.kubelet.failSwapOn",
            "kubelet's stance on swap",
        ),
        (
            beyond_the_peer && wishes.cpu_quota_period,
            "nodeClass.spec.kubelet.cpuCFSQuotaPeriod",
            "the period of CPU quotas",
        ),
    ]
    .into_iter()
    .filter(|(asked, ..)| *asked)
    .map(|(_, path, what)| Finding {
        path: path.to_owned(),
        message: format!(
            "{what} cannot be had with the variables payload and is left out; the contract payload has it"
        ),
    })
    .collect()
}
