//! Slipway makes machines nodes: real kubelet, containerd and systemd against a real API server.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the tests run a lab and fail by panicking"
)]

mod certificates;
mod crash;
mod faults;
mod flex;
mod flex_again;
mod flex_arc;
mod flex_clock;
mod flex_daemon;
mod flex_faults;
mod flex_goal;
mod flex_offline;
mod flex_upgrade;
mod health;
mod joining;
mod networking;
mod outside;
mod resolving;
mod scene;
mod secrecy;
mod service;
mod state;
mod undo;
mod waiting;
