//! Who a machine is to Azure and to the cluster.
//!
//! The sources of tokens are in [`slipway_azure::credential`], which touches neither files nor processes. Here is what
//! they need of a host, and what kubelet is told.

mod exec;
mod kept;
mod keys;
mod program;

pub use exec::{ExecError, answer};
pub use kept::Kept;
pub use keys::AgentKeys;
pub use program::Installed;
