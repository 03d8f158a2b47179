//! Where the service answers for a cluster.

use std::fmt::Write as _;

/// The path of a cluster's node bootstrapping. Names are escaped as Go's client does it.
pub fn path(subscription: &str, resource_group: &str, cluster: &str) -> String {
    let mut path = String::with_capacity(160);
    let pieces = [
        ("/subscriptions/", subscription),
        ("/resourceGroups/", resource_group),
        ("/providers/Microsoft.ContainerService/managedclusters/", cluster),
    ];
    for (fixed, name) in pieces {
        path.push_str(fixed);
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.~$&+=:@".contains(&byte) {
                path.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(path, "%{byte:02X}");
            }
        }
    }
    path.push_str("/nodeBootstrapping");
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_place_in_the_path() {
        let path = path("s", "a/../b?c#d", "name (1)");
        assert!(path.contains("/resourceGroups/a%2F..%2Fb%3Fc%23d/"), "{path}");
        assert!(path.ends_with("/managedclusters/name%20%281%29/nodeBootstrapping"), "{path}");
    }
}
