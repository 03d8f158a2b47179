//! Roles, and what they allow.

use serde_json::{Value, json};

/// A role that Azure has built in.
#[derive(Debug)]
pub(super) struct Role {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    actions: &'static [&'static str],
    not_actions: &'static [&'static str],
    /// Of these, only all or nothing counts in the lab's cluster.
    data_actions: &'static [&'static str],
}

/// May do everything in a cluster whose access role assignments decide about.
pub(in crate::azure) const CLUSTER_ADMIN: &str = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b";

const NONE: &[&str] = &[];
const CLUSTER_READ: &str = "Microsoft.ContainerService/managedClusters/read";
const USER_CREDENTIAL: &str = "Microsoft.ContainerService/managedClusters/listClusterUserCredential/action";
const ADMIN_CREDENTIAL: &str = "Microsoft.ContainerService/managedClusters/listClusterAdminCredential/action";
const AUTHORIZATION_READ: &str = "Microsoft.Authorization/*/read";

const ROLES: [Role; 10] = [
    Role {
        id: "8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
        name: "Owner",
        actions: &["*"],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: "b24988ac-6180-42a0-ab88-20f7382dd24c",
        name: "Contributor",
        actions: &["*"],
        not_actions: &["Microsoft.Authorization/*/Delete", "Microsoft.Authorization/*/Write"],
        data_actions: NONE,
    },
    Role {
        id: "acdd72a7-3385-48ef-bd42-f606fba81ae7",
        name: "Reader",
        actions: &["*/read"],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
        name: "User Access Administrator",
        actions: &["*/read", "Microsoft.Authorization/*"],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: "b64e21ea-ac4e-4cdf-9dc9-5b892992bee7",
        name: "Azure Connected Machine Onboarding",
        actions: &["Microsoft.HybridCompute/machines/read", "Microsoft.HybridCompute/machines/write"],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: "cd570a14-e51a-42ad-bac8-bafd67325302",
        name: "Azure Connected Machine Resource Administrator",
        actions: &[
            "Microsoft.HybridCompute/machines/read",
            "Microsoft.HybridCompute/machines/write",
            "Microsoft.HybridCompute/machines/delete",
        ],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: "4abbcc35-e782-43d8-92c5-2d3f1bd2253f",
        name: "Azure Kubernetes Service Cluster User Role",
        actions: &[USER_CREDENTIAL, CLUSTER_READ],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: "0ab0b1a8-8aac-4efd-b8c2-3ee1fb270be8",
        name: "Azure Kubernetes Service Cluster Admin Role",
        actions: &[ADMIN_CREDENTIAL, CLUSTER_READ],
        not_actions: NONE,
        data_actions: NONE,
    },
    Role {
        id: CLUSTER_ADMIN,
        name: "Azure Kubernetes Service RBAC Cluster Admin",
        actions: &[AUTHORIZATION_READ, USER_CREDENTIAL],
        not_actions: NONE,
        data_actions: &["Microsoft.ContainerService/managedClusters/*"],
    },
    Role {
        id: "8f139b0f-7eaf-460b-a9da-5b1246d9ed0d",
        name: "Azure Kubernetes Service Flex Node Agent Role",
        actions: &[
            "Microsoft.ContainerService/managedClusters/agentPools/listBootstrapData/action",
            "Microsoft.ContainerService/managedClusters/agentPools/machines/read",
            "Microsoft.ContainerService/managedClusters/agentPools/machines/write",
        ],
        not_actions: NONE,
        data_actions: NONE,
    },
];

/// Every role.
pub(super) fn all() -> impl Iterator<Item = &'static Role> {
    ROLES.iter()
}

/// The role whose definition has this id, which may be the id of a resource.
pub(super) fn find(id: &str) -> Option<&'static Role> {
    let id = id.rsplit('/').next().unwrap_or_default();
    ROLES.iter().find(|role| role.id.eq_ignore_ascii_case(id))
}

impl Role {
    /// Whether it lets a principal do this to resources.
    pub(super) fn allows(&self, operation: &str) -> bool {
        let any = |patterns: &[&str]| patterns.iter().any(|pattern| covers(pattern, operation));
        any(self.actions) && !any(self.not_actions)
    }

    /// What it allows, as a list of permissions says it.
    pub(super) fn permissions(&self) -> Value {
        json!({
            "actions": self.actions,
            "notActions": self.not_actions,
            "dataActions": self.data_actions,
            "notDataActions": [],
        })
    }

    /// Its definition, seen from a scope.
    pub(super) fn definition(&self, scope: &str) -> Value {
        json!({
            "id": format!("{scope}/providers/Microsoft.Authorization/roleDefinitions/{}", self.id),
            "type": "Microsoft.Authorization/roleDefinitions",
            "name": self.id,
            "properties": {
                "roleName": self.name,
                "type": "BuiltInRole",
                "description": "",
                "assignableScopes": ["/"],
                "permissions": [self.permissions()],
            },
        })
    }
}

/// Whether a pattern with stars covers an operation; a star stands for anything, slashes included.
fn covers(pattern: &str, operation: &str) -> bool {
    let (pattern, operation) = (pattern.to_ascii_lowercase(), operation.to_ascii_lowercase());
    let Some((beginning, rest)) = pattern.split_once('*') else { return pattern == operation };
    let Some(mut left) = operation.strip_prefix(beginning) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, operation, expected) in [
            ("*", "Microsoft.A/b/read", true),
            ("*/read", "Microsoft.A/b/c/read", true),
            ("*/read", "Microsoft.A/b/write", false),
            ("Microsoft.Authorization/*/Write", "microsoft.authorization/roleAssignments/write", true),
            ("Microsoft.Authorization/*/Write", "microsoft.authorization/roleAssignments/read", false),
            ("Microsoft.A/b/read", "Microsoft.A/b/read", true),
            ("Microsoft.A/b/read", "Microsoft.A/b/readall", false),
        ] {
            assert_eq!(covers(pattern, operation), expected, "{pattern} {operation}");
        }
    }

    #[test]
    fn who_contributes_gives_no_roles() {
        let contributor = find("/x/roleDefinitions/B24988AC-6180-42a0-ab88-20f7382dd24c").unwrap();
        assert!(contributor.allows("Microsoft.HybridCompute/machines/write"));
        assert!(contributor.allows("Microsoft.Authorization/roleAssignments/read"));
        assert!(!contributor.allows("Microsoft.Authorization/roleAssignments/write"));
    }
}
