//! GPU drivers and their services.

use std::time::Duration;

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::{GpuImages, gpu_driver, needs_fabric_manager};

use crate::draft::Draft;
use crate::machine::{Distro, has_tag};
use crate::op::{Action, Await, Program};
use crate::places::{START_CONTAINERD, START_KUBELET};
use crate::plan::Refusal;
use crate::step::{Step, StepId};

use super::containerd;
use super::units::image_unit;

/// The driver is installed and answers.
pub(crate) const DRIVER: StepId = StepId("gpu-driver");

/// The tag with which a VM asks for managed GPU services.
const MANAGED_TAG: &str = "EnableManagedGPUExperience";
/// Building a driver's modules takes minutes.
const INSTALLATION: Duration = Duration::from_mins(10);
const CHECK: Duration = Duration::from_mins(1);

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut why = Sources::none();
    if !containerd::uses_gpu(&mut why, node, facts) {
        return;
    }
    if has_tag(facts, &mut why, MANAGED_TAG) {
        draft.refuse(Refusal {
            what: "imds".into(),
            message: format!(
                "the VM's tag {MANAGED_TAG} asks for managed GPU services, which are installed from packages"
            ),
            hint: "remove the tag, or use `--mode scripts`".into(),
        });
    }
    let mut step = Step::join(DRIVER, "make the GPU usable").or_fail(ExitReason::GpuDriver).because(&why);
    let mut of = why.clone();
    if *of.read(&node.gpu.install_driver) {
        match installation(&mut of, node, facts) {
            Ok(install) => {
                step = step
                    .after(&[START_CONTAINERD])
                    .taking(INSTALLATION + CHECK)
                    .directory(of.clone(), "/opt/actions", 0o755)
                    .directory(of.clone(), "/opt/gpu", 0o755)
                    .op(of.clone(), Action::Await(Await::Socket(containerd::SOCKET.into())))
                    .op(of.clone(), install)
                    .op(of, program("/sbin/ldconfig", &[], CHECK, true));
            }
            Err(refusal) => draft.refuse(refusal),
        }
    }
    step = step
        .op(why.clone(), image_unit("nvidia-modprobe.service"))
        .op(why.clone(), program("/usr/bin/nvidia-smi", &[], CHECK, true));
    draft.add(step);
    // Containers run in the driver's runtime by default: none works before the driver does.
    draft.order(DRIVER, START_KUBELET);
    let mut of = why;
    if needs_fabric_manager(of.read(&node.system.size).as_str()) {
        draft.add(
            Step::join(StepId("gpu-fabric"), "connect the GPUs with each other")
                .or_degrade(ExitReason::GpuDriver)
                .after(&[DRIVER])
                .because(&of)
                .unit(of, "nvidia-fabricmanager.service"),
        );
    }
}

/// The container that installs the driver. The image holds it: the same manifest names it.
fn installation(of: &mut Sources, node: &Node, facts: &Facts) -> Result<Action, Refusal> {
    if !matches!(Distro::of(facts, of), Distro::Ubuntu | Distro::Other) {
        return Err(Refusal {
            what: "gpu_config.config_gpu_driver".into(),
            message:
                "on this system GPU drivers are installed from packages, which the native path does not do"
                    .into(),
            hint: "use an image with the driver and leave config_gpu_driver unset, or use `--mode scripts`"
                .into(),
        });
    }
    let manifest = of.fact("components", &facts.components).as_ref();
    let images = manifest.map(|text| GpuImages::from_manifest(&text.0)).transpose();
    let images = images.ok().flatten().unwrap_or_default();
    let driver = gpu_driver(of.read(&node.system.size).as_str(), &images);
    if driver.version.is_empty() || driver.image.is_empty() {
        return Err(Refusal {
            what: "components".into(),
            message: format!("the image's manifest names no container for the GPU driver {}", driver.kind),
            hint: "use an image that holds it; `slipway facts` shows the manifest".into(),
        });
    }
    let image = format!("mcr.microsoft.com/aks/aks-gpu-{}:{}-{}", driver.kind, driver.version, driver.image);
    let arguments = [
        "-n",
        "k8s.io",
        "run",
        "--privileged",
        "--rm",
        "--net-host",
        "--with-ns",
        "pid:/proc/1/ns/pid",
        "--mount",
        "type=bind,src=/opt/gpu,dst=/mnt/gpu,options=rbind",
        "--mount",
        "type=bind,src=/opt/actions,dst=/mnt/actions,options=rbind",
        &image,
        "gpuinstall",
        "/entrypoint.sh",
        "install",
    ];
    Ok(program("/usr/bin/ctr", &arguments, INSTALLATION, false))
}

fn program(path: &str, arguments: &[&str], within: Duration, repeatable: bool) -> Action {
    Action::Program(Program {
        path: path.into(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        input: None,
        within,
        repeatable,
        undo: None,
    })
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, plan, step, try_plan};

    const GPU: &str = r#"{"version":"v1","vm_size":"Standard_ND96asr_v4","gpu_config":{"enable_nvidia":true,"config_gpu_driver":true}}"#;
    const IMAGE: &str = r#"{"os":{"id":"ubuntu"},"components":{"GPUContainerImages":[{"downloadURL":"mcr/aks/aks-gpu-cuda-lts:*","gpuVersion":{"latestVersion":"580.1-20260101"}},{"downloadURL":"mcr/aks/aks-gpu-grid:*","gpuVersion":{"latestVersion":"570.1-20260102"}}]}}"#;

    #[test]
    fn the_driver_is_installed_by_the_container_that_the_image_holds() {
        let plan = plan(GPU, IMAGE);
        let text = step(&plan, "gpu-driver");
        assert!(text.contains(
            "mcr.microsoft.com/aks/aks-gpu-cuda-lts:580.1-20260101 gpuinstall /entrypoint.sh install\n"
        ));
        assert!(
            text.ends_with("restart enable nvidia-modprobe.service if there\nrun /usr/bin/nvidia-smi \n")
        );
        assert_eq!(
            step(&plan, "gpu-fabric"),
            "Join or degrade 84\nrestart enable nvidia-fabricmanager.service\n"
        );
        let a10 = GPU.replace("Standard_ND96asr_v4", "Standard_NV36ads_A10_v5");
        assert_named("vm_size", GPU, &a10, IMAGE);
        assert_named(
            "gpu_config.config_gpu_driver",
            GPU,
            &GPU.replace("driver\":true", "driver\":false"),
            IMAGE,
        );
        assert_named("gpu_config.enable_nvidia", GPU, &GPU.replace("nvidia\":true", "nvidia\":false"), IMAGE);
    }

    #[test]
    fn what_cannot_be_installed_is_refused_with_a_way_out() {
        for (facts, part) in
            [("{}", "names no container"), (r#"{"os":{"id":"azurelinux"}}"#, "from packages")]
        {
            assert!(try_plan(GPU, facts).unwrap_err().to_string().contains(part), "{facts}");
        }
        let tagged = IMAGE.replacen(
            '{',
            r#"{"imds":{"compute":{"tagsList":[{"name":"EnableManagedGPUExperience","value":"true"}]}},"#,
            1,
        );
        assert!(try_plan(GPU, &tagged).unwrap_err().to_string().contains("managed GPU"));
    }
}
