//! The hotfix commands on a node in a directory, with Azure's services and package managers played on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests set a node up and look at what became of it"
)]

#[path = "../../../azure/tests/fakes/mod.rs"]
mod fakes;

mod check;
mod download;
mod node;
mod overrides;
