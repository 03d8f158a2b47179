//! The launch request: what a launcher knows about the node that it wants.
//!
//! One JSON object. Every type here is read by serde; [`Request::parse`] checks the text against [`schema`] first,
//! so that a misspelt member or a wrong type is reported with its path, all of them at once.

pub(crate) mod check;
mod claim;
mod custom_data;
mod duration;
mod environment;
mod node_class;
mod options;
mod os;
mod proxy;
pub(crate) mod record;
mod schema;
mod sku;

pub(crate) use check::read;
pub use check::{Problem, Problems};
pub use claim::{CapacityType, Choice, NodeClaim, Operator, PlacementScope, Requirement, Taint};
pub use custom_data::CustomDataPart;
pub use duration::{CacheTime, GoDuration};
pub use environment::Environment;
pub use node_class::{
    ArtifactStreaming, FipsMode, Gpu, GpuMode, Kubelet, LocalDns, LocalDnsMode, LocalDnsState, NodeClass,
    NodeClassSpec, Security, TrustedLaunch, ZoneOverride,
};
pub use options::{Options, ProvisionMode};
pub use os::{LinuxOs, Sysctls};
pub use proxy::HttpProxy;
pub use record::{Described, Field, Record, Shape};
pub use schema::schema;
pub use sku::Sku;

use record::record;

record! {
    /// Everything a launch needs to know.
    pub struct Request {
        /// The launcher's options: the cluster, its network, and what applies to every node.
        options: Options = "options",
        /// Where the launcher runs, and what it found in the cluster.
        environment: Environment = "environment",
        /// The node class: its specification and the parts of its status that a launch reads.
        node_class: NodeClass = "nodeClass",
        /// The node claim: name, labels, requirements and taints.
        node_claim: NodeClaim = "nodeClaim",
        /// The VM size, as Azure's list of sizes describes it.
        sku: Sku = "sku",
        /// What the allocation chose.
        launch: Choice = "launch",
    }
}

impl Request {
    /// Reads a request, strictly: unknown members and wrong types are problems, all reported together.
    pub fn parse(text: &str) -> Result<Self, Problems> {
        read(text)
    }
}
