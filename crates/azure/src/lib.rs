//! Clients of what Azure offers a node.
//!
//! Comes in: addresses and credentials. Goes out: what the service answered, or why it did not. Never does: files,
//! processes, deciding what an answer means.
//!
//! [`imds`] is plain HTTP/1.1. [`livepatch`] is gRPC, hence HTTP/2 and TLS; it runs a
//! runtime of one thread for the one call and leaves nothing behind.

pub mod imds;
pub mod livepatch;
