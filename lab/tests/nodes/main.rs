//! Slipway makes machines nodes: real kubelet, containerd and systemd against a real API server.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the tests run a lab and fail by panicking"
)]

mod crash;
mod faults;
mod joining;
mod scene;
mod state;
mod undo;
