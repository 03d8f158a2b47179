//! The node's first credential, and Ready.
//!
//! The token is traded for a certificate beside the start of the container runtime. Kubelet is not held up for it: it has
//! the token too, and asks for itself if it comes first. Two requests do no harm.

mod secure;

use std::time::Duration;

use slipway_model::{ExitReason, Facts, Node, Secret, Sources};
use slipway_render::{Kubeconfig, KubeconfigUser, kubeconfig};

use crate::draft::Draft;
use crate::op::{Action, Await, Probe, TlsBootstrap};
use crate::places::{
    BOOTSTRAP_KUBECONFIG, CA, CERTIFICATES, CLIENT_CERTIFICATE, CLIENT_KEY, CLUSTER_CA, KUBECONFIG,
    KUBELET_CREDENTIALS, START_KUBELET,
};
use crate::plan::Refusal;
use crate::step::{Step, StepId};

const TLS_BOOTSTRAP: StepId = StepId("tls-bootstrap");
const AWAIT_READY: StepId = StepId("await-ready");
const PROBE_SERVER: StepId = StepId("probe-api-server");
const PROBE_OUTBOUND: StepId = StepId("probe-outbound");
const OUTBOUND_SKIPPED: StepId = StepId("outbound-check-skipped");

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    // An image that is only prepared learns its cluster later.
    if *Sources::none().read(&node.cluster.bake_only) {
        secure::client(node, draft);
        return;
    }
    refuse_what_is_missing(node, facts, draft);
    credentials(node, draft);
    secure::steps(node, draft);
    bootstrap(node, facts, draft);
    probes(node, draft);
    draft.add(ready(node, facts));
}

/// The name under which the node joins.
pub(crate) fn node_name(node: &Node, facts: &Facts, of: &mut Sources) -> String {
    let name = match node.kubelet.flags.get("--hostname-override") {
        Some(name) => of.read(name),
        None => of.fact("hostname", &facts.hostname).as_deref().unwrap_or_default(),
    };
    name.trim().to_lowercase()
}

/// The port of the API server, unless it is said.
const PORT: u16 = 443;

fn server(node: &Node, of: &mut Sources) -> String {
    let host = of.read(&node.cluster.server);
    let port = of.read(&node.cluster.port).unwrap_or(PORT);
    if host.contains(':') { format!("https://[{host}]:{port}") } else { format!("https://{host}:{port}") }
}

fn refuse_what_is_missing(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let secure = *of.read(&node.join.secure.enabled);
    let certificate =
        of.read(&node.join.client_key).is_some() && of.read(&node.join.client_certificate).is_some();
    let plugin = of.read(&node.join.plugin).is_some();
    let missing = [
        (
            of.read(&node.cluster.server).is_empty(),
            "api_server_config.api_server_name",
            "the API server is not named",
        ),
        (of.read(&node.cluster.ca).is_empty(), "kubernetes_ca_cert", "the cluster's CA is missing"),
        (
            !secure && !certificate && !plugin && of.read(&node.join.token).is_none(),
            "bootstrapping_config.tls_bootstrapping_token",
            "there is no credential: no token, no secure TLS bootstrapping, no client certificate with its key",
        ),
        (node_name(node, facts, &mut of).is_empty(), "facts.hostname", "the machine's name is not known"),
    ];
    for (_, what, message) in missing.into_iter().filter(|(missing, ..)| *missing) {
        let (what, message) = (what.to_owned(), message.to_owned());
        let hint =
            "without it the node cannot join; to prepare an image only, set pre_provision_only".to_owned();
        draft.refuse(Refusal { what, message, hint });
    }
}

/// Where kubelet finds what it shows to the API server. An image that is only prepared expects a token, as most nodes
/// have one.
pub(crate) fn credential_flags(node: &Node, of: &mut Sources) -> String {
    let expected = *of.read(&node.cluster.bake_only) && !*of.read(&node.join.secure.enabled);
    if expected || of.read(&node.join.token).is_some() {
        return format!("--kubeconfig {KUBECONFIG} --bootstrap-kubeconfig {BOOTSTRAP_KUBECONFIG}");
    }
    format!("--kubeconfig {KUBECONFIG}")
}

/// What kubelet shows to the API server.
fn credentials(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    let token = of.read(&node.join.token);
    if token.is_none() && *of.read(&node.join.secure.enabled) {
        // The client of secure TLS bootstrapping writes the kubeconfig itself.
        return;
    }
    let step = Step::join(KUBELET_CREDENTIALS, "give kubelet its credential")
        .or_fail(ExitReason::KubeletStart)
        .because(&of);
    let server = server(node, &mut of);
    let (path, user) = match (token, of.read(&node.join.plugin)) {
        (Some(token), _) => (BOOTSTRAP_KUBECONFIG, KubeconfigUser::Token(token.expose())),
        (None, Some(plugin)) => {
            (KUBECONFIG, KubeconfigUser::Plugin { program: &plugin.program, arguments: &plugin.arguments })
        }
        (None, None) => {
            (KUBECONFIG, KubeconfigUser::Certificate { certificate: CLIENT_CERTIFICATE, key: CLIENT_KEY })
        }
    };
    let text = kubeconfig(Kubeconfig { server: &server, ca: CA, user });
    draft.add(step.secret_file(of, path, Secret::new(text)));
    draft.order(KUBELET_CREDENTIALS, START_KUBELET);
}

fn bootstrap(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if *of.read(&node.join.secure.enabled) {
        return;
    }
    let Some(token) = of.read(&node.join.token) else { return };
    let because = of.clone();
    let bootstrap = TlsBootstrap {
        server: server(node, &mut of),
        ca: CA.into(),
        node: node_name(node, facts, &mut of),
        token: token.clone(),
        kubeconfig: KUBECONFIG.into(),
        certificates: CERTIFICATES.into(),
    };
    draft.add(
        Step::join(TLS_BOOTSTRAP, "trade the bootstrap token for a certificate")
            .or_degrade(ExitReason::ApiServerUnreachable)
            .because(&because)
            .after(&[CLUSTER_CA])
            .op(of, Action::TlsBootstrap(bootstrap)),
    );
}

fn probes(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    let host = of.read(&node.cluster.server).clone();
    let port = of.read(&node.cluster.port).unwrap_or(PORT);
    draft.add(probe(PROBE_SERVER, "reach the API server", ExitReason::ApiServerUnreachable, of, host, port));

    let mut of = Sources::none();
    if of.read(&node.cluster.registry_mirror).is_some() {
        // The node problem detector looks for these before it complains of a closed network.
        let mut step = Step::join(OUTBOUND_SKIPPED, "say that there is no way out to look for")
            .or_degrade(ExitReason::Outbound)
            .because(&of);
        for path in ["/run/outbound-check-skipped", "/opt/azure/outbound-check-skipped"] {
            step = step.file(of.clone(), path, 0o644, "");
        }
        draft.add(step);
    } else if let Some(endpoint) = of.read(&node.cluster.outbound) {
        let host = endpoint.host.clone();
        draft.add(probe(PROBE_OUTBOUND, "reach the registry", ExitReason::Outbound, of, host, endpoint.port));
    }
}

fn probe(id: StepId, title: &'static str, reason: ExitReason, of: Sources, host: String, port: u16) -> Step {
    Step::join(id, title).or_degrade(reason).because(&of).op(of, Action::Probe(Probe::Reach { host, port }))
}

fn ready(node: &Node, facts: &Facts) -> Step {
    let mut of = Sources::none();
    let within: Duration = *of.read(&node.cluster.within);
    let because = of.clone();
    let ready = Await::Ready {
        server: server(node, &mut of),
        ca: CA.into(),
        node: node_name(node, facts, &mut of),
        kubeconfig: KUBECONFIG.into(),
    };
    Step::join(AWAIT_READY, "wait until the node is Ready")
        .or_fail(ExitReason::TimedOut)
        .taking(within)
        .because(&because)
        .after(&[START_KUBELET])
        .op(of, Action::Await(ready))
}

#[cfg(test)]
mod tests;
