//! Secure TLS bootstrapping: the image's unit, told about this cluster, runs before kubelet.

use std::time::Duration;

use slipway_model::{Attributes, ExitReason, Node, Sources};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::op::{Action, Artifact};
use crate::places::{AZURE_CONFIG, AZURE_JSON, CLUSTER_CA, CUSTOM_ENVIRONMENT, START_KUBELET};
use crate::step::{Step, StepId};

const UNIT: StepId = StepId("secure-tls-bootstrap");
const CLIENT: StepId = StepId("secure-tls-bootstrap-client");
const DEFAULTS: &str = "/etc/default/secure-tls-bootstrap";
const PROGRAM: &str = "aks-secure-tls-bootstrap-client";

pub(super) fn steps(node: &Node, draft: &mut Draft) {
    client(node, draft);
    let mut of = Sources::none();
    if !of.read(&node.join.secure.enabled) {
        return;
    }
    // With a token kubelet can do without.
    let has_token = of.read(&node.join.token).is_some();
    let step = Step::join(UNIT, "let the machine's identity speak for the node");
    let reason = ExitReason::TlsBootstrapEnable;
    let step = if has_token { step.or_degrade(reason) } else { step.or_fail(reason) };
    let because = of.clone();
    let drop_in = UnitText::section("Unit")
        .set("Before", "kubelet.service")
        .and("Service")
        .set("EnvironmentFile", DEFAULTS)
        .and("Install")
        .set("WantedBy", "kubelet.service")
        .finish();
    let text = defaults(node, &mut of);
    draft.add(
        step.because(&because)
            .after(&[CLUSTER_CA, AZURE_CONFIG])
            .file(of, DEFAULTS, 0o600, text)
            .file(
                because.clone(),
                "/etc/systemd/system/secure-tls-bootstrap.service.d/10-securetlsbootstrap.conf",
                0o600,
                drop_in,
            )
            .link(
                because,
                "/etc/systemd/system/kubelet.service.wants/secure-tls-bootstrap.service",
                "/etc/systemd/system/secure-tls-bootstrap.service",
            ),
    );
    draft.order(UNIT, START_KUBELET);
}

/// Another client than the image's belongs to no node in particular.
pub(super) fn client(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    if !of.read(&node.join.secure.enabled) {
        return;
    }
    let Some(archive) = of.read(&node.join.secure.client) else { return };
    let artifact = Artifact {
        url: archive.url.clone(),
        sha256: archive.sha256.clone(),
        cached: None,
        members: vec![(PROGRAM.to_owned(), format!("/opt/bin/{PROGRAM}").into())],
        attributes: Attributes::root(0o755),
    };
    draft.add(
        Step::bake(CLIENT, "install the client of secure TLS bootstrapping")
            .or_fail(ExitReason::TlsBootstrapDownload)
            .taking(Duration::from_mins(5))
            .because(&of)
            .op(of, Action::Artifact(artifact)),
    );
    draft.order(CLIENT, START_KUBELET);
}

fn defaults(node: &Node, of: &mut Sources) -> String {
    let secure = &node.join.secure;
    let mut flags = vec![
        format!("--aad-resource={}", of.read(&secure.resource)),
        format!("--apiserver-fqdn={}", of.read(&node.cluster.server)),
        format!("--cloud-provider-config={AZURE_JSON}"),
    ];
    flags.extend(of.read(&secure.identity).as_ref().map(|id| format!("--user-assigned-identity-id={id}")));
    for (flag, timeout) in &secure.timeouts {
        flags.extend(of.read(timeout).as_ref().map(|timeout| format!("{flag}={timeout}")));
    }
    let line: String = flags.join(" ").chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = format!("BOOTSTRAP_FLAGS={line}\n");
    if *of.read(&node.cloud.custom.enabled) {
        text.push_str("AZURE_ENVIRONMENT_FILEPATH=");
        text.push_str(CUSTOM_ENVIRONMENT);
        text.push('\n');
    }
    text
}
