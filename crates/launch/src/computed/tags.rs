//! Tags of what is made for a node.

use std::collections::BTreeMap;

use crate::request::{NodeClaim, NodeClass, Options};

/// The label of a node's pool.
const NODE_POOL: &str = "karpenter.sh/nodepool";

/// The tags: those of the options, of the node class, and of the launcher itself, which win in that order.
///
/// Azure forbids `/` in keys of tags.
pub fn tags(options: &Options, node_class: &NodeClass, node_claim: &NodeClaim) -> BTreeMap<String, String> {
    let given = options.additional_tags.iter().chain(&node_class.spec.tags);
    let pool = node_claim.labels.get(NODE_POOL);
    let own = [
        ("karpenter.azure.com_cluster", Some(options.cluster_name.as_str())),
        ("compute.aks.billing", Some("linux")),
        ("karpenter.sh_nodepool", pool.map(String::as_str)),
    ];
    given
        .map(|(key, value)| (key.replace('/', "_"), value.clone()))
        .chain(own.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned()))))
        .collect()
}
