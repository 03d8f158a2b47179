//! Whether an earlier join has done in Azure what a join needs there. Then nobody has to be signed in: behind the daemon there
//! is nobody.

use slipway_azure::arm::ResourceId;
use slipway_flex::FlexConfig;
use slipway_host::Host;

use super::{identity, kept, onboarding};

/// Whether the roles that a join assigns were assigned by an earlier one: joining is on record only after that.
pub(super) fn is_settled(config: &FlexConfig, host: &dyn Host) -> bool {
    let (Ok(Some(joined)), Ok(made), Ok(cluster)) =
        (kept::record(host), onboarding::record(host), identity::cluster(config))
    else {
        return false;
    };
    let is = |id: &ResourceId, text: &str| ResourceId::parse(text).is_ok_and(|other| other == *id);
    if joined.leaving || !is(&cluster, &joined.cluster) {
        return false;
    }
    let pool = cluster.child("agentPools", &config.agent_pool);
    // A pool's role lets its machines ask where the cluster is; whoever says that by himself needs the cluster's.
    let asks = config.server.is_none() || config.ca.is_none();
    let fits = |scope: &str| is(&cluster, scope) || asks && is(&pool, scope);
    // Where the roles were there before us, there are none on record.
    made.assignments.is_empty() || made.assignments.iter().any(|made| fits(&made.scope))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slipway_host::Recorded;

    use super::*;

    const CLUSTER: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.ContainerService/managedClusters/aks-edge";

    fn config(cluster: &str, says_where: bool) -> FlexConfig {
        let ca = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkZBS0UKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
        let mut text = json!({"azure": {
            "tenantId": "t", "arc": {"enabled": true, "autoRoleAssignment": true},
            "targetCluster": {"resourceId": cluster, "location": "westeurope"},
        }});
        if says_where {
            text["node"] = json!({"kubelet": {"clusterFQDN": "api.example", "caCertData": ca}});
        }
        let reading = slipway_flex::read(text.to_string().as_bytes(), "edge-01");
        reading.config.unwrap_or_else(|| panic!("{:?}", reading.issues))
    }

    fn host(leaving: bool, scopes: &[&str]) -> Recorded {
        let joined = json!({"config": "/c", "cluster": CLUSTER.to_uppercase(), "node": "edge-01", "identity": ["arc"],
            "kubernetes": "1.34.3", "applied": null, "leaving": leaving});
        let made = scopes.iter().map(|scope| json!({"scope": scope, "name": "n"})).collect::<Vec<_>>();
        let made = json!({"machine": null, "assignments": made});
        Recorded::live().with_files([
            ("/var/lib/slipway/flex.json", joined.to_string().as_str(), 0o600),
            ("/var/lib/slipway/azure.json", made.to_string().as_str(), 0o600),
        ])
    }

    #[test]
    fn whoever_has_been_onboarded_joins_again_without_anybody_who_is_signed_in() {
        let pool = format!("{CLUSTER}/agentPools/aksflexnodes");
        let other = CLUSTER.replace("aks-edge", "aks-other");
        for (scopes, says_where, settled) in [
            (&[][..], true, true),
            (&[CLUSTER], true, true),
            (&[CLUSTER], false, true),
            (&[pool.as_str()], false, true),
            (&[pool.as_str()], true, false),
            (&[other.as_str()], true, false),
        ] {
            let host = host(false, scopes);
            assert_eq!(is_settled(&config(CLUSTER, says_where), &host), settled, "{scopes:?} {says_where}");
        }
        assert!(
            !is_settled(&config(&other, true), &host(false, &[CLUSTER])),
            "another cluster needs other roles"
        );
        assert!(!is_settled(&config(CLUSTER, true), &host(true, &[])), "what leaves is not joined");
        assert!(!is_settled(&config(CLUSTER, true), &Recorded::live()), "nobody has joined");
    }
}
