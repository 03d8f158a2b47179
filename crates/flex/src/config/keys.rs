//! Every key of the configuration, one row each: path, shape, the first generation that knows it, what it is; then its
//! last generation, default, rule and fate where they are not the usual ones.

use super::key::{Default, Fate, Generation, Key, Shape};
use super::rules::{
    CA_CERTIFICATE, CLOUD_ENDPOINT, CLUSTER_ID, DEVICE, IP_ADDRESS, MIRROR, NODE_ADDRESS, NODE_NAME,
    ONE_WORD, PROXY, SERVER, TAINT, TOKEN,
};
use Default::{Derived, Switch as On, Text as Says, Whole as Is};
use Fate::{Alias, Idle, Refused};
use Generation::{Apr26, Head, Later, V1};
use Shape::{AnyCase, Duration, Map, Records, Secret, Secrets, Switch, Text, Texts, Unread, Whole, Word};

macro_rules! keys {
    ($($name:ident = $path:literal, $shape:expr, $first:ident, $about:literal $(, $more:ident($argument:expr))*;)+) => {
        $(pub(crate) const $name: &Key = &Key::new($path, $shape, $first, $about)$(.$more($argument))*;)+

        /// Every key, in the order in which a configuration is shown.
        pub static KEYS: &[&Key] = &[$($name),+];
    };
}

const DIRECTORY: Fate =
    Idle("a node's files have fixed places; the peer's own unit used these whatever was said");
const CONTAINER: Fate = Idle("kubelet runs on the host itself, not in a container of its own");
const AZURE_ONLY: Fate = Idle(
    "only Azure itself is asked: with `in-cluster` or an address nobody is, and the machine is not registered",
);
const NO_DETECTOR: Fate = Idle("node-problem-detector is not installed; run it as a daemon set");
const ROUTES: Fate = Refused("routes are the network configuration's business; set them there");

pub(crate) const CLOUDS: &[&str] =
    &["AzurePublicCloud", "AzureUSGovernment", "AzureGovernmentCloud", "AzureChinaCloud"];
const LEVELS: &[&str] = &["debug", "info", "warning", "error"];

#[rustfmt::skip]
keys! {
    SUBSCRIPTION = "azure.subscriptionId", Text, V1, "The subscription of the cluster, the Arc machine and the agent pool",
        or(Derived("that of the cluster's id"));
    TENANT = "azure.tenantId", Text, V1, "The Entra tenant; needed with Arc";
    CLOUD = "azure.cloud", Word(CLOUDS), V1, "The Azure cloud, where `resourceManagerEndpoint` does not say it";
    ENDPOINT = "azure.resourceManagerEndpoint", Text, Head, "Azure Resource Manager's address",
        or(Derived("that of the cloud")), is(&CLOUD_ENDPOINT);
    SP_TENANT = "azure.servicePrincipal.tenantId", Text, V1, "The service principal's tenant";
    SP_CLIENT = "azure.servicePrincipal.clientId", Text, V1, "The service principal's application id";
    SP_SECRET = "azure.servicePrincipal.clientSecret", Secret, V1, "Its secret";
    SP_SECRET_FILE = "azure.servicePrincipal.clientSecretFile", Text, Later, "A file with its secret";
    SP_CERTIFICATE = "azure.servicePrincipal.clientCertificateFile", Text, Later,
        "A PEM file with its certificate and key";
    MI_CLIENT = "azure.managedIdentity.clientId", Text, Apr26, "A user-assigned identity; without it, the system's";
    BOOTSTRAP_TOKEN = "azure.bootstrapToken.token", Secret, Apr26, "A bootstrap token, as kubeadm makes them", is(&TOKEN);
    TOKEN_FILE = "azure.bootstrapToken.tokenFile", Text, Later, "A file with the bootstrap token";
    ARC_ENABLED = "azure.arc.enabled", Switch, Apr26, "Whether the node is who Azure Arc says the machine is",
        or(Derived("true where `azure.arc` is the only way to authenticate"));
    ARC_MACHINE = "azure.arc.machineName", Text, V1, "The machine's name in Azure Arc", or(Derived("the host's name"));
    ARC_TAGS = "azure.arc.tags", Map, V1, "Tags of the machine in Azure Arc";
    ARC_GROUP = "azure.arc.resourceGroup", Text, V1, "The machine's resource group", or(Derived("that of the cluster"));
    ARC_LOCATION = "azure.arc.location", Text, V1, "The machine's region", or(Derived("that of the cluster"));
    ARC_ROLES = "azure.arc.autoRoleAssignment", Switch, V1, "Whether the roles that the node needs are assigned to it",
        until(V1), or(On(false));
    CLUSTER = "azure.targetCluster.resourceId", Text, V1, "The cluster's resource id; always needed", is(&CLUSTER_ID);
    CLUSTER_LOCATION = "azure.targetCluster.location", Text, V1, "The cluster's region";
    AGENT_POOL = "azure.targetAgentPoolName", Text, Head, "The agent pool that the machine is registered in",
        or(Says("aksflexnodes"));

    NODE_NAME_KEY = "agent.nodeName", Text, Head, "The node's name", or(Derived("the host's name, in lower case")),
        is(&NODE_NAME);
    LOG_LEVEL = "agent.logLevel", AnyCase(LEVELS), V1, "How much the daemon logs; its `--quiet` counts first", or(Says("info"));
    LOG_DIR = "agent.logDir", Text, V1, "Where `aks-flex-node` logs; the daemon's log is in the journal",
        or(Says("/var/log/aks-flex-node"));
    CLIENT_MODE = "agent.machineClient.mode", Word(&["arm", "in-cluster"]), Head, "Who keeps the machine's desired state",
        or(Says("arm")), becomes(AZURE_ONLY);
    CLIENT_URL = "agent.machineClient.endpointUrl", Text, Head,
        "Where: a path of the API server in-cluster, a proxy's address otherwise", becomes(AZURE_ONLY);
    INTERVAL = "agent.machineReconcileInterval", Duration, Head, "How often the desired state is looked at",
        or(Says("10m0s"));
    REGISTRATION = "agent.requireMachineRegistration", Switch, Head, "Whether a node without its ARM machine is a failure",
        or(On(false));
    OPERATIONS = "agent.machineOperationMode", Word(&["auto", "disable"]), Head, "Whether operations on the machine are taken",
        or(Says("auto")), becomes(Idle("there are none that are taken: what Azure wants is in the machine's goal"));
    DRIFT = "agent.enableDriftDetectionAndRemediation", Switch, Apr26, "Whether the daemon repairs what changed",
        until(Apr26), or(On(true));
    AGENT_KUBECONFIG = "agent.kubeconfigData", Secret, Later, "A kubeconfig for the daemon, in base64",
        becomes(Refused("the daemon has the node's own credential"));

    KUBERNETES = "components.kubernetes", Text, Head, "The version of Kubernetes", is(&ONE_WORD);
    CONTAINERD = "components.containerd", Text, Head, "The version of containerd", is(&ONE_WORD);
    RUNC = "components.runc", Text, Head, "The version of runc", is(&ONE_WORD);
    SANDBOX = "components.sandboxImage", Text, Head, "The pause container's image", is(&ONE_WORD);
    GANTRY = "components.gantry.disabled", Switch, Later, "Whether images are fetched without peers",
        becomes(Idle("images are fetched from registries only"));
    MANIFEST = "components.manifest", Text, Later,
        "The signed list of releases that programs are taken from: a file or an https address",
        or(Derived("`/etc/aks-flex-node/manifest.json`, if it is there"));
    RELEASE_KEY = "components.releaseKey", Text, Later, "The public key that vouches for it: its text, or a file",
        or(Derived("`/etc/aks-flex-node/release.pub`"));
    MIRRORS = "components.mirrors", Secrets, Later,
        "Other places for the same files, as `--mirror` has them; they may hold a user and a password", is(&MIRROR);
    KUBERNETES_V1 = "kubernetes.version", Text, V1, "The version of Kubernetes", becomes(Alias("components.kubernetes")),
        is(&ONE_WORD);
    KUBERNETES_URL = "kubernetes.urlTemplate", Text, V1,
        "Where the archive of Kubernetes is; `%s` stands for the version, then for the architecture", until(Apr26),
        becomes(Idle("programs come from the signed manifest; `components.mirrors` names other places for them"));
    CONTAINERD_V1 = "containerd.version", Text, V1, "The version of containerd", becomes(Alias("components.containerd")),
        is(&ONE_WORD);
    PAUSE_V1 = "containerd.pauseImage", Text, V1, "The pause container's image", until(Apr26),
        becomes(Alias("components.sandboxImage")), is(&ONE_WORD);
    METRICS = "containerd.metricsAddress", Text, V1, "Where containerd shows its numbers", until(Apr26),
        becomes(Idle("containerd shows its numbers where AKS's nodes do"));
    RUNC_V1 = "runc.version", Text, V1, "The version of runc", becomes(Alias("components.runc")), is(&ONE_WORD);
    RUNC_URL = "runc.url", Text, V1, "Where runc is", until(Apr26), becomes(Idle("runc is found by its version"));

    OCI_IMAGE = "bootstrap.ociImage", Text, Head, "The image that kubelet's container is made of", becomes(CONTAINER);
    OFFLINE = "bootstrap.offlineArtifacts.source", Text, Head, "A bundle with everything, for machines without a network";
    DEVICES = "bootstrap.additionalHostDevices", Texts, Head, "Devices for kubelet's container", is(&DEVICE),
        becomes(CONTAINER);
    MOUNTS = "bootstrap.additionalHostMounts", Unread, Later, "Directories for kubelet's container", becomes(CONTAINER);
    SERVICES = "bootstrap.additionalRequiredServices", Texts, Later, "Units that kubelet's container waits for",
        becomes(CONTAINER);

    DNS = "networking.dnsServiceIP", Text, Head, "The cluster's resolver", or(Says("10.0.0.10")), is(&IP_ADDRESS);
    CNI = "networking.cniVersion", Text, Head, "The version of the network plugins", is(&ONE_WORD);
    CNI_V1 = "cni.version", Text, Apr26, "The version of the network plugins", becomes(Alias("networking.cniVersion")),
        is(&ONE_WORD);
    LOCAL_DNS = "networking.localDNS", Unread, Later, "A resolver on the node",
        becomes(Refused("the node's own resolver is part of AKS's images, which this machine does not have"));

    HTTP_PROXY = "networking.httpProxy", Secret, Later,
        "The proxy for http, of the node's services and of Slipway; it may hold a user and a password", is(&PROXY),
        or(Derived("for Slipway itself: what the environment says"));
    HTTPS_PROXY = "networking.httpsProxy", Secret, Later, "The proxy for https", is(&PROXY),
        or(Derived("for Slipway itself: what the environment says"));
    NO_PROXY = "networking.noProxy", Texts, Later, "Hosts, domains and networks that are reached without a proxy",
        is(&ONE_WORD);
    TRUSTED_CA = "networking.trustedCaCertData", Text, Later,
        "Authorities that are trusted besides the system's when programs are fetched and Azure is asked: PEM, then base64",
        is(&CA_CERTIFICATE);

    MAX_PODS = "node.maxPods", Whole, V1, "How many pods the node takes", or(Is(110));
    LABELS = "node.labels", Map, V1, "Labels of the node; `kubernetes.azure.com/managed=false` is always one of them";
    TAINTS = "node.taints", Texts, Apr26, "Taints with which the node registers, `key=value:Effect`", is(&TAINT);
    KUBE_RESERVED = "node.kubelet.kubeReserved", Map, V1, "What is kept for Kubernetes' own services";
    SYSTEM_RESERVED = "node.kubelet.systemReserved", Map, Later, "What is kept for the system's services";
    EVICTION = "node.kubelet.evictionHard", Map, V1, "When pods are evicted at once; without it, as kubelet does";
    VERBOSITY = "node.kubelet.verbosity", Whole, Apr26, "How much kubelet logs", or(Is(2));
    GC_HIGH = "node.kubelet.imageGCHighThreshold", Whole, V1, "At which percentage of the disk images are removed", or(Is(85));
    GC_LOW = "node.kubelet.imageGCLowThreshold", Whole, V1, "Down to which percentage", or(Is(80));
    FQDN = "node.kubelet.clusterFQDN", Text, Head, "The API server: host, host:port or https address", is(&SERVER),
        or(Derived("what Azure says, with an Azure identity"));
    SERVER_URL = "node.kubelet.serverURL", Text, Apr26, "The API server", becomes(Alias("node.kubelet.clusterFQDN")),
        is(&SERVER);
    CA = "node.kubelet.caCertData", Text, Apr26, "The cluster's CA: PEM, then base64", is(&CA_CERTIFICATE),
        or(Derived("what Azure says, with an Azure identity"));
    DNS_V1 = "node.kubelet.dnsServiceIP", Text, Apr26, "The cluster's resolver", becomes(Alias("networking.dnsServiceIP")),
        is(&IP_ADDRESS);
    NODE_IP = "node.kubelet.nodeIP", Text, Apr26, "The node's address", is(&NODE_ADDRESS);
    PROVIDER_CONFIG = "node.kubelet.imageCredentialProvider.configPath", Text, Later,
        "The configuration of a program that logs in to registries", is(&ONE_WORD);
    PROVIDER_PROGRAMS = "node.kubelet.imageCredentialProvider.binDir", Text, Later, "Where that program is", is(&ONE_WORD);
    NODE_KUBECONFIG = "node.kubelet.kubeconfigData", Secret, Later, "A kubeconfig for kubelet, in base64",
        becomes(Refused("say clusterFQDN and caCertData, and a token or an identity: the node gets a credential of its own"));

    NPD = "npd.version", Text, Apr26, "The version of node-problem-detector", or(Says("v1.35.1")), becomes(NO_DETECTOR);

    ROUTES_ENABLED = "hostRouting.staticRoutes.enabled", Switch, Head, "Whether routes are set on the host",
        or(On(false)), becomes(ROUTES);
    STATIC_ROUTES = "hostRouting.staticRoutes.routes", Records(ROUTE), Head, "The routes", becomes(ROUTES);
    OVERLAP = "hostRouting.routeOverlap.expectedCidrs", Texts, Head, "Networks that no route of the host may overlap",
        becomes(ROUTES);
    OVERLAP_MODE = "hostRouting.routeOverlap.mode", Word(&["WARN", "STRICT"]), Head, "What an overlap means", becomes(ROUTES);

    CONFIG_DIR = "paths.kubernetes.configDir", Text, V1, "Kubernetes' configuration", until(Apr26), becomes(DIRECTORY);
    CERTS_DIR = "paths.kubernetes.certsDir", Text, V1, "Certificates", until(Apr26), becomes(DIRECTORY);
    MANIFESTS_DIR = "paths.kubernetes.manifestsDir", Text, V1, "Static pods", until(Apr26), becomes(DIRECTORY);
    PLUGIN_DIR = "paths.kubernetes.volumePluginDir", Text, V1, "Volume plugins", until(Apr26), becomes(DIRECTORY);
    KUBELET_DIR = "paths.kubernetes.kubeletDir", Text, V1, "Kubelet's data", until(Apr26), becomes(DIRECTORY);
    CNI_BIN = "paths.cni.binDir", Text, V1, "Network plugins", until(V1), becomes(DIRECTORY);
    CNI_CONF = "paths.cni.confDir", Text, V1, "Their configuration", until(V1), becomes(DIRECTORY);
    CNI_LIB = "paths.cni.libDir", Text, V1, "Their data", until(V1), becomes(DIRECTORY);
}

/// The keys of a route.
const ROUTE: &[&Key] = &[
    &Key::new("destination", Text, Head, "Where to"),
    &Key::new("gateway", Text, Head, "By way of whom"),
    &Key::new("dev", Text, Head, "By which interface"),
    &Key::new("metric", Whole, Head, "What it costs"),
];
