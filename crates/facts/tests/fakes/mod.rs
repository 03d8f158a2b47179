//! Stand-ins for a machine and for its metadata service.

mod metadata;
mod program;
mod root;

pub use metadata::{Metadata, status, with_body};
pub use program::go_program;
pub use root::Root;
