//! Slipway itself on a machine: a contract for the lab's cluster, and the command as the image would run it.

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::Instant;
use std::{fs, io};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::azure::{self, Addresses, Azure, Cloud, Config, Subnet};
use crate::cluster::NAME;
use crate::error::At as _;
use crate::floor::{Joined, measured};
use crate::image::PAUSE;
use crate::programs::KUBERNETES;
use crate::space::PREFIX;
use crate::{Cluster, Error, Lab, Machine};

/// Where a node image finds its contract.
pub const CONTRACT: &str = "/opt/azure/containers/aks-node-controller-config.json";
/// Where a node image has Slipway.
pub const PROGRAM: &str = "/usr/bin/slipway";
/// The unit in which a machine is provisioned.
pub const UNIT: &str = "slipway-provision";

/// Makes a machine a node with this build of Slipway, and waits until it is Ready.
pub fn provision(lab: &Lab, machine: &Machine, slipway: &Path) -> Result<Joined, Error> {
    install(machine, slipway, &contract(&lab.cluster)?)?;
    let _azure = azure(lab, &[machine])?;
    measured(lab, machine, || {
        let start = Instant::now();
        run(machine)?;
        Ok(start)
    })
}

/// Puts a build of Slipway and a contract on a machine, where an image has them.
pub fn install(machine: &Machine, slipway: &Path, contract: &Value) -> Result<(), Error> {
    let program = fs::read(slipway).at("read", slipway)?;
    // An image that was baked with it has it already.
    if fs::read(machine.path(PROGRAM)).ok().as_ref() != Some(&program) {
        machine.put(PROGRAM, 0o755, &program)?;
    }
    machine.put(CONTRACT, 0o600, contract.to_string().as_bytes())
}

/// Provisions a machine from its contract, in a unit of its own as the image does, and gives what was printed.
pub fn run(machine: &Machine) -> Result<String, Error> {
    let unit = ["--wait", "--pipe", "--quiet", "--collect", &format!("--unit={UNIT}")];
    let command = [PROGRAM, "provision", "--provision-config", CONTRACT];
    machine.run("systemd-run", &[&unit[..], &command].concat())
}

/// Ends a provisioning that nobody waits for any more.
pub fn abandon(machine: &Machine) -> Result<(), Error> {
    // A pattern that nothing matches is no error, as a name of nothing would be.
    machine.run("systemctl", &["stop", &format!("{UNIT}*.service")]).map(drop)
}

/// Azure as these machines see it, on the addresses that are Azure's.
pub fn azure(lab: &Lab, machines: &[&Machine]) -> Result<Azure, Error> {
    let directory = lab.directory();
    let machines = machines.iter().map(|machine| metadata(machine)).collect::<Result<_, _>>()?;
    let config = Config {
        addresses: Addresses::of_azure((Ipv4Addr::new(10, 224, 0, 1), 5000).into()),
        machines,
        files: directory.join("artifacts"),
        images: directory.join("images"),
        cloud: Cloud { clusters: vec![lab.cluster.managed()?], ..Cloud::default() },
        tls: lab.cluster.azure_tls()?,
    };
    lab.space.on_network(|| Azure::start(config))?.at("start the emulated Azure in", &directory)
}

/// What Azure says about a machine.
pub fn metadata(machine: &Machine) -> Result<azure::Machine, Error> {
    let subnet = Subnet { address: Ipv4Addr::new(10, 224, 0, 0), prefix: PREFIX };
    let address = machine.address.parse().map_err(io::Error::other);
    Ok(azure::Machine::new(&machine.name, address.at("use the address of", machine.name.as_ref())?, subnet))
}

/// A contract for a node of the lab's cluster: kubenet, a bootstrap token, a kubelet configuration file.
pub fn contract(cluster: &Cluster) -> Result<Value, Error> {
    let mut contract = of_any_cluster();
    contract["api_server_config"] = json!({"api_server_name": NAME});
    contract["kubernetes_ca_cert"] = json!(BASE64_STANDARD.encode(cluster.authority()?));
    contract["bootstrapping_config"] = json!({
        "bootstrapping_auth_method": "BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN",
        "tls_bootstrapping_token": cluster.token()?,
    });
    Ok(contract)
}

/// A contract for the image of such nodes, which does not know its cluster yet.
pub(crate) fn preparation() -> Value {
    let mut contract = of_any_cluster();
    contract["pre_provision_only"] = json!(true);
    contract
}

fn of_any_cluster() -> Value {
    json!({
        "version": "v1",
        "kubernetes_version": KUBERNETES,
        "kube_binary_config": {"pod_infra_container_image_url": PAUSE},
        "cluster_config": {
            "cluster_network_config": {"core_dns_service_ip": "10.0.0.10"},
            "resource_group": "MC_lab_lab_lab",
            "location": "lab",
            "vm_type": "VM_TYPE_VMSS",
        },
        "auth_config": {
            "tenant_id": "00000000-0000-0000-0000-000000000001",
            "subscription_id": "00000000-0000-0000-0000-000000000002",
            "service_principal_id": "msi",
            "service_principal_secret": BASE64_STANDARD.encode("msi"),
            "use_managed_identity_extension": true,
        },
        "network_config": {"network_plugin": "NETWORK_PLUGIN_KUBENET"},
        "kubelet_config": kubelet(),
        "vm_size": "Standard_D2s_v5",
        "linux_admin_username": "azureuser",
        "is_vhd": true,
        // The control groups of this machine's kernel are what they are.
        "needs_cgroupv2": Path::new("/sys/fs/cgroup/cgroup.controllers").exists(),
    })
}

fn kubelet() -> Value {
    json!({
        "kubelet_node_labels": {"agentpool": "lab", "kubernetes.azure.com/agentpool": "lab"},
        "enable_kubelet_config_file": true,
        "kubelet_config_file_config": {
            "kind": "KubeletConfiguration",
            "api_version": "kubelet.config.k8s.io/v1beta1",
            "static_pod_path": "/etc/kubernetes/manifests",
            "address": "0.0.0.0",
            "tls_cert_file": "/etc/kubernetes/certs/kubeletserver.crt",
            "tls_private_key_file": "/etc/kubernetes/certs/kubeletserver.key",
            "rotate_certificates": true,
            "authentication": {
                "x509": {"client_ca_file": "/etc/kubernetes/certs/ca.crt"},
                "webhook": {"enabled": true},
                "anonymous": {},
            },
            "authorization": {"mode": "Webhook"},
            "cluster_domain": "cluster.local",
            "cluster_dns": ["10.0.0.10"],
            "cgroups_per_qos": true,
            "max_pods": 110,
            "resolv_conf": "/etc/resolv.conf",
            "enforce_node_allocatable": ["pods"],
        },
    })
}
