//! Tests that hold Slipway against the real programs: protobuf-go, grpc-go, cloud-init, Ignition, a JSON Schema
//! validator, apt and dnf, and the release binary as it is shipped.
//!
//! They need more than Rust, so plain `cargo test` leaves them out; `./test` installs what they need and runs them. A
//! missing program is a failure, never a skipped test.
