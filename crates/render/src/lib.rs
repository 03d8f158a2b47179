//! The texts that a node needs, from small typed inputs.
//!
//! Comes in: plain values, whoever has them: the script path, native provisioning, launching. Goes out: texts,
//! and the facts that decide them (clouds, GPU sizes). Never does: I/O, reading a contract, guessing: what cannot
//! be written is a typed error, and no input can break out of its place in a text.

mod cloud;
mod containerd;
mod corefile;
mod fold;
mod form;
mod go;
mod gpu;
mod json;
mod kubelet;
mod kubenet;
mod manifest;
mod proxy;
mod quote;
mod size;
mod sysctl;
mod toml;
mod ulimit;

pub use cloud::{Cloud, is_custom_cloud, resource_manager_endpoint};
pub use containerd::{ContainerdConfig, ContainerdError, Family, Variant, containerd_config};
pub use corefile::{CorefileError, Hosts, LocalDns, Override, corefile};
pub use go::double;
pub use gpu::{GpuDriver, gpu_driver};
pub use json::Json;
pub use kubelet::kubelet_config;
pub use kubenet::KUBENET_TEMPLATE;
pub use manifest::{GpuImage, GpuImages, ManifestError};
pub use proxy::{Proxy, proxy_exports};
pub use size::{needs_fabric_manager, supports_sgx};
pub use sysctl::{Sysctl, SysctlError, sysctl_file};
pub use ulimit::{UlimitError, Ulimits, containerd_ulimits};
