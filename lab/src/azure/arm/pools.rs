//! Agent pools: machines in them that take their time, and what new ones join with.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::target::{Aim, Target};
use super::{Arm, operations};
use crate::azure::answer::Answer;
use crate::azure::cloud::{MANAGEMENT, ManagedCluster};
use crate::azure::http::Request;
use crate::azure::id::uuid;

const MACHINE: &str = "Microsoft.ContainerService/managedClusters/agentPools/machines";

/// A machine of an agent pool, and when it is what it was asked to be.
pub(super) struct PoolMachine {
    document: Value,
    done: Instant,
}

/// What is said about agent pools and what belongs to them.
pub(super) fn answer(arm: &mut Arm, target: &Target, request: &Request) -> Result<Answer, Refusal> {
    let (cluster, pool) = find(arm, target)?;
    match (target.kind, request.method.as_str(), &target.aim) {
        (MACHINE, "GET", Aim::One) => match arm.machines.get(&target.id.to_ascii_lowercase()) {
            Some(machine) => Ok(Answer::json(200, &machine.document())),
            None => Err(Refusal::new(
                404,
                "NotFound",
                format!("Could not find the machine '{}' in agent pool '{pool}'.", target.name()),
            )),
        },
        (MACHINE, "GET", Aim::All) => {
            let beginning = format!("{}/", target.id.to_ascii_lowercase());
            let below = arm.machines.iter().filter(|(id, _)| id.starts_with(&beginning));
            let value: Vec<Value> = below.map(|(_, machine)| machine.document()).collect();
            Ok(Answer::json(200, &json!({ "value": value })))
        }
        (MACHINE, "PUT", Aim::One) => put(arm, target, request),
        (_, "GET", Aim::One) => Ok(Answer::json(200, &pool_document(target, &pool))),
        (_, "POST", Aim::Action(action)) if action == "deletemachines" => remove(arm, target, request),
        (_, "POST", Aim::Action(action)) if action == "listbootstrapdata" => {
            Ok(Answer::json(200, &bootstrap_data(&cluster, &pool, &cluster.id(&arm.subscription))))
        }
        _ => Err(super::not_allowed(&request.method)),
    }
}

/// The cluster and the pool that a target is in.
fn find(arm: &Arm, target: &Target) -> Result<(ManagedCluster, String), Refusal> {
    let missing =
        |name: &str| Refusal::not_found("Microsoft.ContainerService/managedClusters", name, target.group());
    let [name, rest @ ..] = target.names.as_slice() else { return Err(missing("")) };
    let is_it = |it: &&ManagedCluster| {
        it.name.eq_ignore_ascii_case(name) && it.resource_group.eq_ignore_ascii_case(target.group())
    };
    let cluster = arm.clusters.iter().find(is_it).ok_or_else(|| missing(name))?;
    let wanted = rest.first().map_or("", String::as_str);
    let pool = cluster.agent_pools.iter().find(|pool| pool.eq_ignore_ascii_case(wanted));
    let pool = pool.ok_or_else(|| {
        Refusal::new(
            404,
            "NotFound",
            format!("Could not find the agent pool '{wanted}' in cluster '{name}'."),
        )
    })?;
    Ok((cluster.clone(), pool.clone()))
}

impl PoolMachine {
    fn document(&self) -> Value {
        let mut document = self.document.clone();
        if Instant::now() < self.done {
            document["properties"]["provisioningState"] = json!("Creating");
        }
        document
    }
}

impl Arm {
    /// Changes members of what a machine should be, as somebody does who manages the pool.
    pub(in crate::azure) fn set_goal(&mut self, id: &str, kubernetes: &Value) {
        let tag = uuid(&format!("tag {}", self.next_request()));
        let Some(machine) = self.machines.get_mut(&id.to_ascii_lowercase()) else { return };
        let properties = &mut machine.document["properties"];
        for (name, value) in kubernetes.as_object().into_iter().flatten() {
            properties["kubernetes"][name] = value.clone();
        }
        properties["eTag"] = json!(tag);
    }

    /// Forgets a machine.
    pub(in crate::azure) fn remove_pool_machine(&mut self, id: &str) {
        self.machines.remove(&id.to_ascii_lowercase());
    }
}

/// Begins to make a machine, or to change it.
fn put(arm: &mut Arm, target: &Target, request: &Request) -> Result<Answer, Refusal> {
    let body = super::body(request)?;
    let key = target.id.to_ascii_lowercase();
    let status = if arm.machines.contains_key(&key) { 200 } else { 201 };
    let serial = arm.next_request();
    let mut document = json!({
        "id": target.id,
        "name": target.name(),
        "type": MACHINE,
        "properties": body.get("properties").cloned().unwrap_or_else(|| json!({})),
    });
    let properties = &mut document["properties"];
    properties["provisioningState"] = json!("Succeeded");
    properties["eTag"] = json!(uuid(&format!("tag {serial}")));
    let version = properties["kubernetes"]["orchestratorVersion"].clone();
    if !version.is_null() {
        properties["kubernetes"]["currentOrchestratorVersion"] = version;
    }
    let (answer, done) = arm.begin(operations::CONTAINER_SERVICE, request, Answer::empty(status));
    let machine = PoolMachine { document, done };
    let answer = answer.bearing(&machine.document());
    arm.machines.insert(key, machine);
    Ok(answer)
}

/// Takes machines out of a pool; those that are not there are out already.
fn remove(arm: &mut Arm, target: &Target, request: &Request) -> Result<Answer, Refusal> {
    let body = super::body(request)?;
    for name in body["machineNames"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        arm.machines.remove(&format!("{}/machines/{name}", target.id).to_ascii_lowercase());
    }
    Ok(arm.begin(operations::CONTAINER_SERVICE, request, Answer::empty(202)).0)
}

fn pool_document(target: &Target, pool: &str) -> Value {
    json!({
        "id": target.id,
        "name": pool,
        "type": "Microsoft.ContainerService/managedClusters/agentPools",
        "properties": { "mode": "Machines", "provisioningState": "Succeeded" },
    })
}

/// What a machine needs to join a pool.
fn bootstrap_data(cluster: &ManagedCluster, pool: &str, id: &str) -> Value {
    json!({
        "azure": {
            "resourceManagerEndpoint": format!("https://{MANAGEMENT}/"),
            "targetCluster": { "resourceId": id },
            "targetAgentPoolName": pool,
            "bootstrapToken": { "token": cluster.bootstrap_token },
        },
        "components": { "kubernetes": cluster.kubernetes },
        "networking": { "dnsServiceIP": cluster.dns },
        "node": {
            "kubelet": {
                "clusterFQDN": cluster.fqdn,
                "caCertData": STANDARD.encode(&cluster.authority),
            },
        },
    })
}
