//! The cluster's CA, static client certificates and kubelet's serving certificate.

use slipway_model::{ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::machine::instance;
use crate::op::{Action, SelfSigned};
use crate::places::{
    CA, CLIENT_CERTIFICATE, CLIENT_KEY, CLUSTER_CA, SERVING_CERTIFICATE, SERVING_KEY, START_KUBELET,
};
use crate::step::{Step, StepId};
use crate::subjects::join;

const SERVER_CERTIFICATE: StepId = StepId("api-server-certificate");
const CLIENT: StepId = StepId("client-certificate");
const SERVING: StepId = StepId("serving-certificate");

/// With this tag on the machine, kubelet signs its own serving certificate whatever the cluster says.
const OPT_OUT: &str = "aks-disable-kubelet-serving-certificate-rotation";
/// As long as the scripts' certificates last: twenty years.
const DAYS: u32 = 7300;

/// Who signs kubelet's serving certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signer {
    /// Kubelet's key itself; the cluster was never asked to.
    Itself,
    /// The cluster.
    Cluster,
    /// Kubelet's key itself, because the machine's owner opted out.
    ItselfByTag,
}

pub(crate) fn signer(node: &Node, facts: &Facts, of: &mut Sources) -> Signer {
    if !of.read(&node.kubelet.serving_rotation) {
        return Signer::Itself;
    }
    let instance = instance(facts, of);
    let opted_out = instance.is_some_and(|instance| instance.has_tag_set(OPT_OUT));
    if opted_out { Signer::ItselfByTag } else { Signer::Cluster }
}

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let ca = of.read(&node.cluster.ca).as_str();
    draft.add(
        Step::join(CLUSTER_CA, "say which CA speaks for the cluster")
            .or_fail(ExitReason::Unspecified)
            .file(of, CA, 0o600, ca),
    );
    let mut of = Sources::none();
    if let Some(certificate) = of.read(&node.cluster.server_certificate) {
        draft.add(
            Step::join(SERVER_CERTIFICATE, "keep the API server's certificate")
                .or_degrade(ExitReason::Unspecified)
                .because(&of)
                .file(of, "/etc/kubernetes/certs/apiserver.crt", 0o644, certificate.as_str()),
        );
    }
    client(node, draft);
    serving(node, facts, draft);
}

/// A client certificate of the contract's counts only where the node has no other way to get one.
fn client(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    if of.read(&node.join.token).is_some() || *of.read(&node.join.secure.enabled) {
        return;
    }
    let mut step = Step::join(CLIENT, "give kubelet its client certificate")
        .or_fail(ExitReason::KubeletStart)
        .because(&of);
    let mut of_certificate = of.clone();
    if let Some(certificate) = of_certificate.read(&node.join.client_certificate) {
        step = step.file(of_certificate, CLIENT_CERTIFICATE, 0o600, certificate.as_str());
    }
    if let Some(key) = of.read(&node.join.client_key) {
        step = step.secret_file(of, CLIENT_KEY, key.clone());
    }
    if !step.ops.is_empty() {
        draft.add(step);
        draft.order(CLIENT, START_KUBELET);
    }
}

fn serving(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if signer(node, facts, &mut of) == Signer::Cluster {
        return;
    }
    let because = of.clone();
    let host = join::node_name(node, facts, &mut of);
    let pair =
        SelfSigned { certificate: SERVING_CERTIFICATE.into(), key: SERVING_KEY.into(), host, days: DAYS };
    draft.add(
        Step::join(SERVING, "make kubelet's serving certificate")
            .or_fail(ExitReason::KubeletStart)
            .because(&because)
            .op(of, Action::SelfSigned(pair)),
    );
    draft.order(SERVING, START_KUBELET);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, instance, lines, plain, with};

    const ROTATION: &str = r#""kubelet_config":{"kubelet_config_file_config":{"serverTLSBootstrap":true}}"#;

    #[test]
    fn a_plain_node_has_the_ca_and_signs_its_own_serving_certificate() {
        let lines = lines(steps, &plain(), &facts());
        assert_eq!(lines[0], "cluster-ca file /etc/kubernetes/certs/ca.crt 0600");
        assert!(
            lines[1].starts_with("serving-certificate SelfSigned") && lines[1].contains("\"node1\""),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn rotation_leaves_the_serving_certificate_to_the_cluster_unless_the_machine_is_tagged() {
        let node = with(ROTATION);
        let mut facts = facts();
        assert_eq!(lines(steps, &node, &facts).len(), 1);
        facts.imds = Some(instance("AKS-disable-kubelet-serving-certificate-rotation"));
        assert_eq!(lines(steps, &node, &facts).len(), 2);
        assert_eq!(signer(&node, &facts, &mut Sources::none()), Signer::ItselfByTag);
    }

    #[test]
    fn a_client_certificate_is_for_nodes_without_another_way_in() {
        let pair =
            r#""kubelet_config":{"kubelet_client_key":"a2V5","kubelet_client_cert_content":"Y2VydA=="}"#;
        assert_eq!(lines(steps, &with(pair), &facts()).len(), 2);
        let node = with(&format!(r#"{pair},"bootstrapping_config":{{"tls_bootstrapping_token":""}}"#));
        let lines = lines(steps, &node, &facts());
        assert!(
            lines
                .contains(&"client-certificate file /etc/kubernetes/certs/client.key 0600 secret".to_owned()),
            "{lines:?}"
        );
    }
}
