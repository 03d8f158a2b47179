//! GPUs of VM sizes: who made them, which systems AKS runs them with, and which driver they take.

/// Who made the GPUs of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manufacturer {
    /// NVIDIA; nodes can install the driver themselves.
    Nvidia,
    /// AMD; the user brings the driver.
    Amd,
}

impl Manufacturer {
    /// The value of the manufacturer's label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Nvidia => "nvidia",
            Self::Amd => "amd",
        }
    }
}

/// Operating systems that AKS runs a GPU size with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Systems {
    Ubuntu,
    UbuntuWindows,
    UbuntuAzureLinux3Windows,
    All,
}

impl Systems {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Ubuntu => &["ubuntu"],
            Self::UbuntuWindows => &["ubuntu", "windows"],
            Self::UbuntuAzureLinux3Windows => &["ubuntu", "azurelinux3", "windows"],
            Self::All => &["ubuntu", "azurelinux", "azurelinux3", "windows"],
        }
    }
}

/// Sizes with the same GPUs.
#[derive(Debug, PartialEq, Eq)]
pub struct GpuSizes {
    /// Names between `standard_` and the end, in lower case.
    names: &'static [&'static str],
    manufacturer: Manufacturer,
    systems: Systems,
    /// Whether Azure still lists the sizes; the peer offers none that it has not seen in that list.
    pub is_listed: bool,
}

const fn row(
    is_listed: bool,
    manufacturer: Manufacturer,
    systems: Systems,
    names: &'static [&'static str],
) -> GpuSizes {
    GpuSizes { names, manufacturer, systems, is_listed }
}

use Manufacturer::{Amd, Nvidia};
use Systems::{All, Ubuntu, UbuntuAzureLinux3Windows, UbuntuWindows};

/// The 89 GPU sizes of AKS; others are not offered.
static REGISTRY: [GpuSizes; 27] = [
    row(true, Nvidia, All, &["nc4as_t4_v3", "nc8as_t4_v3", "nc16as_t4_v3", "nc64as_t4_v3"]),
    row(true, Nvidia, All, &["nc6s_v3", "nc12s_v3", "nc24s_v3", "nc24rs_v3"]),
    row(true, Nvidia, All, &["nd40rs_v2"]),
    row(false, Nvidia, All, &["nd40s_v3"]),
    row(true, Nvidia, UbuntuAzureLinux3Windows, &["nc8ads_a10_v4", "nc16ads_a10_v4", "nc32ads_a10_v4"]),
    row(
        true,
        Nvidia,
        UbuntuAzureLinux3Windows,
        &[
            "nv6ads_a10_v5",
            "nv12ads_a10_v5",
            "nv18ads_a10_v5",
            "nv36ads_a10_v5",
            "nv36adms_a10_v5",
            "nv72ads_a10_v5",
        ],
    ),
    row(true, Nvidia, UbuntuAzureLinux3Windows, &["nc24ads_a100_v4", "nc48ads_a100_v4", "nc96ads_a100_v4"]),
    row(true, Nvidia, UbuntuAzureLinux3Windows, &["nc40ads_h100_v5", "nc80adis_h100_v5"]),
    row(true, Nvidia, UbuntuAzureLinux3Windows, &["nd96asr_v4", "nd96amsr_a100_v4"]),
    row(
        false,
        Nvidia,
        UbuntuAzureLinux3Windows,
        &["nd112asr_a100_v4", "nd120asr_a100_v4", "nd112amsr_a100_v4", "nd120amsr_a100_v4"],
    ),
    row(
        false,
        Nvidia,
        UbuntuAzureLinux3Windows,
        &["nd96ams_v4", "nd96ams_a100_v4", "nd96ams_a100_flex_v4", "nd96amsf_a100_v4", "nd96amsrf_a100_v4"],
    ),
    row(true, Nvidia, UbuntuAzureLinux3Windows, &["nd96isr_h100_v5"]),
    row(
        false,
        Nvidia,
        UbuntuAzureLinux3Windows,
        &["nd96is_h100_v5", "nd96is_noib_h100_v5", "nd96is_flex_h100_v5"],
    ),
    row(false, Nvidia, UbuntuAzureLinux3Windows, &["nd96isf_h100_v5", "nd96isrf_h100_v5"]),
    row(true, Nvidia, UbuntuAzureLinux3Windows, &["nd96isr_h200_v5"]),
    row(false, Nvidia, UbuntuAzureLinux3Windows, &["nd96is_h200_v5", "nd96isf_h200_v5", "nd96isrf_h200_v5"]),
    row(true, Nvidia, Ubuntu, &["nd128isr_ndr_gb200_v6", "nd128isr_gb300_v6"]),
    row(
        true,
        Nvidia,
        Ubuntu,
        &[
            "nc24lds_xl_rtxpro6000bse_v6",
            "nc36ds_xl_rtxpro6000bse_v6",
            "nc36lds_xl_rtxpro6000bse_v6",
            "nc72ds_xl_rtxpro6000bse_v6",
            "nc72lds_xl_rtxpro6000bse_v6",
            "nc144ds_xl_rtxpro6000bse_v6",
            "nc144lds_xl_rtxpro6000bse_v6",
            "nc288ds_xl_rtxpro6000bse_v6",
            "nc288lds_xl_rtxpro6000bse_v6",
        ],
    ),
    row(true, Nvidia, UbuntuWindows, &["nv12s_v3", "nv24s_v3", "nv48s_v3"]),
    row(false, Nvidia, UbuntuWindows, &["nc6", "nc12", "nc24", "nc24r"]),
    row(false, Nvidia, UbuntuWindows, &["nc6_promo", "nc12_promo", "nc24_promo", "nc24r_promo"]),
    row(false, Nvidia, UbuntuWindows, &["nc6s_v2", "nc12s_v2", "nc24s_v2", "nc24rs_v2"]),
    row(false, Nvidia, UbuntuWindows, &["nd6s", "nd12s", "nd24s", "nd24rs"]),
    row(false, Nvidia, UbuntuWindows, &["nv6", "nv12", "nv24", "nv24r"]),
    row(false, Nvidia, UbuntuWindows, &["nv6_promo", "nv12_promo", "nv24_promo"]),
    row(
        true,
        Amd,
        Ubuntu,
        &["nv4ads_v710_v5", "nv8ads_v710_v5", "nv12ads_v710_v5", "nv24ads_v710_v5", "nv28adms_v710_v5"],
    ),
    row(true, Amd, Ubuntu, &["nd96isr_mi300x_v5", "nd96is_mi300x_v5"]),
];

/// The GPUs of a size, by its name with or without `_Promo`; `None` where AKS knows none.
pub fn gpu_sizes(vm_size: &str) -> Option<&'static GpuSizes> {
    let name = strip_prefix_folded(vm_size, "standard_")?;
    if !is_of_gpu_family(name) {
        return None;
    }
    let find = |name: &str| {
        REGISTRY.iter().find(|sizes| sizes.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
    };
    strip_suffix_folded(name, "_promo").map_or_else(|| find(name), find)
}

impl GpuSizes {
    /// Who made them.
    pub fn manufacturer(&self) -> Manufacturer {
        self.manufacturer
    }

    /// Whether a node can install the driver itself.
    pub fn installs_driver(&self) -> bool {
        self.manufacturer == Nvidia
    }

    /// The operating systems that AKS runs the sizes with.
    pub fn systems(&self) -> &'static [&'static str] {
        self.systems.names()
    }

    /// Whether AKS runs the sizes with Ubuntu.
    pub fn runs_ubuntu(&self) -> bool {
        self.systems().contains(&"ubuntu")
    }

    /// Whether AKS runs the sizes with some Azure Linux.
    pub fn runs_azure_linux(&self) -> bool {
        self.systems().iter().any(|system| system.starts_with("azurelinux"))
    }
}

/// A kind of GPU driver, and the image that installs it: `aks-gpu-<kind>:<version>-<image_suffix>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GpuDriver {
    /// The kind: `cuda-lts`, `cuda`, `grid` or `grid-v20`.
    pub kind: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The build of the image.
    pub image_suffix: &'static str,
}

const CUDA_LTS: GpuDriver =
    GpuDriver { kind: "cuda-lts", version: "580.159.04", image_suffix: "20260629214430" };
/// The last driver that knows the cards of the first NC sizes.
const CUDA: GpuDriver = GpuDriver { kind: "cuda", version: "470.82.01", image_suffix: "20260629214430" };
const GRID: GpuDriver = GpuDriver { kind: "grid", version: "570.211.01", image_suffix: "20260522192315" };
const GRID_V20: GpuDriver =
    GpuDriver { kind: "grid-v20", version: "595.58.03", image_suffix: "20260609172331" };

/// The driver that a size takes. Sizes without a GPU get the one that most would take; whether it is installed is
/// decided elsewhere. `_Promo` is not cut off here: the peer does not do so either.
pub fn gpu_driver(vm_size: &str) -> GpuDriver {
    let Some(name) = strip_prefix_folded(vm_size, "standard_").filter(|name| is_of_gpu_family(name)) else {
        return CUDA_LTS;
    };
    let is_of = |sizes: &GpuSizes| sizes.names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let card = |card: &str| REGISTRY.iter().any(|sizes| sizes.names[0].contains(card) && is_of(sizes));
    let is_nc = name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("nc"));
    if card("_rtxpro6000bse_") {
        GRID_V20
    } else if card("_a10_") {
        GRID
    } else if is_nc && !name.to_ascii_lowercase().contains("_v") {
        CUDA
    } else {
        CUDA_LTS
    }
}

/// Only the N families have GPUs, and most sizes are none of them.
fn is_of_gpu_family(name: &str) -> bool {
    name.starts_with(['n', 'N'])
}

fn strip_prefix_folded<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn strip_suffix_folded<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(suffix.len())?;
    text.get(at..)?.eq_ignore_ascii_case(suffix).then(|| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_has_82_sizes_of_nvidia_and_7_of_amd_each_once() {
        let of = |manufacturer| {
            REGISTRY
                .iter()
                .filter(move |sizes| sizes.manufacturer == manufacturer)
                .flat_map(|sizes| sizes.names)
        };
        assert_eq!((of(Nvidia).count(), of(Amd).count()), (82, 7));
        let mut names: Vec<_> = REGISTRY.iter().flat_map(|sizes| sizes.names).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 89);
    }

    #[test]
    fn promotions_have_the_gpus_of_their_size() {
        for size in ["Standard_NC6s_v2_Promo", "standard_nc6_PROMO", "STANDARD_NV6"] {
            assert_eq!(gpu_sizes(size).map(GpuSizes::manufacturer), Some(Nvidia), "{size}");
        }
        for size in ["", "Standard_", "Standard_D2_v2", "Standard_NP10s", "NC6", "Standard_NC6é"] {
            assert_eq!(gpu_sizes(size), None, "{size}");
        }
    }

    #[test]
    fn drivers_follow_the_card() {
        for (size, driver) in [
            ("standard_nc8ads_a10_v4", GRID),
            ("Standard_NV36adms_A10_v5", GRID),
            ("Standard_NC24lds_xl_RTXPRO6000BSE_v6", GRID_V20),
            ("standard_nc25lds_xl_rtxpro6000bse_v6", CUDA_LTS),
            ("standard_nc6s", CUDA),
            ("Standard_NC24r_Promo", CUDA),
            ("standard_nc6s_v3", CUDA_LTS),
            ("standard_nv6", CUDA_LTS),
            ("unknown_sku", CUDA_LTS),
        ] {
            assert_eq!(gpu_driver(size), driver, "{size}");
        }
    }
}
