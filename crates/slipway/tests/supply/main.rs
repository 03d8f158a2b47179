//! Where a plain machine's programs come from: manifests and mirrors on this machine that fail in every way.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::format_push_string,
    unreachable_pub,
    reason = "the tests open sockets, run the binary and fail by panicking"
)]

mod bundles;
#[path = "../../../fetch/tests/fakes/mod.rs"]
mod fakes;
mod installation;
mod manifest;
mod mirror;
mod releases;
