//! What a node asks an API server for itself: a certificate to join with, and whether its Node is Ready; and what a
//! launcher asks about the cluster.
//!
//! Comes in: the server's address, the cluster's CA, a credential, and how long to wait. Goes out: a certificate
//! chain, the state of a Node, events about it, kubeconfig texts, both sides of `ExecCredential`; or an error that says whose business
//! it is. Never does: files, processes, caches, other nodes' business, waiting longer than it may.
//!
//! [`ApiServer::bootstrap`] and [`ApiServer::wait_ready`] try again by themselves what may pass; the rest make one
//! call. A token leaves this crate only in the header of a request, in the text of a kubeconfig, and in the answer that
//! a program prints as an [`ExecCredential`].

mod bootstrap;
mod certificate;
mod cluster;
mod drain;
mod error;
mod event;
mod exec_credential;
mod follow;
mod health;
mod key;
pub mod kubeconfig;
mod node;
mod review;
mod server;

pub use bootstrap::BootstrapError;
pub use certificate::{CertificateError, ClientCertificate};
pub use cluster::{ClusterFacts, Freshness, LiveCluster};
pub use drain::{Drain, DrainError, Leaving, PodName};
pub use error::ApiError;
pub use event::NodeEvent;
pub use exec_credential::{
    CredentialRequest, EXEC_INFO, ExecCluster, ExecCredential, ExecVersion, NotAnExecCredential,
};
pub use health::{HealthError, wait_kubelet_healthy};
pub use key::{ClientKey, KeyError};
pub use node::{NodeState, Readiness, WaitError};
pub use review::Access;
pub use server::{ApiServer, Credential};
pub use slipway_fetch::{HttpError, Patience, ProxyError, ProxySettings};
