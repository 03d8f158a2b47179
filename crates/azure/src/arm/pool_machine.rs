//! The resource that stands for a machine in a pool of the cluster.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use slipway_fetch::Patience;

use super::call::{Question, Reply};
use super::{Arm, ArmError, ResourceId};

const API_VERSION: &str = "2025-10-02-preview";
const READ: &str = "Microsoft.ContainerService/managedClusters/agentPools/machines/read";
const WRITE: &str = "Microsoft.ContainerService/managedClusters/agentPools/machines/write";
const READ_POOL: &str = "Microsoft.ContainerService/managedClusters/agentPools/read";
const REMOVE: &str = "Microsoft.ContainerService/managedClusters/agentPools/deleteMachines/action";

/// What the machine should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MachineGoal {
    /// The version of its kubelet.
    #[serde(rename = "orchestratorVersion")]
    pub kubernetes_version: String,
    /// How many pods it takes.
    pub max_pods: u32,
    /// The labels of its Node.
    pub node_labels: BTreeMap<String, String>,
    /// The taints of its Node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub node_taints: Vec<String>,
}

/// What the machine should be besides its version. What Azure does not say is nobody's wish.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct MachineWish {
    /// How many pods it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pods: Option<u32>,
    /// The labels of its Node, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_labels: Option<BTreeMap<String, String>>,
    /// The taints of its Node, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_taints: Option<Vec<String>>,
    /// Settings of its kubelet.
    pub kubelet_config: KubeletWish,
}

/// What kubelet should be told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KubeletWish {
    /// At which percentage of the disk images are removed.
    #[serde(rename = "imageGcHighThreshold", alias = "imageGCHighThreshold")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_gc_high: Option<u32>,
    /// Down to which percentage.
    #[serde(rename = "imageGcLowThreshold", alias = "imageGCLowThreshold")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_gc_low: Option<u32>,
}

/// The resource as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolMachine {
    /// The version that it should run, or does.
    pub kubernetes_version: String,
    /// What changes when somebody changes the goal.
    pub settings_version: String,
    /// What else it should be.
    pub wish: MachineWish,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    id: String,
    name: String,
    properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    e_tag: String,
    kubernetes: Kubernetes,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kubernetes {
    orchestrator_version: String,
    current_orchestrator_version: String,
    #[serde(flatten)]
    wish: MachineWish,
}

impl Arm {
    /// Whether a cluster has this pool.
    pub fn has_pool(&self, id: &ResourceId, patience: Patience<'_>) -> Result<bool, ArmError> {
        let path = id.path();
        let question =
            Question { action: READ_POOL, method: "GET", path: &path, api_version: API_VERSION, body: None };
        match self.ask(question, patience) {
            Ok(_) => Ok(true),
            Err(error) if error.is_absent() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Takes a machine out of its pool; one that is not there is out already.
    pub fn remove_pool_machine(
        &self,
        pool: &ResourceId,
        name: &str,
        patience: Patience<'_>,
    ) -> Result<(), ArmError> {
        let path = format!("{}/deleteMachines", pool.path());
        let body = json!({ "machineNames": [name] });
        let question = Question {
            action: REMOVE,
            method: "POST",
            path: &path,
            api_version: API_VERSION,
            body: Some(&body),
        };
        match self.ask(question, patience) {
            Err(error) if !error.is_absent() => Err(error),
            _ => Ok(()),
        }
    }

    /// The machine; `None` only when Azure says that it is not there.
    pub fn pool_machine(
        &self,
        id: &ResourceId,
        patience: Patience<'_>,
    ) -> Result<Option<PoolMachine>, ArmError> {
        let path = id.path();
        let question = Question::new(READ, "GET", &path, API_VERSION);
        match self.ask(question, patience) {
            Ok(reply) => read(question, id, &reply).map(Some),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sets what the machine should be, and waits until Azure has it.
    pub fn put_pool_machine(
        &self,
        id: &ResourceId,
        goal: &MachineGoal,
        patience: Patience<'_>,
    ) -> Result<PoolMachine, ArmError> {
        let path = id.path();
        let body = json!({ "properties": { "kubernetes": goal } });
        let question = Question::new(WRITE, "PUT", &path, API_VERSION).with(&body);
        let machine = read(question, id, &self.change(question, patience)?)?;
        let known = |text: String| if text.is_empty() { goal.kubernetes_version.clone() } else { text };
        Ok(PoolMachine {
            kubernetes_version: known(machine.kubernetes_version),
            settings_version: known(machine.settings_version),
            wish: machine.wish,
        })
    }

    /// Sees to it that the machine is there with the goal's version: one that has it is left as it is.
    pub fn ensure_pool_machine(
        &self,
        id: &ResourceId,
        goal: &MachineGoal,
        patience: Patience<'_>,
    ) -> Result<PoolMachine, ArmError> {
        match self.pool_machine(id, patience)? {
            Some(machine) if machine.kubernetes_version == goal.kubernetes_version => Ok(machine),
            _ => self.put_pool_machine(id, goal, patience),
        }
    }
}

fn read(question: Question<'_>, id: &ResourceId, reply: &Reply) -> Result<PoolMachine, ArmError> {
    let answer: Answer = question.read(reply)?;
    let same_id = ResourceId::parse(&answer.id).is_ok_and(|other| other == *id);
    if !same_id || !answer.name.eq_ignore_ascii_case(id.name()) {
        return Err(question.unreadable(&format!("it is about another machine, {:?}", answer.id)));
    }
    let Kubernetes { orchestrator_version, current_orchestrator_version, wish } =
        answer.properties.kubernetes;
    let first = |one: String, other: &str| if one.is_empty() { other.to_owned() } else { one };
    let kubernetes_version = first(orchestrator_version, &current_orchestrator_version);
    let settings_version = first(answer.properties.e_tag, &kubernetes_version);
    Ok(PoolMachine { kubernetes_version, settings_version, wish })
}
