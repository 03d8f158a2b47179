//! The container runtime: configuration, drop-ins, registry mirrors, start.

use slipway_model::node::{Plugin, Policy};
use slipway_model::{Containerd, ExitReason, Facts, Mode, Node, Sources};
use slipway_render::{
    CHINA_LEGACY_REGISTRY, Cloud, ContainerdConfig, Family, MICROSOFT_REGISTRY, Ulimits, UnitText, Variant,
    china_legacy_registry, containerd_config, containerd_ulimits, mirrored_registry,
};

use crate::draft::Draft;
use crate::machine::has_tag;
use crate::plan::Refusal;
use crate::step::{Step, StepId};

use super::{cni, kernel, trust};

/// containerd is asked to run.
pub(crate) const START: StepId = StepId("start-containerd");
/// Where containerd answers.
pub(crate) const SOCKET: &str = "/run/containerd/containerd.sock";

const CONFIG: StepId = StepId("containerd-config");
/// The tag with which a VM's owner keeps AKS's driver away from the GPU.
const SKIP_DRIVER_TAG: &str = "SkipGpuDriverInstall";
/// The soft limit is 1024 without it, since containerd 2 leaves it to systemd.
const OPEN_FILES: &str = "1048576";

/// What bridges and routing need of the kernel, and whether a kernel without it is of no use.
const FORWARDING: [(&str, bool); 4] = [
    ("net.ipv4.ip_forward", true),
    ("net.ipv4.conf.all.forwarding", true),
    ("net.ipv6.conf.all.forwarding", false),
    ("net.bridge.bridge-nf-call-iptables", true),
];

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    configuration(node, facts, draft);
    forwarding(draft);
    let mut of = Sources::none();
    let mut needs = vec![CONFIG, kernel::MODULES, cni::DIRECTORIES];
    // containerd reads the system's certificates once.
    if trust::is_needed(&mut of, node) {
        needs.push(trust::STEP);
    }
    draft.add(
        Step::join(START, "start containerd")
            .or_fail(ExitReason::UnitStart)
            .after(&needs)
            .unit(Sources::none(), "containerd.service"),
    );
}

/// Whether pods reach the GPU through NVIDIA's runtime: the node asks for it and the VM's tags do not forbid it.
pub(crate) fn uses_gpu(of: &mut Sources, node: &Node, facts: &Facts) -> bool {
    *of.read(&node.gpu.nvidia) && !has_tag(of, facts, SKIP_DRIVER_TAG)
}

/// Whether containerd fills in kubenet's network configuration.
pub(crate) fn bridges(of: &mut Sources, node: &Node) -> bool {
    *of.read(&node.network.plugin) == Plugin::Kubenet && *of.read(&node.network.policy) != Policy::Calico
}

fn configuration(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut step = Step::bake(CONFIG, "configure containerd").or_fail(ExitReason::FileMissing);
    let mut of = Sources::none();
    match main_file(&mut of, node, facts) {
        Ok(text) => step = step.file(of, "/etc/containerd/config.toml", 0o644, text),
        Err(error) => draft.refuse(Refusal {
            what: "is_kata".into(),
            message: error.to_string(),
            hint: "set only one of is_kata and enable_artifact_streaming".into(),
        }),
    }
    let drop_in = UnitText::section("Service")
        .set("ExecStartPost", "/sbin/iptables -P FORWARD ACCEPT")
        .set("LimitNOFILE", OPEN_FILES);
    step = step.file(
        Sources::none(),
        "/etc/systemd/system/containerd.service.d/exec_start.conf",
        0o644,
        drop_in.finish(),
    );
    step = mirrors(step, node);
    match limits(node) {
        Ok(Some((of, text))) => {
            step = step.file(of, "/etc/systemd/system/containerd.service.d/set_ulimits.conf", 0o600, text);
        }
        Ok(None) => {}
        Err(refusal) => draft.refuse(refusal),
    }
    draft.add(step);
}

fn main_file(
    of: &mut Sources,
    node: &Node,
    facts: &Facts,
) -> Result<String, slipway_render::ContainerdError> {
    let runtime = &node.runtime;
    let family = match of.fact("containerd", &facts.containerd) {
        Containerd::Version(version) => Family::of_version(version, Mode::Ours),
        Containerd::Unknown | Containerd::Missing => {
            Family::of_version(of.read(&runtime.version).as_str(), Mode::Ours)
        }
    };
    // The text for GPUs is also the one for a node that has none: they differ only where there is one to leave alone.
    let nvidia = *of.read(&node.gpu.nvidia);
    let variant = if nvidia && !uses_gpu(of, node, facts) { Variant::NoGpu } else { Variant::Gpu };
    let config = ContainerdConfig {
        family,
        root: of.read(&runtime.data_directory).as_str(),
        sandbox_image: of.read(&runtime.sandbox_image).as_str(),
        kata: *of.read(&runtime.kata),
        artifact_streaming: *of.read(&runtime.artifact_streaming),
        nvidia,
        cgroup_v2: *of.read(&runtime.cgroup_v2),
        kubenet_bridge: bridges(of, node),
        registry_hosts: true,
    };
    containerd_config(&config, variant, Mode::Ours)
}

/// A network-isolated cluster has one registry for all; in China, an old name leads to the registry there.
fn mirrors(step: Step, node: &Node) -> Step {
    let path = |registry: &str| format!("/etc/containerd/certs.d/{registry}/hosts.toml");
    let mut of = Sources::none();
    if let Some(mirror) = of.read(&node.cluster.registry_mirror) {
        return step.file(of, path(MICROSOFT_REGISTRY), 0o644, mirrored_registry(mirror));
    }
    if *of.read(&node.cloud.custom.enabled)
        || Cloud::of_location(of.read(&node.cloud.location).as_str()) != Cloud::China
    {
        return step;
    }
    step.file(of, path(CHINA_LEGACY_REGISTRY), 0o644, china_legacy_registry())
}

fn limits(node: &Node) -> Result<Option<(Sources, String)>, Refusal> {
    let mut of = Sources::none();
    let open_files = of.read(&node.runtime.open_files).as_deref();
    let locked_memory = of.read(&node.runtime.locked_memory).as_deref();
    if open_files.is_none() && locked_memory.is_none() {
        return Ok(None);
    }
    match containerd_ulimits(Ulimits { open_files, locked_memory }, Mode::Ours) {
        Ok(line) => Ok(Some((of, line.replace(' ', "\n")))),
        Err(error) => Err(Refusal {
            what: "custom_linux_os_config.ulimit_config".into(),
            message: error.to_string(),
            hint: "give one limit, such as 1048576 or 1024:4096".into(),
        }),
    }
}

fn forwarding(draft: &mut Draft) {
    let mut step = Step::join(StepId("forwarding"), "let the node forward packets")
        .or_fail(ExitReason::Sysctl)
        .after(&[kernel::MODULES]);
    let mut text = String::new();
    for (name, required) in FORWARDING {
        text.push_str(name);
        text.push_str(" = 1\n");
        step = step.sysctl(Sources::none(), name, "1", required);
    }
    draft.add(
        Step::bake(StepId("forwarding-file"), "let the node forward packets after each boot")
            .or_fail(ExitReason::Sysctl)
            .file(Sources::none(), "/etc/sysctl.d/99-force-bridge-forward.conf", 0o644, text),
    );
    draft.add(step);
}
