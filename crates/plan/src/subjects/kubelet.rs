//! Kubelet's flags, configuration file, drop-ins and start.

mod flags;
mod labels;
mod settings;
mod traces;

use slipway_model::node::Machine;
use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::{KubeletDefaults, UnitText, kubelet_defaults, kubelet_unit};

use crate::draft::Draft;
use crate::op::{Action, Unit};
use crate::places::{
    AZURE_CONFIG, CLUSTER_CA, CUSTOM_ENVIRONMENT, FIREWALL, KUBELET_CONFIG, KUBELET_DROP_INS, KUBELET_UNIT,
    KUBERNETES_BINARIES, START_CONTAINERD, START_KUBELET,
};
use crate::step::{Step, StepId};

use super::join::credential_flags;

pub(crate) use flags::flags;

const UNIT: &str = "kubelet.service";
const DEFAULTS: &str = "/etc/default/kubelet";
const SETTINGS: &str = "/etc/default/kubeletconfig.json";
const RESERVED: StepId = StepId("reserved-slices");
const SLICE: &str = "kubereserved.slice";

/// What kubelet finds there is others' to fill.
const DIRECTORIES: [&str; 4] =
    ["/etc/kubernetes/manifests", "/etc/kubernetes/volumeplugins", "/var/lib/kubelet", "/var/lib/cni"];

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    draft.add(unit(node));
    let config = config(node, facts, draft);
    draft.add(config);
    reserved_slices(node, draft);
    let mut of = Sources::none();
    let traces = traces::traces(node, &mut of);
    let mut needs = vec![KUBERNETES_BINARIES, KUBELET_UNIT, KUBELET_CONFIG, CLUSTER_CA];
    if node.machine == Machine::Image {
        needs.push(AZURE_CONFIG);
    }
    draft.add(
        Step::join(START_KUBELET, "start kubelet")
            .or_fail(ExitReason::KubeletStart)
            .after(&needs)
            .op(of, Action::Traces(traces))
            .unit(Sources::none(), UNIT),
    );
    // Kubelet's unit waits for these two; the jobs have to come in the same order.
    draft.order(START_CONTAINERD, START_KUBELET);
    draft.order(FIREWALL, START_KUBELET);
}

fn drop_in(step: Step, of: Sources, name: &str, mode: u32, text: UnitText) -> Step {
    step.file(of, format!("{KUBELET_DROP_INS}/{name}"), mode, text.finish())
}

fn service() -> UnitText {
    UnitText::section("Service")
}

/// What does not belong to one node: the unit, its directories, and how it finds the runtime.
fn unit(node: &Node) -> Step {
    let mut step = Step::bake(KUBELET_UNIT, "describe kubelet's unit").or_fail(ExitReason::KubeletStart);
    for path in DIRECTORIES {
        step = step.directory(Sources::none(), path, 0o755);
    }
    step = step.file(Sources::none(), "/etc/systemd/system/kubelet.service", 0o600, kubelet_unit());

    let mut of = Sources::none();
    let slice = if reserves(node, &mut of) { SLICE } else { "system.slice" };
    let runtime = format!(
        "--runtime-request-timeout=15m --container-runtime-endpoint=unix:///run/containerd/containerd.sock \
         --runtime-cgroups=/{slice}/containerd.service"
    );
    let text = service().environment("KUBELET_CONTAINERD_FLAGS", &runtime);
    step = drop_in(step, of, "10-containerd-base-flag.conf", 0o644, text);

    let mut of = Sources::none();
    let version = of.read(&node.cluster.kubernetes);
    if !version.is_at_least(1, 27) {
        let text = service().environment("KUBELET_CONTAINER_RUNTIME_FLAG", "--container-runtime=remote");
        step = drop_in(step, of.clone(), "10-container-runtime-flag.conf", 0o644, text);
    }
    if version.is_at_least(1, 32) {
        step = drop_in(step, of, "10-watchdog.conf", 0o644, service().set("WatchdogSec", "60s"));
    }
    let mut of = Sources::none();
    if *of.read(&node.kubelet.cgroup_v2) {
        let text = service().environment("KUBELET_CGROUP_FLAGS", "--cgroup-driver=systemd");
        step = drop_in(step, of, "10-cgroupv2.conf", 0o644, text);
    }
    let mut of = Sources::none();
    if *of.read(&node.kubelet.has_file) {
        let argument = format!("--config {SETTINGS}");
        let text = service().environment("KUBELET_CONFIG_FILE_FLAGS", &argument);
        step = drop_in(step, of, "10-componentconfig.conf", 0o600, text);
    }
    let mut of = Sources::none();
    let arguments = credential_flags(node, &mut of);
    let text = service().environment("KUBELET_TLS_BOOTSTRAP_FLAGS", &arguments);
    drop_in(step, of, "10-tlsbootstrap.conf", 0o600, text)
}

/// What makes this kubelet the one of this node.
fn config(node: &Node, facts: &Facts, draft: &mut Draft) -> Step {
    let mut of = Sources::none();
    let flags = flags(node, facts, &mut of);
    let labels = labels::labels(node, facts, &mut of);
    draft.explain_all(flags.iter().map(|flag| flag.explained(DEFAULTS)));
    draft.explain_all(labels.iter().map(|label| label.explained(DEFAULTS)));
    let custom = *of.read(&node.cloud.custom.enabled);
    let text = kubelet_defaults(KubeletDefaults {
        flags: &flags.iter().map(flags::Flag::text).collect::<Vec<_>>(),
        labels: &labels.iter().map(labels::Label::text).collect::<Vec<_>>(),
        network_policy: of.read(&node.network.policy).word(),
        environment: custom.then_some(CUSTOM_ENVIRONMENT),
    });
    let mut step = Step::join(KUBELET_CONFIG, "configure kubelet")
        .or_fail(ExitReason::KubeletStart)
        .file(of, DEFAULTS, 0o600, text);

    let mut of = Sources::none();
    if *of.read(&node.kubelet.has_file) {
        let settings = settings::settings(node, facts, &mut of);
        draft.explain_all(settings.iter().map(|setting| setting.explained(SETTINGS)));
        step = step.file(of, SETTINGS, 0o600, settings::text(&settings));
    }
    step
}

/// Whether kubelet keeps resources for the system's own services, and so needs them in slices of their own.
fn reserves(node: &Node, of: &mut Sources) -> bool {
    let mut reserves = false;
    for flag in ["--kube-reserved-cgroup", "--system-reserved-cgroup"] {
        reserves |= node.kubelet.flags.get(flag).is_some_and(|value| !of.read(value).is_empty());
    }
    for setting in &node.kubelet.settings {
        let named = matches!(setting.path.as_slice(), [name] if name == "kubeReservedCgroup" || name == "systemReservedCgroup");
        if named && *of.read(&node.kubelet.has_file) {
            of.read(&setting.value);
            reserves = true;
        }
    }
    reserves
}

/// A unit in a slice starts the slice, so it is only enabled here.
fn reserved_slices(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    if !reserves(node, &mut of) {
        return;
    }
    let slice = UnitText::section("Unit")
        .set("Description", "Services that Kubernetes runs on")
        .set("Before", "slices.target")
        .and("Install")
        .set("WantedBy", "slices.target")
        .finish();
    let member =
        UnitText::section("Unit").set("Wants", SLICE).set("After", SLICE).and("Service").set("Slice", SLICE);
    let member = member.finish();
    let mut step = Step::bake(RESERVED, "keep kubelet and containerd in a slice of their own")
        .or_fail(ExitReason::KubeletStart)
        .because(&of)
        .file(of.clone(), format!("/etc/systemd/system/{SLICE}"), 0o644, slice);
    for unit in ["kubelet", "containerd"] {
        let path = format!("/etc/systemd/system/{unit}.service.d/10-kubereserved-slice.conf");
        step = step.file(of.clone(), path, 0o644, member.clone());
    }
    let at_boot =
        Unit { name: SLICE.to_owned(), verb: None, enabled: Some(true), wait: None, required: true };
    draft.add(step.op(of, Action::Unit(at_boot)));
    draft.order(RESERVED, START_CONTAINERD);
    draft.order(RESERVED, START_KUBELET);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{facts, lines, plain, text, with};

    #[test]
    fn a_plain_kubelet_is_made_of_these() {
        assert_eq!(
            lines(steps, &plain(), &facts()),
            [
                "kubelet-unit directory /etc/kubernetes/manifests 0755",
                "kubelet-unit directory /etc/kubernetes/volumeplugins 0755",
                "kubelet-unit directory /var/lib/kubelet 0755",
                "kubelet-unit directory /var/lib/cni 0755",
                "kubelet-unit file /etc/systemd/system/kubelet.service 0600",
                "kubelet-unit file /etc/systemd/system/kubelet.service.d/10-containerd-base-flag.conf 0644",
                "kubelet-unit file /etc/systemd/system/kubelet.service.d/10-watchdog.conf 0644",
                "kubelet-unit file /etc/systemd/system/kubelet.service.d/10-tlsbootstrap.conf 0600",
                "kubelet-config file /etc/default/kubelet 0600",
                "start-kubelet traces kubelet.service",
                "start-kubelet unit kubelet.service Some(Restart) enabled Some(true)",
            ]
        );
    }

    #[test]
    fn reserved_cgroups_put_kubelet_and_containerd_into_a_slice() {
        let node =
            with(r#""kubelet_config":{"kubelet_flags":{"--kube-reserved-cgroup":"/kubereserved.slice"}}"#);
        let drop_in = "/etc/systemd/system/kubelet.service.d/10-containerd-base-flag.conf";
        assert!(
            text(steps, &node, &facts(), drop_in)
                .contains("--runtime-cgroups=/kubereserved.slice/containerd.service")
        );
        let lines = lines(steps, &node, &facts());
        assert!(lines.contains(
            &"reserved-slices file /etc/systemd/system/containerd.service.d/10-kubereserved-slice.conf 0644".to_owned()
        ));
        assert!(
            lines.contains(&"reserved-slices unit kubereserved.slice None enabled Some(true)".to_owned())
        );
    }

    #[test]
    fn versions_and_control_groups_choose_drop_ins() {
        let node = with(r#""kubernetes_version":"1.26.3","needs_cgroupv2":true"#);
        let lines = lines(steps, &node, &facts()).join("\n");
        assert!(
            lines.contains("10-container-runtime-flag.conf") && lines.contains("10-cgroupv2.conf"),
            "{lines}"
        );
        assert!(!lines.contains("10-watchdog.conf"), "{lines}");
    }
}
