//! Machines from anywhere as nodes of a cluster.
//!
//! Comes in: a configuration, a manifest of what can be installed, bundles. Goes out: the node that is wanted and where
//! its programs come from. Never does: planning and applying, which are `plan`'s and `apply`'s, as for every node.

pub mod supply;
