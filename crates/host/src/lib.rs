//! The only door to the operating system.
//!
//! Comes in: paths, bytes, argument lists. Goes out: what the machine answered. Never does: deciding. Every effect
//! that Slipway has on a node is a call into this crate.

mod child;
mod files;
mod lock;
mod signals;
mod veil;
mod watch;

use std::time::SystemTime;

use jiff::Zoned;

pub use child::{Child, Ended, Exit};
pub use files::{
    Appender, exists, is_absent, is_regular, make_directory, place, publish, read, read_text, remove,
    touch_new,
};
pub use lock::{Held, Lock};
pub use signals::signal_name;
pub use watch::{Waited, Watch};

/// The time now, in the machine's zone.
pub fn now() -> Zoned {
    Zoned::now()
}

/// An operating-system error in the words that C and Go use: lower case, no number.
pub fn os_text(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => {
            let text = std::io::Error::from_raw_os_error(code).to_string();
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            let mut letters = text.chars();
            letters.next().map_or(String::new(), |first| first.to_lowercase().to_string() + letters.as_str())
        }
        None => error.to_string(),
    }
}

/// Seconds since 1970.
pub fn unix_seconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}
