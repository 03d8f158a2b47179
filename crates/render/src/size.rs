//! What the size of a machine says about its devices, beyond the GPU driver.

use crate::fold::lowercase;

/// Sizes whose GPUs are joined by switches, which a service of their own has to set up. Sorted.
const WITH_FABRIC: [&str; 20] = [
    "standard_nd100is_h100_v5",
    "standard_nd100isr_h100_v5",
    "standard_nd112amsr_a100_v4",
    "standard_nd112asr_a100_v4",
    "standard_nd120amsr_a100_v4",
    "standard_nd120asr_a100_v4",
    "standard_nd46s_h100_v5",
    "standard_nd48s_h100_v5",
    "standard_nd50s_h100_v5",
    "standard_nd92is_h100_v5",
    "standard_nd92isr_h100_v5",
    "standard_nd96ams_a100_v4",
    "standard_nd96ams_v4",
    "standard_nd96amsr_a100_v4",
    "standard_nd96asr_v4",
    "standard_nd96is_h100_v5",
    "standard_nd96is_h200_v5",
    "standard_nd96isr_h100_v5",
    "standard_nd96isr_h200_v5",
    "standard_nd96isrf_h200_v5",
];

/// Whether a machine of this size needs the fabric manager.
pub fn needs_fabric_manager(vm_size: &str) -> bool {
    WITH_FABRIC.binary_search(&&*lowercase(vm_size)).is_ok()
}

/// Whether a machine of this size has SGX enclaves; only this spelling counts.
pub fn supports_sgx(vm_size: &str) -> bool {
    matches!(vm_size, "Standard_DC2s" | "Standard_DC4s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_found_in_any_case_but_sgx_in_its_own() {
        assert!(WITH_FABRIC.is_sorted());
        assert!(WITH_FABRIC.iter().all(|size| needs_fabric_manager(&size.to_uppercase())));
        assert!(!needs_fabric_manager("Standard_NC24ads_A100_v4") && !needs_fabric_manager(""));
        assert!(supports_sgx("Standard_DC2s") && supports_sgx("Standard_DC4s"));
        assert!(!supports_sgx("standard_dc2s") && !supports_sgx("Standard_DC2s_v2"));
    }
}
