//! Requests about clusters and pools, as they were recorded, and what becomes of the answers.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod arm_world;
#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use arm_world::{World, arm};
use fakes::{never, soon};
use serde_json::Value;
use slipway_azure::arm::{ArmError, Code, MachineGoal, PoolMachine, ResourceId};
use slipway_fetch::Patience;

fn patience() -> Patience<'static> {
    Patience::new(soon(20), &never)
}

fn cluster(case: &Value) -> ResourceId {
    ResourceId::parse(case["config"]["azure"]["targetCluster"]["resourceId"].as_str().unwrap()).unwrap()
}

fn ensure(world: &World) -> Result<PoolMachine, ArmError> {
    // What the recorded program wanted is in the recording; how it came to want it is another test's business.
    let goal = &world.case["goal_after"];
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let labels = goal["nodeLabels"].as_object().unwrap().iter();
    let goal = MachineGoal {
        kubernetes_version: goal["kubernetesVersion"].as_str().unwrap().to_owned(),
        max_pods: goal["maxPods"].as_u64().unwrap().try_into().unwrap(),
        node_labels: labels.map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect(),
        node_taints: texts(&goal["nodeTaints"]),
    };
    let name = world.case["config"]["agent"]["nodeName"].as_str().unwrap();
    let id = cluster(&world.case).child("agentPools", "aksflexnodes").child("machines", name);
    arm(&world.server).ensure_pool_machine(&id, &goal, patience())
}

#[test]
fn a_machine_of_a_pool_is_made_changed_or_left_as_it_was_recorded() {
    for text in [
        include_str!("data/arm/head-create.json"),
        include_str!("data/arm/head-create-minimal.json"),
        include_str!("data/arm/head-create-lro.json"),
        include_str!("data/arm/head-other-version.json"),
        include_str!("data/arm/head-same-version.json"),
        include_str!("data/arm/head-get-403.json"),
        include_str!("data/arm/head-get-403-optional.json"),
    ] {
        let world = World::of(text, |_| {});
        let name = world.case["name"].as_str().unwrap();
        let end = ensure(&world);
        assert_eq!(world.asked(), world.recorded(), "{name}");
        match &end {
            Ok(machine) => {
                assert_eq!(world.case["outcome"], "ok", "{name}");
                assert_eq!(machine.settings_version, world.case["goal_after"]["settingsVersion"], "{name}");
            }
            // Where registration is optional, it is the caller who goes on.
            Err(error) => {
                assert!(name.starts_with("head-get-403"), "{name}: {error}");
                assert!(error.is_forbidden(), "{name}: {error}");
                let action = "Microsoft.ContainerService/managedClusters/agentPools/machines/read";
                assert!(error.hint().contains(action), "{}", error.hint());
                assert!(error.to_string().contains("c0ffee"), "{error}");
            }
        }
    }
}

#[test]
fn a_users_kubeconfig_is_asked_for_where_the_administrators_was() {
    for text in [
        include_str!("data/arm/credentials-ok.json"),
        include_str!("data/arm/credentials-other-subscription.json"),
        include_str!("data/arm/credentials-403.json"),
    ] {
        // Least privilege: the server and its CA are in the user's kubeconfig too.
        let text = text.replace("listClusterAdminCredential", "listClusterUserCredential");
        let world = World::of(&text, |_| {});
        let name = world.case["name"].as_str().unwrap();
        let end = arm(&world.server).user_kubeconfig(&cluster(&world.case), patience());
        assert_eq!(world.asked(), world.recorded(), "{name}");
        match end {
            Ok(kubeconfig) => {
                assert_eq!(
                    (kubeconfig.expose().as_str(), &world.case["outcome"]),
                    ("kind: Config\n", &"ok".into())
                );
            }
            Err(error) => {
                assert_eq!(error.code(), Some(&Code::AuthorizationFailed), "{name}");
                assert!(error.hint().contains("listClusterUserCredential/action"), "{}", error.hint());
            }
        }
    }
}
