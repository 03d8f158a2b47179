//! The Azure Resource Manager: resources by their ids, asked for with tokens of a [`TokenSource`].
//!
//! A call is repeated while it may pass and there is time. A long operation is waited for. Everything else is an error
//! that names the action which was refused: an answer that says no is never taken for an answer that says "not there".
//! The token goes to the endpoint that we were given, and nowhere that an answer points to outside of it.
//!
//! [`TokenSource`]: crate::credential::TokenSource

mod arc_machine;
mod bootstrap_data;
mod call;
mod cluster;
mod error;
mod id;
mod operation;
mod permissions;
mod pool_machine;
mod roles;

pub use arc_machine::ArcMachine;
pub use bootstrap_data::BootstrapData;
pub use call::Arm;
pub use cluster::Cluster;
pub use error::{ArmError, Code, Refusal};
pub use id::{IdError, ResourceId};
pub use permissions::{PermissionScope, Permissions};
pub use pool_machine::{KubeletWish, MachineGoal, MachineWish, PoolMachine};
pub use roles::{Assigned, Role, RoleAssignment};
