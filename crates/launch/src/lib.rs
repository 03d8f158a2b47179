//! Launching: from a node class to everything that a VM is created with.
//!
//! Comes in: a launch [`Request`]: options, environment, node class, node claim, VM size, and what the allocation
//! chose. Goes out: resolved values that know their [`Source`], the bootstrap variables, payloads, images, sizes,
//! drift. Never does: I/O of any kind, guessing, or writing a secret anywhere but into the payload.

pub mod arm;
mod bootstrap;
pub mod computed;
mod contract_form;
pub mod detect;
pub mod drift;
mod fidelity;
mod forms;
pub mod images;
pub mod nps;
pub mod options;
mod parts;
mod payload;
pub mod request;
mod resolve;
mod script;
pub mod sizes;
mod source;
pub mod variables;

pub use bootstrap::{Bootstrap, Gpu};
pub use contract_form::{ContractForm, contract};
pub use fidelity::Fidelity;
pub use parts::BadPart;
pub use payload::{Bootstrapper, NoPayload, Payload, VariablesScript};
pub use request::Request;
pub use resolve::{Finding, LaunchTemplate, Refusal, Resolved, Wishes, resolve};
pub use script::{Unwritable, assignment_block, script};
pub use source::{Layered, Overridden, Source};
