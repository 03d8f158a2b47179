//! Provisioning by the scripts of an AKS image.
//!
//! Comes in: a contract or a pre-rendered command, facts about the machine, and whose rules hold ([`Mode`]). Goes out:
//! the 164 variables that the scripts read, each with its sources; their environment and result; the records and events
//! around them. Never does: the node's work itself, showing a secret unasked.

mod assignments;
pub mod boot;
mod command;
mod compare;
mod computed;
mod contract;
mod differences;
mod embedded;
mod environment;
mod field;
pub mod hotfix;
mod input;
mod lost;
mod notice;
pub mod paths;
mod provision;
mod refusal;
mod report;
mod result;
mod table;
mod variable;
mod variables;
mod wait;

pub use assignments::assignments;
pub use differences::{DIFFERENCES, Difference};
pub use environment::{Environment, environment};
pub use notice::Notice;
pub use provision::{Failure, Order, provision};
pub use refusal::{Refusal, VariableError};
pub use report::Report;
pub use slipway_contract::codec::Sensitivity;
pub use slipway_model::Mode;
pub use table::TABLE;
pub use variable::Variable;
pub use variables::{Value, Variables, variables};
pub use wait::{Verdict, wait};
