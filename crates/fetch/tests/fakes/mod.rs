//! Servers on this machine that answer as they are told.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod authority;
mod proxy;
mod server;

pub use authority::{Authority, Identity};
pub use proxy::Proxy;
pub use server::{Act, Request, Server, answer, json};

use std::time::{Duration, Instant};

pub fn never() -> bool {
    false
}

pub fn soon(seconds: u64) -> Instant {
    Instant::now() + Duration::from_secs(seconds)
}
