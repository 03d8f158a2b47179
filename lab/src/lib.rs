//! Real Kubernetes and real systemd machines on one box.
//!
//! Comes in: a name for the lab and, once, the packages and Go modules that its programs are made of. Goes out: a
//! running control plane, machines that boot in a fraction of a second, and what happened on them.
//!
//! A lab is one process with namespaces of its own for processes, mounts and network (see [`Space`]): everything that
//! runs, is mounted or has an address belongs to it, and goes when it goes. There is no way out of its network.
//!
//! Never does: touching services, networks or mounts that it did not make; keeping anything in the source tree.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the lab drives a whole machine")]

pub mod arc;
pub mod azure;
pub mod bench;
pub mod boot;
pub mod cluster;
mod command;
mod control_group;
mod dns;
mod error;
pub mod floor;
pub mod image;
mod lab;
mod machine;
pub mod market;
pub mod native;
mod needs;
pub mod oci;
pub mod product;
mod programs;
mod progress;
mod proxy;
mod space;
mod store;
mod sysctl;

pub use cluster::Cluster;
pub use dns::Dns;
pub use error::Error;
pub use floor::Joined;
pub use lab::Lab;
pub use machine::{Ending, Machine, Order, Storage};
pub use needs::provide;
pub use programs::{EARLIER, Programs, release};
pub use progress::Progress;
pub use proxy::{Passage, Proxy};
pub use space::{Lifetime, Space};
pub use store::{LabName, Store};
