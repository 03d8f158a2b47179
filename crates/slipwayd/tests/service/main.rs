//! The service as its callers see it: the built program, over sockets of this machine.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run the program and fail by panicking"
)]

mod answers;
mod caller;
mod client;
mod encrypted;
mod life;
mod limits;
mod refusals;
mod running;
