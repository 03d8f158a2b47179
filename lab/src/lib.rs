//! Real Kubernetes, real machines and an emulated Azure on one box.

pub mod azure;
