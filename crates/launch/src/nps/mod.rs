//! The node provisioning service: what its client asks, what it answers.
//!
//! Comes in: on the client's side a launch, on the service's side a cluster and the body of a request. Goes out: the
//! request, and the answer with custom data and command. The token is not in the answer: a placeholder stands where
//! it goes, and the client fills it in ([`Answer::hydrate`]), so that the service never holds it.
//! Never does: HTTP; that is the business of `slipwayd` and of whoever calls it.

mod answer;
mod asking;
mod class;
mod client;
mod cluster;
mod contract;
mod path;
mod profile;
mod sysctls;

pub use answer::{Answer, AnswerError, Hydrated, PLACEHOLDER, Refusal, answer};
pub use asking::Unaskable;
pub use client::{Reply, Send, ServiceClient};
pub use cluster::{Cluster, Clusters};
pub use contract::{Impossible, contract};
pub use path::path;
pub use profile::{
    Architecture, GpuProfile, HelperValues, KubeletSettings, LinuxOsSettings, LocalDnsProfile, LocalDnsZone,
    Mode, OsSku, OsType, ProvisionProfile, Request, RequestError, SecurityProfile, StorageProfile, Streaming,
};
pub use sysctls::SysctlSettings;
