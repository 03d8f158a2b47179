//! An AKS machine: AKS itself makes the VM and its payload.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::zone;
use crate::computed::{
    NoMachineName, is_aks_label, is_kubelet_managed, machine_name, pod_pids, taint_text, whole_megabytes,
};
use crate::images::{Family, Wanted};
use crate::nps::SysctlSettings;
use crate::request::{CapacityType, Kubelet, LinuxOs, NodeClass, ZoneOverride};
use crate::sizes::gpu_sizes;
use crate::{Fidelity, Request, Resolved};

/// Why a node cannot be an AKS machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMachine {
    /// The machine cannot be named.
    #[error("nodeClaim.name: {0}")]
    Name(#[from] NoMachineName),
    /// AKS knows only images of its shared gallery.
    #[error("{0}; machines need options.useSIG")]
    Image(String),
    /// Machines belong to an agent pool.
    #[error("options.aksMachinesPoolName: must be the agent pool that the machine goes into")]
    NoPool,
    /// Machines belong to a cluster.
    #[error("environment.clusterResourceGroup: must be the resource group of the cluster")]
    NoClusterGroup,
}

/// The body of the machine. Whoever sends it sends the header `AllowSpotVMSystemNode: true` with it.
pub fn machine(request: &Request, node: &Resolved, fidelity: Fidelity) -> Result<Value, NoMachine> {
    let Request { options, environment, launch, node_class, .. } = request;
    if options.aks_machines_pool_name.is_empty() {
        return Err(NoMachine::NoPool);
    }
    if environment.cluster_resource_group.is_empty() {
        return Err(NoMachine::NoClusterGroup);
    }
    let name = machine_name(&node.node_claim)?;
    let image = match (&node.image.machine_image_version, &node.image.machine_image_version_error) {
        (Some(image), None) => image,
        (_, error) => {
            return Err(NoMachine::Image(
                error.clone().unwrap_or_else(|| "the image has no name for machines".to_owned()),
            ));
        }
    };
    let is_spot = launch.capacity_type == CapacityType::Spot;
    let is_system = node.bootstrap.labels.get("kubernetes.azure.com/mode") == Some("system");
    let mut tags = node.launch_template.tags.clone();
    tags.insert("karpenter.azure.com_aksmachine_nodeclaim".to_owned(), node.node_claim.clone());
    let mut properties = json!({
        "nodeImageVersion": image,
        "hardware": hardware(request),
        "operatingSystem": operating_system(request, node, fidelity),
        "kubernetes": kubernetes(request, node, fidelity),
        "mode": if is_system { "System" } else { "User" },
        "security": security(node_class),
        "priority": if is_spot { "Spot" } else { "Regular" },
        "tags": tags,
    });
    put(
        &mut properties,
        "network",
        node_class.spec.vnet_subnet_id.as_ref().map(|subnet| json!({"vnetSubnetID": subnet})),
    );
    put(&mut properties, "localDNSProfile", local_dns(node_class));
    let mut body = json!({
        "id": format!(
            "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.ContainerService/managedClusters/{}/agentPools/{}/machines/{name}",
            environment.subscription_id,
            environment.cluster_resource_group,
            options.cluster_name,
            options.aks_machines_pool_name,
        ),
        "name": name,
        "properties": properties,
    });
    put(&mut body, "zones", zone(launch, node).map(|zone| json!([zone])));
    Ok(body)
}

fn hardware(request: &Request) -> Value {
    let mut hardware = json!({"vmSize": request.sku.name});
    if gpu_sizes(&request.sku.name).is_some() {
        let driver = if request.node_class.spec.installs_gpu_driver() { "Install" } else { "None" };
        hardware["gpuProfile"] = json!({"driver": driver});
    }
    if request.launch.ultra_ssd {
        hardware["ultraSsdEnabled"] = json!(true);
    }
    hardware
}

fn operating_system(request: &Request, node: &Resolved, fidelity: Fidelity) -> Value {
    let spec = &request.node_class.spec;
    let mut system = json!({
        "osType": "Linux",
        "osSKU": os_sku(request, fidelity),
        "osDiskSizeGB": spec.os_disk_gb(),
        "osDiskType": if node.launch_template.is_ephemeral { "Ephemeral" } else { "Managed" },
        "enableFIPS": spec.is_fips(),
    });
    put(
        &mut system,
        "linuxProfile",
        spec.linux_os_config.as_ref().map(|config| json!({"linuxOSConfig": linux_os(config, fidelity)})),
    );
    system
}

/// The kind of operating system. The peer goes by the version alone, and asks for an image of 22.04 on 24.04 where
/// the generic family meets trusted launch.
fn os_sku(request: &Request, fidelity: Fidelity) -> &'static str {
    let wanted = Wanted::of(&request.options, &request.node_class);
    let wanted = match fidelity {
        Fidelity::Ours => wanted,
        Fidelity::Compat if wanted.is_fips => return compat_fips_sku(&wanted),
        Fidelity::Compat => Wanted { is_trusted_launch: false, ..wanted },
    };
    match Family::of(&wanted) {
        Family::AzureLinux2 | Family::AzureLinux3 => "AzureLinux",
        ubuntu => ubuntu.name(),
    }
}

fn compat_fips_sku(wanted: &Wanted<'_>) -> &'static str {
    match wanted.image_family {
        Some("AzureLinux") => "AzureLinux",
        Some("Ubuntu2204") => "Ubuntu2204",
        Some("Ubuntu2404") => "Ubuntu2404",
        _ => "Ubuntu",
    }
}

fn kubernetes(request: &Request, node: &Resolved, fidelity: Fidelity) -> Value {
    let labels: Map<String, Value> = node
        .bootstrap
        .labels
        .iter()
        .filter(|(key, _)| !is_aks_label(key) && !is_kubelet_managed(key))
        .map(|(key, layers)| (key.to_owned(), json!(layers.value)))
        .collect();
    let mut seen = BTreeSet::new();
    let taints: Vec<String> =
        node.bootstrap.taints.iter().map(taint_text).filter(|taint| seen.insert(taint.clone())).collect();
    let spec = &request.node_class.spec;
    let mut kubernetes = json!({
        "nodeLabels": labels,
        "orchestratorVersion": node.bootstrap.kubernetes_version,
        "nodeInitializationTaints": taints,
        "nodeTaints": [],
    });
    put(&mut kubernetes, "maxPods", spec.max_pods.map(Value::from));
    put(
        &mut kubernetes,
        "kubeletConfig",
        spec.kubelet.as_ref().map(|kubelet| kubelet_config(kubelet, fidelity)),
    );
    if spec.streams_artifacts() && node.bootstrap.arch != "arm64" {
        kubernetes["artifactStreamingProfile"] = json!({"enabled": true});
    }
    kubernetes
}

fn kubelet_config(kubelet: &Kubelet, fidelity: Fidelity) -> Value {
    let text = |text: &str| (!text.is_empty()).then(|| json!(text));
    let period = kubelet.cpu_cfs_quota_period;
    let sysctls = &kubelet.allowed_unsafe_sysctls;
    members([
        ("cpuManagerPolicy", text(&kubelet.cpu_manager_policy)),
        ("cpuCfsQuota", kubelet.cpu_cfs_quota.map(Value::from)),
        ("cpuCfsQuotaPeriod", (period.nanoseconds() != 0).then(|| json!(period.to_string()))),
        ("imageGcHighThreshold", kubelet.image_gc_high_threshold_percent.map(Value::from)),
        ("imageGcLowThreshold", kubelet.image_gc_low_threshold_percent.map(Value::from)),
        ("topologyManagerPolicy", text(&kubelet.topology_manager_policy)),
        ("allowedUnsafeSysctls", (!sysctls.is_empty()).then(|| json!(sysctls))),
        ("failSwapOn", kubelet.fail_swap_on.map(Value::from)),
        (
            "containerLogMaxSizeMB",
            whole_megabytes(&kubelet.container_log_max_size, fidelity).map(Value::from),
        ),
        ("containerLogMaxFiles", kubelet.container_log_max_files.map(Value::from)),
        ("podMaxPids", kubelet.pod_pids_limit.map(|limit| json!(pod_pids(limit)))),
    ])
}

fn linux_os(config: &LinuxOs, fidelity: Fidelity) -> Value {
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    let swap = config.swap_file_size.as_deref().and_then(|size| whole_megabytes(size, fidelity));
    members([
        ("swapFileSizeMB", swap.map(Value::from)),
        ("transparentHugePageEnabled", text(&config.transparent_huge_page_enabled)),
        ("transparentHugePageDefrag", text(&config.transparent_huge_page_defrag)),
        ("sysctls", config.sysctls.as_ref().map(|sysctls| json!(SysctlSettings::from(sysctls)))),
    ])
}

fn security(node_class: &NodeClass) -> Value {
    let security = node_class.spec.security.as_ref();
    let trusted = security.and_then(|security| security.trusted_launch.as_ref());
    members([
        ("sshAccess", Some(json!("LocalUser"))),
        (
            "enableEncryptionAtHost",
            security.and_then(|security| security.encryption_at_host).map(Value::from),
        ),
        ("enableVTPM", trusted.and_then(|trusted| trusted.vtpm).map(Value::from)),
        ("enableSecureBoot", trusted.and_then(|trusted| trusted.secure_boot).map(Value::from)),
    ])
}

/// The resolver on the node. `Preferred` is never sent: by now it is known what it came to.
fn local_dns(node_class: &NodeClass) -> Option<Value> {
    let asked = node_class.spec.local_dns.as_ref()?;
    let mode = if node_class.runs_local_dns() { "Required" } else { "Disabled" };
    let zones = |zones: &[ZoneOverride]| {
        let zones: Map<String, Value> =
            zones.iter().map(|zone| (zone.zone.clone(), zone_settings(zone))).collect();
        (!zones.is_empty()).then_some(Value::Object(zones))
    };
    Some(members([
        ("mode", Some(json!(mode))),
        ("vnetDNSOverrides", zones(&asked.vnet_dns_overrides)),
        ("kubeDNSOverrides", zones(&asked.kube_dns_overrides)),
    ]))
}

fn zone_settings(zone: &ZoneOverride) -> Value {
    let text = |text: &str| (!text.is_empty()).then(|| json!(text));
    members([
        ("queryLogging", text(&zone.query_logging)),
        ("protocol", text(&zone.protocol)),
        ("forwardDestination", text(&zone.forward_destination)),
        ("forwardPolicy", text(&zone.forward_policy)),
        ("maxConcurrent", zone.max_concurrent.map(Value::from)),
        ("cacheDurationInSeconds", zone.cache_duration.map(|time| json!(time.seconds()))),
        ("serveStaleDurationInSeconds", zone.serve_stale_duration.map(|time| json!(time.seconds()))),
        ("serveStale", text(&zone.serve_stale)),
    ])
}

/// Puts a member in if there is one.
fn put(into: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        into[name] = value;
    }
}

/// An object of the members that are there.
fn members<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect::<Map<_, _>>()
        .into()
}
