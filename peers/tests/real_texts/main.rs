//! The texts that travel in variables before their real readers: containerd 1.7 and 2.x load the configurations,
//! CoreDNS starts with the Corefiles, kubelet's own loader and validation judge the kubelet configuration, Helm
//! renders the chart and the types of Kubernetes read it.
//!
//! The programs are built once with Go and kept outside the tree ([`programs`]); `./test` installs what is missing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "these tests are about files and processes")]

mod chart;
mod containerd;
mod contracts;
mod coredns;
mod kubelet;
mod programs;
