//! The cluster's number: eight digits in the names of what AKS makes for a cluster.

use super::fnv::fnv1a_64;

/// The network security group that AKS manages, and the number in its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManagedGroup<'a> {
    /// The group's name, as it is written.
    pub name: &'a str,
    /// The cluster's number.
    pub cluster_id: &'a str,
}

/// The security group of the nodes cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoManagedGroup {
    /// There is none.
    #[error("no network security group is named aks-agentpool-<8 digits>-nsg")]
    None,
    /// There are several.
    #[error("several network security groups could be the managed one: {}", .0.join(", "))]
    Several(Vec<String>),
}

/// Finds the security group that AKS manages among those of the nodes' resource group.
pub fn managed_group(groups: &[String]) -> Result<ManagedGroup<'_>, NoManagedGroup> {
    let mut found = groups.iter().filter_map(|group| managed(group));
    match (found.next(), found.next()) {
        (None, _) => Err(NoManagedGroup::None),
        (Some(group), None) => Ok(group),
        (Some(_), Some(_)) => {
            let several = groups.iter().filter_map(|group| managed(group));
            Err(NoManagedGroup::Several(several.map(|group| group.name.to_owned()).collect()))
        }
    }
}

fn managed(name: &str) -> Option<ManagedGroup<'_>> {
    let digits = strip_prefix_ignoring_case(name, "aks-agentpool-")?;
    let (digits, end) = digits.split_at_checked(8)?;
    let is_managed = digits.bytes().all(|byte| byte.is_ascii_digit()) && end.eq_ignore_ascii_case("-nsg");
    is_managed.then_some(ManagedGroup { name, cluster_id: digits })
}

pub(super) fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, tail) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

/// The number that AKS gave clusters by the name of their API server, before 2026: for offline use.
///
/// AKS hashes the first 33 bytes of the name, seeds Go's generator with the hash, and takes its first number. A
/// shorter name is hashed whole.
pub fn cluster_id_of_host(host: &str) -> String {
    let bytes = host.as_bytes();
    let number = first_number(fnv1a_64(&bytes[..bytes.len().min(33)]));
    let mut digits = format!("{number:08}");
    digits.truncate(8);
    digits
}

/// The first `Uint32` of Go's seeded generator. It is an additive generator over 607 words; the first number needs
/// only two of them.
fn first_number(seed: u64) -> u64 {
    const MODULUS: i64 = (1 << 31) - 1;
    const LOW: u64 = (1 << 63) - 1;
    /// The words' indices, and the constants that Go mixes into them.
    const WORDS: [(usize, u64); 2] = [(333, 4_590_000_184_845_883_843), (606, 4_152_330_101_494_654_406)];

    let mut state = seed.cast_signed() % MODULUS;
    if state < 0 {
        state += MODULUS;
    }
    if state == 0 {
        state = 89_482_311;
    }
    let mut step = || {
        state = 48_271 * state % MODULUS;
        state.cast_unsigned()
    };
    for _ in 0..20 {
        step();
    }
    let mut sum = 0_u64;
    for index in 0..607 {
        let word = (step() << 40) ^ (step() << 20) ^ step();
        if let Some((_, constant)) = WORDS.iter().find(|(wanted, _)| *wanted == index) {
            sum = sum.wrapping_add(word ^ constant);
        }
    }
    (sum & LOW) >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_api_servers_lead_to_the_numbers_that_aks_gave() {
        for (host, number) in [
            ("environment-cluster-id-value-for-testing", "46593302"),
            ("karpenter-000000000000.hcp.westus2.staging.azmk8s.io", "34455734"),
            ("test-cluster-id-value-for-testing", "30823070"),
            ("options-cluster-id-value-for-testing", "12111440"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "25697739"),
            ("", "12857252"),
        ] {
            assert_eq!(cluster_id_of_host(host), number, "{host}");
        }
    }

    #[test]
    fn the_managed_group_is_found_in_any_case_and_must_be_the_only_one() {
        let groups = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let one = groups(&[
            "x",
            "AKS-agentpool-92339667-NSG",
            "aks-agentpool-123-nsg",
            "aks-agentpool-1234567é-nsg",
        ]);
        let found = managed_group(&one).unwrap();
        assert_eq!((found.name, found.cluster_id), ("AKS-agentpool-92339667-NSG", "92339667"));
        let two = groups(&["aks-agentpool-12345678-nsg", "aks-agentpool-23456789-nsg"]);
        assert!(
            managed_group(&two).unwrap_err().to_string().contains("12345678-nsg, aks-agentpool-23456789")
        );
        assert_eq!(managed_group(&[]), Err(NoManagedGroup::None));
    }
}
