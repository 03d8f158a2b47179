//! The only door to the operating system.
//!
//! Comes in: paths, bytes, argument lists, names of units and modules. Goes out: what the machine answered. Never does:
//! deciding. Every effect that Slipway has on a node is a call into this crate.
//!
//! [`Host`] is all that can be done to a machine, and there are three of it: [`Machine`], the real one, or a directory
//! that no path leads out of; [`Recorded`], one in memory that writes down what is done to it; and [`Faulty`], which
//! lets one operation of another go wrong. Beside it are functions for what concerns this process and not a node's
//! state: its lock, its children, its log, the clock, the files of the script path.

mod changes;
mod child;
mod clock;
mod faulty;
mod files;
mod host;
mod host_name;
mod images;
mod lock;
mod machine;
mod recorded;
mod replace;
mod runtime;
mod search;
mod signals;
mod space;
mod successor;
mod swap;
mod syslog;
mod systemd;
mod veil;
mod watch;

pub use changes::Changes;
pub use child::{Child, Ended, Exit};
pub use clock::{now, unix_seconds};
pub use faulty::{Fault, FaultKind, Faulty, Operations};
pub use files::{
    Appender, exists, is_absent, is_regular, is_same_file, make_directory, place, publish, read, read_text,
    remove, touch_new,
};
pub use host::{
    BootMoments, Entry, EntryKind, Host, MOST_OUTPUT, Modified, Mount, Pod, Program, Swap, UnitState, Writer,
};
pub use host_name::{HostNames, settled_host_name};
pub use lock::{Held, Lock};
pub use machine::Machine;
pub use recorded::Recorded;
pub use replace::{Replacement, Staged, mode, overwrite, replace_all};
pub use search::find_program;
pub use signals::signal_name;
pub use space::{Space, space};
pub use successor::{Interruption, become_program, is_executable};
pub use syslog::Syslog;
pub use watch::{Waited, Watch};

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
