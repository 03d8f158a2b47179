//! The script path: what the image's provisioning scripts are told.
//!
//! Comes in: a contract, facts about the machine, and whose rules hold ([`Mode`]). Goes out: the 164 variables that
//! the scripts read, each with its sources, and the environment that the scripts are started with. Never does: I/O,
//! starting anything, showing a secret unasked.

mod computed;
mod differences;
mod embedded;
mod environment;
mod field;
mod input;
mod notice;
mod refusal;
mod table;
mod variable;
mod variables;

pub use differences::{DIFFERENCES, Difference};
pub use environment::{Environment, environment};
pub use notice::Notice;
pub use refusal::{Refusal, VariableError};
pub use slipway_contract::codec::Sensitivity;
pub use slipway_model::Mode;
pub use table::TABLE;
pub use variable::Variable;
pub use variables::{Value, Variables, variables};
