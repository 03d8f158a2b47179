//! The emulated Azure beside a real API server: Azure's own clients manage it, and what it says decides who may do what in
//! the cluster. Needs root, as everything in a lab does.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run a lab and fail by panicking"
)]

mod clients;
mod cluster;
mod scene;
