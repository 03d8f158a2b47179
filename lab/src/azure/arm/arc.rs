//! Machines that are elsewhere, with an identity here.

use serde_json::{Value, json};

use super::refusal::Refusal;
use super::target::{Aim, Target};
use super::{Arm, operations};
use crate::azure::answer::Answer;
use crate::azure::cloud::Principal;
use crate::azure::entra::Entra;
use crate::azure::http::Request;
use crate::azure::id::uuid;

/// The version from which on a deletion does not end at once.
const SLOW_DELETION: &str = "2025-02-01";

/// What is said about Arc machines.
pub(super) fn answer(
    arm: &mut Arm,
    entra: &Entra,
    target: &Target,
    request: &Request,
) -> Result<Answer, Refusal> {
    let key = target.id.to_ascii_lowercase();
    match (request.method.as_str(), &target.aim) {
        ("GET", Aim::One) => match arm.arc.get(&key) {
            Some(machine) => Ok(Answer::json(200, machine)),
            None => Err(Refusal::not_found(target.kind, target.name(), target.group())),
        },
        ("GET", Aim::All) => {
            let below = arm.arc.iter().filter(|(id, _)| id.starts_with(&key));
            let value: Vec<&Value> = below.map(|(_, machine)| machine).collect();
            Ok(Answer::json(200, &json!({ "value": value })))
        }
        ("PUT", Aim::One) => {
            let body = super::body(request)?;
            if body["location"].as_str().is_none_or(str::is_empty) {
                let words = "The location property is required for this definition.";
                return Err(Refusal::new(400, "LocationRequired", words));
            }
            Ok(Answer::json(200, &arm.connect(entra, &target.id, &body)))
        }
        ("DELETE", Aim::One) => Ok(match arm.arc.remove(&key) {
            None => Answer::empty(204),
            Some(_) if request.query("api-version").is_some_and(|version| *version < *SLOW_DELETION) => {
                Answer::empty(200)
            }
            Some(_) => arm.begin(operations::HYBRID_COMPUTE, request, Answer::empty(202)).0,
        }),
        _ => Err(super::not_allowed(&request.method)),
    }
}

impl Arm {
    /// The id of an Arc machine.
    pub(in crate::azure) fn arc_id(&self, group: &str, name: &str) -> String {
        let Self { subscription, .. } = self;
        format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.HybridCompute/machines/{name}"
        )
    }

    /// Makes an Arc machine as a client describes it, or changes it; its identity stays.
    pub(in crate::azure) fn connect(&mut self, entra: &Entra, id: &str, body: &Value) -> Value {
        let name = id.rsplit('/').next().unwrap_or_default();
        let mut machine = json!({
            "id": id,
            "name": name,
            "type": "Microsoft.HybridCompute/machines",
            "location": body["location"].as_str().unwrap_or(&self.location),
            "tags": body.get("tags").cloned().unwrap_or_else(|| json!({})),
            "properties": body.get("properties").cloned().unwrap_or_else(|| json!({})),
        });
        let properties = &mut machine["properties"];
        properties["provisioningState"] = json!("Succeeded");
        properties["status"] = json!("Connected");
        properties["displayName"] = json!(name);
        properties["machineFqdn"] = json!(name);
        if properties["vmId"].is_null() {
            properties["vmId"] = json!(uuid(&format!("vm {id}")));
        }
        if body["identity"]["type"] == "SystemAssigned" {
            let principal = principal(id);
            machine["identity"] =
                json!({ "type": "SystemAssigned", "principalId": principal, "tenantId": self.tenant });
            entra.admit(Principal::managed(&principal));
        }
        self.arc.insert(id.to_ascii_lowercase(), machine.clone());
        machine
    }

    /// The identity of an Arc machine, while there is one.
    pub(in crate::azure) fn arc_identity(&self, id: &str) -> Option<Principal> {
        let machine = self.arc.get(&id.to_ascii_lowercase())?;
        machine["identity"]["principalId"].as_str().map(Principal::managed)
    }
}

/// The principal of an Arc machine, which follows from its id.
fn principal(id: &str) -> String {
    uuid(&format!("arc {}", id.to_ascii_lowercase()))
}
