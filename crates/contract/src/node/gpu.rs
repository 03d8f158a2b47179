use slipway_model::node::Gpu;

use super::{Fate, Refused, take};
use crate::Contract;

const PARTS: &str =
    "partitioning a GPU ends in a reboot, which the native path does not do: use `--mode scripts`";
const MANAGED: &str = "managed GPU services are installed from packages, which the native path does not do: use `--mode scripts`";
const UNREAD: &str = "no script reads it";

/// What becomes of the fields that this file reads.
pub(super) const FATES: &[(&str, Fate)] = &[
    ("gpu_config.enable_nvidia", Fate::Honoured),
    ("gpu_config.config_gpu_driver", Fate::Honoured),
    ("gpu_config.gpu_device_plugin", Fate::Image(UNREAD)),
    ("gpu_config.gpu_instance_profile", Fate::Refused(PARTS)),
    ("gpu_config.enable_amd_gpu", Fate::Image(UNREAD)),
    (
        "gpu_config.managed_gpu_experience_afec_enabled",
        Fate::Image("it only permits what enable_managed_gpu asks for"),
    ),
    ("gpu_config.enable_managed_gpu", Fate::Refused(MANAGED)),
    ("gpu_config.mig_strategy", Fate::Image("only managed GPU services read it")),
    ("gpu_config.mig_profile_layout", Fate::Refused(PARTS)),
    ("gpu_config.enable_managed_gpu_dra", Fate::Refused(MANAGED)),
];

pub(super) fn read(contract: &Contract, refused: &mut Vec<Refused>) -> Gpu {
    if let Some(gpu) = &contract.gpu_config {
        for (asked, path, reason) in [
            (!gpu.gpu_instance_profile.is_empty(), "gpu_config.gpu_instance_profile", PARTS),
            (!gpu.mig_profile_layout.is_empty(), "gpu_config.mig_profile_layout", PARTS),
            (gpu.enable_managed_gpu, "gpu_config.enable_managed_gpu", MANAGED),
            (gpu.enable_managed_gpu_dra, "gpu_config.enable_managed_gpu_dra", MANAGED),
        ] {
            if asked {
                refused.push(Refused { path: path.into(), reason: reason.into() });
            }
        }
    }
    Gpu {
        nvidia: take!(contract, gpu_config.enable_nvidia).map(|on| *on == Some(true)),
        install_driver: take!(contract, gpu_config.config_gpu_driver),
    }
}
