//! Machines from anywhere as nodes of an AKS cluster.
//!
//! [`identity`] is who the machine is: keys, programs and kept tokens of a host for the sources of `slipway-azure`, and
//! the answer of kubelet's exec plugin. [`arc`] makes a machine known to Azure Arc, and takes that back.

pub mod arc;
pub mod identity;
