//! Bodies as Azure takes them, of recorded requests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use serde_json::{Value, json};
use slipway_launch::arm::{self, Boot, Order};
use slipway_launch::{
    Bootstrapper as _, ContractForm, Fidelity, Payload, Request, Resolved, VariablesScript, resolve,
};

fn base() -> Value {
    let cases = vectors::of_kind("bootstrap", "launch-template");
    let mut input = cases.into_iter().find(|case| case["name"] == "lt-008").unwrap()["input"].clone();
    let members = json!({
        "sshPublicKey": "ssh-ed25519 AAAA me", "linuxAdminUsername": "captain", "nodeIdentities": ["/sub/id"],
    });
    input["options"].as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    input
}

struct Made {
    request: Request,
    node: Resolved,
    payload: Payload,
}

impl Made {
    fn of(input: &Value, form: &dyn slipway_launch::Bootstrapper) -> Self {
        let request = Request::parse(&input.to_string()).unwrap();
        let node = resolve(&request, Fidelity::Ours).unwrap_or_else(|refusal| panic!("{refusal}"));
        let payload = form.payload(&node).unwrap();
        Self { request, node, payload }
    }

    fn order(&self) -> Order<'_> {
        Order { request: &self.request, node: &self.node, boot: Boot::of(&self.payload) }
    }
}

fn made(input: &Value) -> Made {
    Made::of(input, &VariablesScript::default())
}

#[test]
fn a_vm_has_everything_that_the_launch_template_says() {
    for case in vectors::of_kind("bootstrap", "launch-template") {
        let request = Request::parse(&case["input"].to_string()).unwrap();
        let Ok(node) = resolve(&request, Fidelity::Compat) else { continue };
        let payload = VariablesScript { fidelity: Fidelity::Compat }.payload(&node).unwrap();
        let order = Order { request: &request, node: &node, boot: Boot::of(&payload) };
        let (vm, expected) = (json!(arm::vm(&order)), &case["expected"]["launchTemplate"]);
        let properties = &vm["properties"];
        let name = format!("aks-{}", request.node_claim.name);
        assert_eq!(vm["name"], name.as_str());
        assert_eq!(vm["tags"], expected["tags"], "{name}");
        assert_eq!(properties["hardwareProfile"]["vmSize"], request.sku.name.as_str());
        let image = expected["imageID"].as_str().unwrap();
        let member = if image.starts_with("/CommunityGalleries") { "communityGalleryImageId" } else { "id" };
        assert_eq!(properties["storageProfile"]["imageReference"], json!({member: image}), "{name}");
        let disk = &properties["storageProfile"]["osDisk"];
        assert_eq!(disk["diskSizeGB"], expected["storageProfileSizeGB"]);
        assert_eq!(
            disk.get("diffDiskSettings").is_some(),
            expected["storageProfileIsEphemeral"] == true,
            "{name}"
        );
        let interface = json!(arm::network_interface(&order));
        let addresses = interface["properties"]["ipConfigurations"].as_array().unwrap();
        assert_eq!(addresses[0]["properties"]["subnet"]["id"], expected["subnetID"]);
        assert_eq!(properties["networkProfile"]["networkInterfaces"][0]["id"], interface["id"]);
        assert_eq!(properties["osProfile"]["customData"], payload.custom_data.expose().as_str());
    }
}

#[test]
fn the_vm_of_a_regular_and_of_a_spot_node() {
    let mut input = base();
    let regular = made(&input);
    let vm = json!(arm::vm(&regular.order()));
    assert_eq!(vm["properties"]["priority"], "Regular");
    assert_eq!(vm["properties"].get("billingProfile"), None);
    assert_eq!(vm["identity"], json!({"type": "UserAssigned", "userAssignedIdentities": {"/sub/id": {}}}));
    let linux = json!({
        "disablePasswordAuthentication": true,
        "ssh": {"publicKeys": [{"keyData": "ssh-ed25519 AAAA me", "path": "/home/captain/.ssh/authorized_keys"}]},
    });
    assert_eq!(vm["properties"]["osProfile"]["linuxConfiguration"], linux);
    assert_eq!(vm["properties"]["osProfile"]["adminUsername"], "captain");
    input["launch"] =
        json!({"capacityType": "spot", "placementScope": "zonal", "zone": "eastus-2", "ultraSSD": true});
    input["nodeClass"]["spec"]["security"] = json!({"trustedLaunch": {"vtpm": true}});
    let spot = json!(arm::vm(&made(&input).order()));
    assert_eq!(spot["zones"], json!(["2"]));
    let properties = &spot["properties"];
    assert_eq!(properties["priority"], "Spot");
    assert_eq!(properties["evictionPolicy"], "Delete");
    assert_eq!(properties["billingProfile"], json!({"maxPrice": -1}));
    assert_eq!(properties["additionalCapabilities"], json!({"ultraSSDEnabled": true}));
    let security = json!({
        "securityType": "TrustedLaunch", "uefiSettings": {"secureBootEnabled": false, "vTpmEnabled": true},
    });
    assert_eq!(properties["securityProfile"], security);
}

#[test]
fn the_interface_has_an_address_for_each_pod_of_the_nodes_subnet() {
    let mut input = base();
    let options = json!({"networkPlugin": "azure", "networkPluginMode": "", "networkDataplane": "azure"});
    input["options"].as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    input["nodeClass"]["spec"]["maxPods"] = json!(12);
    let interface = json!(arm::network_interface(&made(&input).order()));
    let names: Vec<_> = interface["properties"]["ipConfigurations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|address| address["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 12);
    assert_eq!((names[1].as_str(), names[11].as_str()), ("ipconfig1", "ipconfig11"));
}

#[test]
fn the_security_group_is_left_to_a_subnet_of_aks() {
    let mut input = base();
    let group = input["options"]["nodeResourceGroup"].as_str().unwrap().to_owned();
    let subnet = |network: &str| {
        format!(
            "/subscriptions/s/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks/{network}/subnets/aks-subnet"
        )
    };
    for (network, is_attached) in [("aks-vnet-12345678", false), ("mine", true)] {
        input["options"]["vnetSubnetID"] = json!(subnet(network));
        input["nodeClass"]["spec"].as_object_mut().unwrap().remove("vnetSubnetID");
        let interface = json!(arm::network_interface(&made(&input).order()));
        assert_eq!(interface["properties"].get("networkSecurityGroup").is_some(), is_attached, "{network}");
    }
}

#[test]
fn extensions_run_the_command_and_are_counted_by() {
    let input = base();
    let names = |made: &Made| -> Vec<String> {
        let bodies = arm::extensions(&made.order());
        bodies.into_iter().map(|body| body.name).collect()
    };
    assert_eq!(names(&made(&input)), [arm::BILLING]);
    let contract = Made::of(&input, &ContractForm::default());
    assert_eq!(names(&contract), [arm::CUSTOM_SCRIPT, arm::BILLING]);
    let bodies = json!(arm::extensions(&contract.order()));
    let command = &bodies[0]["properties"]["protectedSettings"]["commandToExecute"];
    assert_eq!(command, "/opt/azure/containers/aks-node-controller provision-wait");
}

#[test]
fn a_scale_set_has_the_payload_and_the_extension_for_each_instance() {
    let made = Made::of(&base(), &ContractForm::default());
    let set = json!(arm::scale_set(&made.order(), 3));
    assert_eq!(set["sku"]["capacity"], 3);
    let profile = &set["properties"]["virtualMachineProfile"];
    assert_eq!(profile["osProfile"]["customData"], made.payload.custom_data.expose().as_str());
    let extension = &profile["extensionProfile"]["extensions"][0];
    assert_eq!(extension["name"], "vmssCSE");
    assert_eq!(extension["properties"]["type"], "CustomScript");
    assert_eq!(profile["storageProfile"]["osDisk"].get("name"), None);
}

#[test]
fn a_masked_body_holds_nothing_of_the_payload() {
    let made = Made::of(&base(), &ContractForm::default());
    let order = Order { boot: Boot::masked(&made.payload), ..made.order() };
    let text = json!([arm::vm(&order), arm::scale_set(&order, 1), arm::extensions(&order)]).to_string();
    assert!(!text.contains(made.payload.custom_data.expose()) && !text.contains("provision-wait"));
    assert!(text.contains("<secret>"));
}

fn machine_input() -> Value {
    let mut input = base();
    let options = json!({"useSIG": true, "sigSubscriptionID": "11111111-2222-3333-4444-555555555555", "aksMachinesPoolName": "machines"});
    input["options"].as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    input
}

#[test]
fn a_machine_says_what_aks_needs_to_make_the_node_itself() {
    let mut input = machine_input();
    input["nodeClass"]["spec"]["kubelet"] =
        json!({"containerLogMaxSize": "50Mi", "cpuCFSQuotaPeriod": "100ms", "podPidsLimit": 100});
    input["nodeClass"]["spec"]["linuxOSConfig"] = json!({"sysctls": {"netIPv4TCPKeepaliveIntvl": 30}});
    let made = made(&input);
    let machine = arm::machine(&made.request, &made.node, Fidelity::Ours).unwrap();
    let properties = &machine["properties"];
    assert!(
        machine["id"]
            .as_str()
            .unwrap()
            .ends_with(&format!("/agentPools/machines/machines/{}", made.node.node_claim))
    );
    let kubelet = json!({"cpuCfsQuotaPeriod": "100ms", "containerLogMaxSizeMB": 50, "podMaxPids": 100});
    assert_eq!(properties["kubernetes"]["kubeletConfig"], kubelet);
    let sysctls = &properties["operatingSystem"]["linuxProfile"]["linuxOSConfig"]["sysctls"];
    assert_eq!(sysctls, &json!({"netIpv4TcpkeepaliveIntvl": 30}));
    assert_eq!(properties["kubernetes"]["nodeTaints"], json!([]));
    let taints = properties["kubernetes"]["nodeInitializationTaints"].as_array().unwrap();
    assert!(taints.contains(&json!("karpenter.sh/unregistered:NoExecute")));
    let labels = properties["kubernetes"]["nodeLabels"].as_object().unwrap();
    assert!(
        labels.keys().all(|key| !key.starts_with("kubernetes.azure.com/") && key != "kubernetes.io/arch")
    );
    assert!(labels.contains_key("karpenter.sh/capacity-type"));
    assert_eq!(properties["tags"]["karpenter.azure.com_aksmachine_nodeclaim"], made.node.node_claim.as_str());
    assert!(properties["nodeImageVersion"].as_str().unwrap().starts_with("AKS"));
}

#[test]
fn the_machine_of_the_generic_family_with_trusted_launch_has_the_system_of_its_image() {
    let mut input = machine_input();
    input["nodeClass"]["spec"]["imageFamily"] = json!("Ubuntu");
    input["nodeClass"]["kubernetesVersion"] = json!("1.34.1");
    input["nodeClass"]["spec"]["security"] = json!({"trustedLaunch": {"vtpm": true}});
    let made = made(&input);
    for (fidelity, sku) in [(Fidelity::Ours, "Ubuntu2204"), (Fidelity::Compat, "Ubuntu2404")] {
        let machine = arm::machine(&made.request, &made.node, fidelity).unwrap();
        assert_eq!(machine["properties"]["operatingSystem"]["osSKU"], sku);
    }
}

#[test]
fn a_machine_needs_a_pool_and_an_image_of_the_shared_gallery() {
    let made = made(&base());
    let refused = arm::machine(&made.request, &made.node, Fidelity::Ours).unwrap_err();
    assert_eq!(refused, arm::NoMachine::NoPool);
}
