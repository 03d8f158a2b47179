//! Tests that hold Slipway against the real programs: aks-node-controller's recordings, protobuf-go, grpc-go, cloud-init,
//! Ignition, containerd, CoreDNS, kubelet's loader, a JSON Schema validator, apt, dnf and dpkg, systemd, and the release
//! binary as it is shipped.
//!
//! They need more than Rust, so plain `cargo test` leaves them out; `./test` installs what they need and runs them. A
//! missing program is a failure, never a skipped test. Here is what tests and benchmarks share: the
//! [binary](binary), a [machine](node::Node) to run it on, and [instruction counts](instructions).

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::missing_panics_doc,
    reason = "this crate is for tests, which fail by panicking and are about files and processes"
)]

pub mod binary;
pub mod instructions;
pub mod node;
