//! Machines from anywhere as nodes of a cluster.
//!
//! Comes in: a configuration, a manifest of what can be installed, bundles. Goes out: the node that is wanted and where
//! its programs come from. Never does: planning and applying, which are `plan`'s and `apply`'s, as for every node.
//!
//! [`identity`] is who the machine is: keys, programs and kept tokens of a host for the sources of `slipway-azure`, and
//! the answer of kubelet's exec plugin. [`arc`] makes a machine known to Azure Arc, and takes that back.

pub mod arc;
pub mod identity;
pub mod supply;
