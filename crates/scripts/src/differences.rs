//! Where our variables differ from the peer's, and why. A test holds us to this list.

/// A variable that we derive otherwise than the peer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The variable.
    pub variable: &'static str,
    /// What the peer does.
    pub peer: &'static str,
    /// What we do.
    pub ours: &'static str,
    /// Why.
    pub reason: &'static str,
}

macro_rules! difference {
    ($variable:literal, $peer:literal, $ours:literal, $reason:literal) => {
        Difference { variable: $variable, peer: $peer, ours: $ours, reason: $reason }
    };
}

/// Every variable whose value can differ from the peer's without `--compat`.
#[rustfmt::skip]
pub const DIFFERENCES: [Difference; 18] = [
    difference!("ARM_RESOURCE_ENDPOINT",
        "reads the custom cloud's environment as plain JSON, and so finds nothing",
        "decodes base64 first; plain JSON still works",
        "the contract says base64, and the scripts decode it"),
    difference!("CONTAINERD_CONFIG_CONTENT",
        "for containerd 2.x writes Kata's runtimes below the 1.x plugin",
        "writes them below the 2.x plugin",
        "that is where containerd 2.x looks for runtimes"),
    difference!("CONTAINERD_CONFIG_CONTENT",
        "for containerd 2.x with kubenet names the directory of network plugins by its 1.x setting",
        "leaves it at containerd's default, which is the same directory",
        "containerd 2.1 renamed the setting, and 2.4 ignores the old name with a warning"),
    difference!("CONTAINERD_CONFIG_CONTENT",
        "with Kata and artifact streaming writes a text that containerd refuses",
        "refuses the contract",
        "both want to be the default snapshotter; the error says so before the node is lost"),
    difference!("CONTAINERD_CONFIG_CONTENT",
        "takes containerd for 1.x when its version has not exactly three numbers, or when it does not run",
        "reads the first number; without containerd goes by the version that the contract asks for, and says so",
        "a distribution's 2.1.4~ds2 is 2.x; what is about to be installed decides, not what is missing"),
    difference!("CONTAINERD_CONFIG_NO_GPU_CONTENT",
        "as CONTAINERD_CONFIG_CONTENT, and leaves kata-cc out for containerd 2.x",
        "as CONTAINERD_CONFIG_CONTENT, with kata-cc",
        "confidential pods do not depend on a GPU"),
    difference!("GPU_DRIVER_VERSION",
        "stops every node, with or without a GPU, when the component manifest cannot be read",
        "is empty then, and says so where there is a GPU",
        "most nodes have no GPU and do not need the manifest"),
    difference!("GPU_IMAGE_SHA", "as GPU_DRIVER_VERSION", "as GPU_DRIVER_VERSION", "the same manifest"),
    difference!("KUBELET_CONFIG_FILE_CONTENT",
        "writes cacheTtl, cacheAuthorizedTtl and cacheUnauthorizedTtl, and leaves out `enabled: false`",
        "writes the names with TTL, and `enabled: false` where the contract has the authenticator",
        "kubelet ignores the other names, and takes a webhook that is left out for enabled"),
    difference!("LOCALDNS_COREFILE_BASE",
        "writes <nil> for unset numbers",
        "writes the documented defaults: 1000 queries at once, 3600 s in the cache, 3600 s stale",
        "CoreDNS does not start with <nil>"),
    difference!("LOCALDNS_COREFILE_BASE",
        "takes foocluster.local for a domain of the cluster",
        "takes cluster.local and what ends in .cluster.local",
        "queries for a foreign domain do not belong to the cluster's resolver"),
    difference!("LOCALDNS_COREFILE_BASE",
        "writes any text as it is, and passes over unknown words",
        "refuses what is no domain, duration, address or number to CoreDNS, and reports unknown words",
        "CoreDNS would not start with it, and a domain must not be able to add directives"),
    difference!("LOCALDNS_COREFILE_BASE",
        "writes a cache of 0 seconds when that is asked for",
        "leaves the cache out",
        "CoreDNS does not start with such a cache"),
    difference!("LOCALDNS_COREFILE_WITH_HOSTS", "as LOCALDNS_COREFILE_BASE", "as LOCALDNS_COREFILE_BASE", "the same text"),
    difference!("LOCALDNS_GENERATED_COREFILE", "as LOCALDNS_COREFILE_BASE", "as LOCALDNS_COREFILE_BASE", "the same text"),
    difference!("PROXY_VARS",
        "puts URLs between double quotes as they are",
        "escapes what the shell reads inside double quotes",
        "the scripts evaluate the text: $(…) in a proxy's password would be run"),
    difference!("SYSCTL_CONTENT",
        "writes a port range with line breaks as it is",
        "refuses it",
        "a value must not be able to add settings"),
    difference!("CONTAINERD_ULIMITS",
        "writes limits with white space as they are",
        "refuses them",
        "the scripts break the text at its spaces, so a limit could add settings to containerd's unit"),
];
