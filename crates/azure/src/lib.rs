//! Clients of what Azure offers a node and those who launch it.
//!
//! Comes in: addresses and credentials. Goes out: what the service answered, or why it did not. Never does: files,
//! processes, deciding what an answer means.
//!
//! [`imds`] is plain HTTP/1.1. [`livepatch`] is gRPC: a call of `slipway-grpc` over a TLS connection of
//! `slipway-fetch`. [`credential`] has the sources of tokens, each behind [`credential::TokenSource`]; [`arm`] is the
//! Resource Manager, which is asked with such tokens. Where a source needs a file or a program, it takes a trait that
//! `flex` implements on a host.

pub mod arm;
pub mod credential;
mod escape;
pub mod imds;
pub mod livepatch;
mod provisioning;
mod secrecy;
mod uuid;

pub use provisioning::{ProvisioningError, ProvisioningReply, ProvisioningService};
