//! The launcher's options.

use std::collections::BTreeMap;

use slipway_model::Secret;

use super::custom_data::CustomDataPart;
use super::proxy::HttpProxy;
use super::record::{record, words};

record! {
    @without_default
    /// The launcher's options: the cluster, its network, and what applies to every node.
    pub struct Options {
        /// The cluster's name.
        cluster_name: String = "clusterName",
        /// The API server's address, such as `https://a.hcp.westus2.azmk8s.io:443`.
        cluster_endpoint: String = "clusterEndpoint",
        /// The token that a node joins with: `<id>.<secret>`.
        kubelet_bootstrap_token: Secret<String> = "kubeletBootstrapToken",
        /// The public key that the administrator logs in with.
        ssh_public_key: String = "sshPublicKey",
        /// The administrator's name on the node.
        linux_admin_username: String = "linuxAdminUsername",
        /// `azure` or `none`.
        network_plugin: String = "networkPlugin",
        /// `overlay`, or empty for pods that have addresses of the subnet.
        network_plugin_mode: String = "networkPluginMode",
        /// The network policy engine, such as `cilium`, `calico` or `azure`; may be empty.
        network_policy: String = "networkPolicy",
        /// `azure`, `cilium` or empty.
        network_dataplane: String = "networkDataplane",
        /// The address of the cluster's DNS service.
        dns_service_ip: String = "dnsServiceIP",
        /// The GUID of the virtual network, for overlay.
        vnet_guid: String = "vnetGUID",
        /// The subnet of nodes whose class names none.
        vnet_subnet_id: String = "vnetSubnetID",
        /// The client id of the identity that kubelet pulls images with.
        kubelet_identity_client_id: String = "kubeletIdentityClientID",
        /// Identities that each VM gets, by resource id.
        node_identities: Vec<String> = "nodeIdentities",
        /// The resource group that nodes are made in.
        node_resource_group: String = "nodeResourceGroup",
        /// How much of a size's memory the hypervisor and the kernel keep, as a fraction.
        vm_memory_overhead_percent: f64 = "vmMemoryOverheadPercent",
        /// Whether images come from the shared gallery rather than the community gallery.
        use_sig: bool = "useSIG",
        /// The subscription of the shared gallery.
        sig_subscription_id: String = "sigSubscriptionID",
        /// The disk encryption set of OS disks, by resource id.
        node_os_disk_encryption_set_id: String = "diskEncryptionSetID",
        /// Tags for everything that is made.
        additional_tags: BTreeMap<String, String> = "additionalTags",
        /// Who makes the bootstrap payload.
        provision_mode: ProvisionMode = "provisionMode",
        /// The node provisioning service, for `bootstrappingclient`.
        node_bootstrapping_server_url: String = "nodeBootstrappingServerURL",
        /// The agent pool of machines, for the machine API.
        aks_machines_pool_name: String = "aksMachinesPoolName",
        /// Proxy and extra certificates of the nodes.
        http_proxy: HttpProxy = "httpProxy",
        /// Certificates that nodes trust beside the system's: PEM, each in base64.
        custom_ca_certificates: Vec<String> = "customCACertificates",
        /// Custom data that every node gets beside what makes it a node.
        custom_data_parts: Vec<CustomDataPart> = "customDataParts",
    }
}

words! {
    /// Who makes the bootstrap payload of a node.
    pub enum ProvisionMode {
        /// The launcher, as a script of variables.
        #[default]
        Scriptless = "aksscriptless",
        /// The node provisioning service.
        BootstrappingClient = "bootstrappingclient",
        /// AKS itself, machine by machine.
        MachineApi = "aksmachineapi",
        /// AKS itself, in batches.
        MachineApiHeaderBatch = "aksmachineapiheaderbatch",
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cluster_name: String::new(),
            cluster_endpoint: String::new(),
            kubelet_bootstrap_token: Secret::default(),
            ssh_public_key: String::new(),
            linux_admin_username: "azureuser".to_owned(),
            network_plugin: "azure".to_owned(),
            network_plugin_mode: "overlay".to_owned(),
            network_policy: String::new(),
            network_dataplane: "cilium".to_owned(),
            dns_service_ip: String::new(),
            vnet_guid: String::new(),
            vnet_subnet_id: String::new(),
            kubelet_identity_client_id: String::new(),
            node_identities: Vec::new(),
            node_resource_group: String::new(),
            vm_memory_overhead_percent: 0.075,
            use_sig: false,
            sig_subscription_id: String::new(),
            node_os_disk_encryption_set_id: String::new(),
            additional_tags: BTreeMap::new(),
            provision_mode: ProvisionMode::default(),
            node_bootstrapping_server_url: String::new(),
            aks_machines_pool_name: String::new(),
            http_proxy: HttpProxy::default(),
            custom_ca_certificates: Vec::new(),
            custom_data_parts: Vec::new(),
        }
    }
}
