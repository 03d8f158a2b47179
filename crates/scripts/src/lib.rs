//! Provisioning by the scripts of an AKS image.
//!
//! Comes in: a contract or a pre-rendered command. Goes out: the scripts' environment, their result, and the records
//! and events around them. Never does: the node's work itself.

mod assignments;
pub mod boot;
pub mod paths;
mod report;
mod wait;

pub use assignments::assignments;
pub use report::Report;
pub use wait::{Verdict, wait};
