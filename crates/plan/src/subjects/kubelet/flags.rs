//! Kubelet's flags.

use slipway_model::{Facts, Node, Sources};
use slipway_render::RETIRED_FLAG;

use crate::machine::instance;
use crate::places::{SERVING_CERTIFICATE, SERVING_KEY};
use crate::plan::{Explained, ExplainedKind};
use crate::subjects::certificates::{Signer, signer};

/// Flags that no kubelet in service takes: with one of them it does not start.
const GONE: [&str; 10] = [
    "--dynamic-config-dir",
    "--non-masquerade-cidr",
    "--network-plugin",
    "--network-plugin-mtu",
    "--cni-bin-dir",
    "--cni-conf-dir",
    "--cni-cache-dir",
    "--docker-endpoint",
    "--image-pull-progress-deadline",
    "--experimental-dockershim-root-directory",
];

const NODE_IP: &str = "--node-ip";

/// A flag with its value.
pub(crate) struct Flag {
    pub(crate) name: String,
    pub(crate) value: String,
    sources: Sources,
}

impl Flag {
    pub(super) fn text(&self) -> String {
        format!("{}={}", self.name, self.value)
    }

    pub(super) fn explained(&self, path: &str) -> Explained {
        Explained {
            kind: ExplainedKind::KubeletFlag,
            name: self.name.clone(),
            value: self.value.clone(),
            path: path.into(),
            sources: self.sources.clone(),
        }
    }
}

/// Every flag in the order of names, and after them what the machine adds.
pub(crate) fn flags(node: &Node, facts: &Facts, of: &mut Sources) -> Vec<Flag> {
    let mut flags = Vec::new();
    for (name, value) in &node.kubelet.flags {
        let mut sources = Sources::none();
        let value = sources.read(value).clone();
        let kept = kept(node, facts, name, value, &mut sources);
        of.join(&sources);
        flags.extend(kept.map(|value| Flag { name: name.clone(), value, sources }));
    }
    if !node.kubelet.flags.contains_key(NODE_IP) {
        let mut sources = Sources::none();
        let value = node_ip(node, facts, &mut sources);
        of.join(&sources);
        flags.extend(value.map(|value| Flag { name: NODE_IP.to_owned(), value, sources }));
    }
    flags
}

/// The value that a flag keeps, unless it goes.
fn kept(node: &Node, facts: &Facts, name: &str, value: String, of: &mut Sources) -> Option<String> {
    let own = match name {
        RETIRED_FLAG => return (!of.read(&node.cluster.kubernetes).is_at_least(1, 34)).then_some(value),
        "--rotate-server-certificates" if value == "true" => {
            let signer = signer(node, facts, of);
            return Some((signer != Signer::ItselfByTag).to_string());
        }
        "--tls-cert-file" => SERVING_CERTIFICATE,
        "--tls-private-key-file" => SERVING_KEY,
        _ => return (!GONE.contains(&name)).then_some(value),
    };
    // A certificate of the cluster's is kept elsewhere.
    (value != own || signer(node, facts, of) != Signer::Cluster).then_some(value)
}

/// Since 1.29 kubelet does not learn its address by itself where the cloud provider is outside, and pods' networks wait
/// for it.
fn node_ip(node: &Node, facts: &Facts, of: &mut Sources) -> Option<String> {
    if !of.read(&node.cluster.kubernetes).is_at_least(1, 29) {
        return None;
    }
    let addresses = instance(facts, of)?.node_addresses();
    let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    (!addresses.is_empty()).then(|| addresses.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, instance as document, with};

    fn of(flags: &str, rotation: bool, version: &str, facts: &Facts) -> String {
        let node = with(&format!(
            r#""kubernetes_version":"{version}","kubelet_config":{{"kubelet_flags":{{{flags}}},"kubelet_config_file_config":{{"server_tls_bootstrap":{rotation}}}}}"#
        ));
        super::flags(&node, facts, &mut Sources::none()).iter().map(Flag::text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn flags_that_a_version_no_longer_takes_go_and_the_address_comes() {
        let given = r#""--v":"3","--streaming-connection-idle-timeout":"4h","--dynamic-config-dir":"/x""#;
        let facts = facts();
        assert_eq!(
            of(given, false, "1.33.1", &facts),
            "--streaming-connection-idle-timeout=4h --v=3 --node-ip=10.0.0.4,fd00::4"
        );
        assert_eq!(of(given, false, "1.34.0", &facts), "--v=3 --node-ip=10.0.0.4,fd00::4");
        assert_eq!(of(given, false, "1.28.9", &facts), "--streaming-connection-idle-timeout=4h --v=3");
        assert_eq!(of(r#""--node-ip":"10.9.9.9""#, false, "1.34.0", &facts), "--node-ip=10.9.9.9");
        assert_eq!(of(r#""--v":"3""#, false, "1.34.0", &Facts::default()), "--v=3");
    }

    #[test]
    fn who_signs_the_serving_certificate_decides_about_its_flags() {
        let given = r#""--rotate-server-certificates":"true","--tls-cert-file":"/etc/kubernetes/certs/kubeletserver.crt","--tls-private-key-file":"/mine""#;
        let mut facts = facts();
        assert_eq!(
            of(given, true, "1.28.0", &facts),
            "--rotate-server-certificates=true --tls-private-key-file=/mine"
        );
        facts.imds = Some(document("aks-disable-kubelet-serving-certificate-rotation"));
        assert_eq!(
            of(given, true, "1.28.0", &facts),
            "--rotate-server-certificates=false --tls-cert-file=/etc/kubernetes/certs/kubeletserver.crt --tls-private-key-file=/mine"
        );
    }
}
