//! Making a machine known to Azure Arc, and taking that back.
//!
//! What to do is decided by [`next`] from what Azure and the agent on the machine say. What is done is in an
//! [`ArcRecord`] before it happens, so that removal touches what we made and nothing else, whenever we were killed.
//! The agent is the real program `azcmagent`; its access token goes through a file that only root can read.

mod agent;
mod decision;
mod error;
mod onboarding;
mod record;

pub use agent::{AGENT_FILE, Agent, AgentError, AgentState, Connection};
pub use decision::{Conflict, Move, next};
pub use error::ArcError;
pub use onboarding::{Onboarding, RoleWish};
pub use record::{ArcRecord, MadeAssignment, remove};
