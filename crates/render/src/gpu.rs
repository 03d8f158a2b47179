//! Which GPU driver a size of machine takes.

use crate::fold::lowercase;
use crate::manifest::{GpuImage, GpuImages};

/// Sizes with RTX PRO 6000 cards: `standard_nc` + this + `_xl_rtxpro6000bse_v6`.
const RTX_PRO_6000: [&str; 15] = [
    "24lds", "36ds", "36lds", "72ds", "72lds", "144ds", "144lds", "288ds", "288lds", "128ds", "128lds",
    "256ds", "256lds", "320ds", "320lds",
];

/// Sizes whose A10 cards are virtualised.
const CONVERGED_A10: [&str; 9] = [
    "standard_nv6ads_a10_v5",
    "standard_nv12ads_a10_v5",
    "standard_nv18ads_a10_v5",
    "standard_nv36ads_a10_v5",
    "standard_nv72ads_a10_v5",
    "standard_nv36adms_a10_v5",
    "standard_nc8ads_a10_v4",
    "standard_nc16ads_a10_v4",
    "standard_nc32ads_a10_v4",
];

/// The last driver that knows the cards of the first NC sizes.
const NC_V1_DRIVER: &str = "cuda-470.82.01";

/// The driver for a machine's GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuDriver<'a> {
    /// The kind of driver: `cuda-lts`, `cuda`, `grid`, `grid-v20`.
    pub kind: &'static str,
    /// Its version.
    pub version: &'a str,
    /// The build of the image that installs it.
    pub image: &'a str,
}

/// The driver for a size. Sizes without a GPU get the one that most would take: the scripts decide whether to use it.
pub fn gpu_driver<'a>(vm_size: &str, images: &'a GpuImages) -> GpuDriver<'a> {
    let driver = |kind, image: &'a GpuImage| GpuDriver { kind, version: &image.driver, image: &image.build };
    let size = lowercase(vm_size);
    if is_rtx_pro_6000(&size) {
        driver("grid-v20", &images.grid_v20)
    } else if CONVERGED_A10.contains(&&*size) {
        driver("grid", &images.grid)
    } else if size.starts_with("standard_nc") && !size.contains("_v") {
        GpuDriver { kind: "cuda", version: NC_V1_DRIVER, image: &images.cuda_lts.build }
    } else {
        driver("cuda-lts", &images.cuda_lts)
    }
}

fn is_rtx_pro_6000(size: &str) -> bool {
    size.strip_prefix("standard_nc")
        .and_then(|rest| rest.strip_suffix("_xl_rtxpro6000bse_v6"))
        .is_some_and(|middle| RTX_PRO_6000.contains(&middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_lead_to_drivers() {
        let image = |driver: &str| GpuImage { driver: driver.into(), build: format!("b-{driver}") };
        let images = GpuImages { cuda_lts: image("lts"), grid: image("grid"), grid_v20: image("v20") };
        for (size, kind, version, build) in [
            ("", "cuda-lts", "lts", "b-lts"),
            ("Standard_D2s_v5", "cuda-lts", "lts", "b-lts"),
            ("Standard_NC6", "cuda", NC_V1_DRIVER, "b-lts"),
            ("Standard_NC24r_Promo", "cuda", NC_V1_DRIVER, "b-lts"),
            ("Standard_NC6s_v3", "cuda-lts", "lts", "b-lts"),
            ("Standard_NV36adms_A10_v5", "grid", "grid", "b-grid"),
            ("standard_nc144lds_XL_rtxpro6000bse_v6", "grid-v20", "v20", "b-v20"),
            ("standard_nc145lds_xl_rtxpro6000bse_v6", "cuda-lts", "lts", "b-lts"),
        ] {
            assert_eq!(gpu_driver(size, &images), GpuDriver { kind, version, image: build }, "{size}");
        }
    }
}
