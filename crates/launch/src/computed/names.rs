//! Names of things that are made for a node.

use super::fnv::fnv1_64;

/// The longest value of a label.
const LONGEST_LABEL: usize = 63;
/// The longest name of an AKS machine.
const LONGEST_MACHINE: usize = 34;
/// Letters and digits of a hash in a machine's name.
const HASH: usize = 6;

/// The value of the cluster's label: the nodes' resource group, made fit for a label.
pub fn cluster_label(resource_group: &str) -> String {
    let mut label = resource_group.replace(['(', ')'], "-");
    if label.len() > LONGEST_LABEL {
        let end = (0..=LONGEST_LABEL).rev().find(|end| label.is_char_boundary(*end)).unwrap_or(0);
        label.truncate(end);
    }
    if label.ends_with(['-', '_', '.']) {
        if label.len() == LONGEST_LABEL {
            label.pop();
        }
        label.push('z');
    }
    label
}

/// The name of a node's VM, network interface and OS disk.
pub fn vm_name(node_claim: &str) -> String {
    format!("aks-{node_claim}")
}

/// A node claim's name that no machine can be named after.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMachineName {
    /// A long name cannot be cut without a dash.
    #[error("the node claim's name {0:?} is longer than 34 characters and has no dash to cut it at")]
    NoDash(String),
    /// What follows the last dash is too long to be kept.
    #[error("the node claim's name {0:?} has more than 27 characters after its last dash")]
    LongEnd(String),
}

/// The name of the AKS machine of a node claim: the claim's own, or a shortened one with a hash.
pub fn machine_name(node_claim: &str) -> Result<String, NoMachineName> {
    if node_claim.len() <= LONGEST_MACHINE {
        return Ok(node_claim.to_owned());
    }
    let dash = node_claim.rfind('-').ok_or_else(|| NoMachineName::NoDash(node_claim.to_owned()))?;
    let (head, end) = node_claim.split_at(dash);
    let kept = (LONGEST_MACHINE - HASH)
        .checked_sub(end.len())
        .filter(|kept| head.is_char_boundary(*kept))
        .ok_or_else(|| NoMachineName::LongEnd(node_claim.to_owned()))?;
    let (kept, hashed) = head.split_at(kept);
    Ok(format!("{kept}{}{end}", base36(fnv1_64(hashed.as_bytes()))))
}

/// The last digits of a number in base 36.
fn base36(mut number: u64) -> String {
    let mut digits = [0_u8; HASH];
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[usize::try_from(number % 36).unwrap_or(0)];
        number /= 36;
    }
    digits.into_iter().map(char::from).collect()
}

/// The provider id of a VM. The name of its resource group is in lower case there, which is how the cloud provider
/// has always written it.
pub fn provider_id(vm: &str) -> String {
    let group =
        vm.split_once("/resourceGroups/").and_then(|(_, rest)| rest.split_once('/')).map(|(group, _)| group);
    let lowered =
        group.filter(|group| !group.is_empty()).map(|group| vm.replacen(group, &group.to_lowercase(), 1));
    format!("azure://{}", lowered.as_deref().unwrap_or(vm))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_of_machines_are_shortened_by_a_hash() {
        for (claim, name) in [
            ("123456789-123456789-12345678-a1b2c", "123456789-123456789-12345678-a1b2c"),
            ("123456789-123456789-12345678X-a1b2c", "123456789-123456789-12zc32sc-a1b2c"),
            ("123456789-123456789-123456789-123456789-a1b2c", "123456789-123456789-12jnxp47-a1b2c"),
            ("consistent-very-long-nodepool-name-test-xyz12", "consistent-very-long-npybr9u-xyz12"),
        ] {
            assert_eq!(machine_name(claim).as_deref(), Ok(name));
        }
        assert!(matches!(machine_name(&"a".repeat(35)), Err(NoMachineName::NoDash(_))));
        assert!(matches!(machine_name(&format!("a-{}", "b".repeat(40))), Err(NoMachineName::LongEnd(_))));
    }

    #[test]
    fn the_label_of_a_group_keeps_whole_characters() {
        assert_eq!(cluster_label(&format!("{}é", "a".repeat(62))), "a".repeat(62));
        assert_eq!(cluster_label(&format!("{}_b", "a".repeat(62))), format!("{}z", "a".repeat(62)));
    }

    #[test]
    fn a_provider_id_lowers_the_first_mention_of_the_group() {
        assert_eq!(provider_id("/a/MC/resourceGroups/MC/x"), "azure:///a/mc/resourceGroups/MC/x");
        assert_eq!(provider_id("/a/resourcegroups/MC/x"), "azure:///a/resourcegroups/MC/x");
    }
}
