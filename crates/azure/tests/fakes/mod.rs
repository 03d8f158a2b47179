//! Stand-ins for Azure's services, on this machine's loopback.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test program uses its part")]

mod authority;
mod live_patching;
mod metadata;

pub use authority::{Authority, Identity};
pub use live_patching::{Answer, LivePatching, Seen};
pub use metadata::{Metadata, json};
