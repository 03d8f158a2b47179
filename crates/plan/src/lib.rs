//! From what a node should be and what the machine is to the steps that make it so.
//!
//! Comes in: a [`Node`](slipway_model::Node) and [`Facts`](slipway_model::Facts). Goes out: a [`Plan`], which is data: steps in
//! a graph, each made of small operations that know their sources. Never does: I/O, looking at the clock, chance: the
//! same input gives the same plan, byte for byte.
//!
//! Each subject of a node (containerd, kubelet, sysctl, …) is one file of [`subjects`] that adds its steps to a
//! [`Draft`](draft::Draft).

mod draft;
mod edit;
mod machine;
mod op;
#[cfg(test)]
mod outline;
mod places;
mod plan;
mod step;
mod subjects;
#[cfg(test)]
mod testing;

pub use edit::Change;
pub use op::{
    Action, Artifact, Await, Content, Directory, Edit, File, Image, Link, Move, Op, Probe, Program, Remove,
    SelfSigned, Setting, TlsBootstrap, Traces, Unit,
};
pub use plan::{Explained, ExplainedKind, Plan, PlanError, Refusal, Unplanned};
pub use step::{OnFailure, Stage, Step, StepId};
pub use subjects::{CONTAINERD_SOCKET, plan};
