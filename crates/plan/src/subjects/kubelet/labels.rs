//! The labels with which the node registers.

use std::collections::BTreeMap;

use slipway_model::{Facts, Node, Sources};

use crate::plan::{Explained, ExplainedKind};
use crate::subjects::certificates::{Signer, signer};

const SERVING_CA: (&str, &str) = ("kubernetes.azure.com/kubelet-serving-ca", "cluster");
const DNS_EXPORTER: (&str, &str) = ("kubernetes.azure.com/localdns-exporter", "enabled");

/// A label with its value.
pub(super) struct Label {
    name: String,
    value: String,
    sources: Sources,
}

impl Label {
    pub(super) fn text(&self) -> String {
        format!("{}={}", self.name, self.value)
    }

    pub(super) fn explained(&self, path: &str) -> Explained {
        Explained {
            kind: ExplainedKind::Label,
            name: self.name.clone(),
            value: self.value.clone(),
            path: path.into(),
            sources: self.sources.clone(),
        }
    }
}

/// Every label in the order of names.
pub(super) fn labels(node: &Node, facts: &Facts, of: &mut Sources) -> Vec<Label> {
    let mut labels = BTreeMap::new();
    for (name, value) in &node.kubelet.labels {
        let mut sources = Sources::none();
        let value = sources.read(value).clone();
        labels.insert(name.clone(), (value, sources));
    }
    let mut sources = Sources::none();
    match signer(node, facts, &mut sources) {
        Signer::Cluster => add(&mut labels, SERVING_CA, &sources),
        Signer::ItselfByTag => {
            labels.remove(SERVING_CA.0);
        }
        Signer::Itself => {}
    }
    of.join(&sources);
    let mut sources = Sources::none();
    if sources.read(&node.dns.local).is_some() {
        add(&mut labels, DNS_EXPORTER, &sources);
    }
    of.join(&sources);
    let label = |(name, (value, sources))| Label { name, value, sources };
    let labels: Vec<Label> = labels.into_iter().map(label).collect();
    for label in &labels {
        of.join(&label.sources);
    }
    labels
}

/// What the contract says about a label stays.
fn add(labels: &mut BTreeMap<String, (String, Sources)>, (name, value): (&str, &str), of: &Sources) {
    labels.entry(name.to_owned()).or_insert_with(|| (value.to_owned(), of.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, instance, with};

    fn of(members: &str, facts: &Facts) -> String {
        let labels = super::labels(&with(members), facts, &mut Sources::none());
        labels.iter().map(Label::text).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn features_add_labels_and_an_opt_out_takes_one_away() {
        let members = r#""kubelet_config":{"kubelet_node_labels":{"agentpool":"a","kubernetes.azure.com/kubelet-serving-ca":"cluster"},"kubelet_config_file_config":{"server_tls_bootstrap":true}},"local_dns_profile":{"enable_local_dns":true}"#;
        let mut facts = facts();
        assert_eq!(
            of(members, &facts),
            "agentpool=a,kubernetes.azure.com/kubelet-serving-ca=cluster,kubernetes.azure.com/localdns-exporter=enabled"
        );
        facts.imds = Some(instance("aks-disable-kubelet-serving-certificate-rotation"));
        assert_eq!(of(members, &facts), "agentpool=a,kubernetes.azure.com/localdns-exporter=enabled");
        assert_eq!(of(r#""kubelet_config":{"kubelet_node_labels":{"b":"","a":"x"}}"#, &facts), "a=x,b=");
    }
}
