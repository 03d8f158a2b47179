//! GPU drivers and their services.

use std::time::Duration;

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::{GpuImages, gpu_driver, needs_fabric_manager};

use crate::draft::Draft;
use crate::machine::{Distro, has_tag};
use crate::op::{Action, Await, Program};
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
    if has_tag(&mut why, facts, MANAGED_TAG) {
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
                    .after(&[containerd::START])
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
    if !matches!(Distro::of(of, facts), Distro::Ubuntu | Distro::Other) {
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
