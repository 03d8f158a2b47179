//! The container runtime: configuration, drop-ins, registry mirrors, start.

use slipway_model::node::{Plugin, Policy};
use slipway_model::{Containerd, ExitReason, Facts, Mode, Node, Sources};
use slipway_render::{
    CHINA_LEGACY_REGISTRY, Cloud, ContainerdConfig, Family, MICROSOFT_REGISTRY, Ulimits, UnitText, Variant,
    china_legacy_registry, containerd_config, containerd_ulimits, containerd_unit, mirrored_registry,
};

use crate::draft::Draft;
use crate::machine::has_tag;
use crate::op::{Action, Traces};
use crate::places::START_CONTAINERD;
use crate::plan::Refusal;
use crate::step::{Step, StepId};

use super::{cni, kernel, supplies};

/// Where containerd answers.
pub const SOCKET: &str = "/run/containerd/containerd.sock";

const UNIT: &str = "containerd.service";
/// Where containerd keeps images and containers, unless it is told otherwise.
const DATA: &str = "/var/lib/containerd";
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
    let traces = traces(&mut of, node, facts);
    draft.add(
        Step::join(START_CONTAINERD, "start containerd")
            .or_fail(ExitReason::UnitStart)
            .after(&[CONFIG, kernel::MODULES, cni::DIRECTORIES])
            .op(of, Action::Traces(traces))
            .unit(Sources::none(), UNIT),
    );
}

/// Containerd makes a directory for programs that it may be told to install. What it keeps goes with it, if we brought it.
fn traces(of: &mut Sources, node: &Node, facts: &Facts) -> Traces {
    let mut directories = vec!["/opt/containerd".into()];
    if supplies::brings_runtime(node, facts, of) {
        let kept = of.read(&node.runtime.data_directory).as_str();
        directories.push(if kept.is_empty() { DATA.into() } else { kept.into() });
    }
    Traces { directories, ..Traces::of(UNIT) }
}

/// Whether pods reach the GPU through NVIDIA's runtime: the node asks for it and the VM's tags do not forbid it.
pub(crate) fn uses_gpu(of: &mut Sources, node: &Node, facts: &Facts) -> bool {
    *of.read(&node.gpu.nvidia) && !has_tag(facts, of, SKIP_DRIVER_TAG)
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
    let mut of = Sources::none();
    if supplies::brings_runtime(node, facts, &mut of) {
        step = step.file(of, "/etc/systemd/system/containerd.service", 0o644, containerd_unit());
    }
    let drop_in = UnitText::section("Service").set("LimitNOFILE", OPEN_FILES);
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

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step, try_plan};

    const GPU: &str = r#"{"version":"v1","gpu_config":{"enable_nvidia":true}}"#;

    #[test]
    fn a_plain_node_gets_its_runtime_configured_and_started() {
        let plan = plan(r#"{"version":"v1"}"#, r#"{"containerd":{"version":"2.0.0"}}"#);
        assert_eq!(
            step(&plan, "containerd-config"),
            "Bake or fail 6\nfile /etc/containerd/config.toml 644\n\
             file /etc/systemd/system/containerd.service.d/exec_start.conf 644\n"
        );
        assert!(file(&plan, "/etc/containerd/config.toml").contains("io.containerd.cri.v1.runtime"));
        assert_eq!(
            step(&plan, "start-containerd"),
            "Join or fail 4\ntraces containerd.service\nrestart enable containerd.service\n"
        );
        assert_eq!(file(&plan, "/etc/sysctl.d/99-force-bridge-forward.conf").lines().count(), 4);
        assert!(step(&plan, "forwarding").contains("set /proc/sys/net/ipv4/ip_forward=1\n"));
    }

    #[test]
    fn the_tag_that_keeps_drivers_away_keeps_the_runtime_of_gpus_away_too() {
        let tagged = r#"{"imds":{"compute":{"tagsList":[{"name":"skipgpudriverinstall","value":"True"}]}}}"#;
        let config = |facts| plan_text(GPU, facts);
        assert!(config("{}").contains("nvidia-container-runtime"));
        assert!(!config(tagged).contains("nvidia"));
    }

    fn plan_text(contract: &str, facts: &str) -> String {
        file(&plan(contract, facts), "/etc/containerd/config.toml").to_owned()
    }

    #[test]
    fn the_contract_decides_the_family_only_where_the_machine_does_not() {
        let asked = r#"{"version":"v1","containerd_config":{"containerd_version":"2.1.0"}}"#;
        assert!(plan_text(asked, "{}").contains("cri.v1.runtime"));
        assert!(!plan_text(asked, r#"{"containerd":{"version":"1.7.1"}}"#).contains("cri.v1.runtime"));
    }

    #[test]
    fn registries_are_mirrored_where_the_cluster_or_the_cloud_says_so() {
        let isolated = r#"{"version":"v1","bootstrap_profile_container_registry_server":"r.azurecr.io/x"}"#;
        let hosts = "/etc/containerd/certs.d/mcr.microsoft.com/hosts.toml";
        assert!(file(&plan(isolated, "{}"), hosts).contains("https://r.azurecr.io/v2/x"));
        let china = r#"{"version":"v1","cluster_config":{"location":"chinaeast2"}}"#;
        let hosts = "/etc/containerd/certs.d/mcr.azk8s.cn/hosts.toml";
        assert!(file(&plan(china, "{}"), hosts).contains("https://mcr.azure.cn"));
        assert_named("cluster_config.location", china, r#"{"version":"v1"}"#, "{}");
    }

    #[test]
    fn limits_are_a_drop_in_of_their_own() {
        let limited = r#"{"version":"v1","custom_linux_os_config":{"ulimit_config":{"no_file":"1:2","max_locked_memory":"3"}}}"#;
        let path = "/etc/systemd/system/containerd.service.d/set_ulimits.conf";
        assert_eq!(file(&plan(limited, "{}"), path), "[Service]\nLimitMEMLOCK=3\nLimitNOFILE=1:2\n");
        assert_named("custom_linux_os_config.ulimit_config.no_file", limited, r#"{"version":"v1"}"#, "{}");
        let odd = limited.replace("1:2", "1 2");
        assert!(try_plan(&odd, "{}").unwrap_err().to_string().contains("LimitNOFILE"));
    }

    #[test]
    fn what_excludes_each_other_is_refused_and_every_switch_is_named() {
        let both = r#"{"version":"v1","is_kata":true,"enable_artifact_streaming":true}"#;
        assert!(try_plan(both, "{}").unwrap_err().to_string().contains("exclude each other"));
        for (field, value) in [
            ("is_kata", "true"),
            ("enable_artifact_streaming", "true"),
            ("needs_cgroupv2", "true"),
            ("kubelet_config", r#"{"container_data_dir":"/mnt/c"}"#),
            ("kube_binary_config", r#"{"pod_infra_container_image_url":"p:1"}"#),
        ] {
            let leaf = match field {
                "kubelet_config" => "kubelet_config.container_data_dir",
                "kube_binary_config" => "kube_binary_config.pod_infra_container_image_url",
                field => field,
            };
            let changed = format!(r#"{{"version":"v1","{field}":{value}}}"#);
            assert_named(leaf, r#"{"version":"v1"}"#, &changed, r#"{"containerd":{"version":"1.7.1"}}"#);
        }
    }
}
