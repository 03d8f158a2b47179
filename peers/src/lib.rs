//! Tests that hold Slipway against the real programs: protobuf-go, cloud-init, Ignition, containerd, CoreDNS, kubelet's
//! loader, a JSON Schema validator, and the release binary as it is shipped.
//!
//! They need more than Rust, so plain `cargo test` leaves them out; `./test` installs what they need and runs them. A
//! missing program is a failure, never a skipped test.
