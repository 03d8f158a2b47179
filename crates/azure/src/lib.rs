//! Clients of what Azure offers a node and those who launch it.
//!
//! Comes in: addresses and credentials. Goes out: what the service answered, or why it did not. Never does: files,
//! processes, deciding what an answer means.
//!
//! [`imds`] is plain HTTP/1.1. [`livepatch`] is gRPC: a call of `slipway-grpc` over a TLS connection of
//! `slipway-fetch`.

pub mod imds;
pub mod livepatch;
mod provisioning;

pub use provisioning::{ProvisioningError, ProvisioningReply, ProvisioningService};
