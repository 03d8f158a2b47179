//! The texts that a node needs, from small typed inputs.
//!
//! Comes in: plain values, whoever has them: the script path, native provisioning, launching. Goes out: texts,
//! and the facts that decide them (clouds, GPU sizes). Never does: I/O, reading a contract, guessing: what cannot
//! be written is a typed error, and no input can break out of its place in a text.

mod cloud;
mod containerd;
mod containerd_unit;
mod corefile;
mod credential_provider;
mod firewall;
mod fold;
mod form;
mod go;
mod gpu;
mod interface;
mod json;
mod kubeconfig;
mod kubelet;
mod kubelet_unit;
mod kubenet;
mod local_dns;
mod manifest;
mod proxy;
mod quote;
mod registry;
mod size;
mod sysctl;
mod toml;
mod ulimit;
mod unit;

pub use cloud::{Cloud, is_custom_cloud, resource_manager_endpoint};
pub use containerd::{ContainerdConfig, ContainerdError, Family, Variant, containerd_config};
pub use containerd_unit::containerd_unit;
pub use corefile::{CorefileError, Hosts, LocalDns, Override, corefile};
pub use credential_provider::{
    AccountPull, CREDENTIAL_PROVIDER, CredentialProvider, credential_provider_config,
};
pub use firewall::{Firewall, firewall_removal, firewall_rules};
pub use go::double;
pub use gpu::{GpuDriver, gpu_driver};
pub use interface::{SecondaryInterface, secondary_interface};
pub use json::Json;
pub use kubeconfig::{Kubeconfig, KubeconfigUser, kubeconfig};
pub use kubelet::{RETIRED_FLAG, RETIRED_SETTING, kubelet_config, kubelet_setting};
pub use kubelet_unit::{KubeletDefaults, kubelet_defaults, kubelet_unit};
pub use kubenet::KUBENET_TEMPLATE;
pub use local_dns::{LocalDnsEnvironment, hosts_timer, local_dns_environment, local_dns_slice};
pub use manifest::{GpuImage, GpuImages, ManifestError};
pub use proxy::{Proxy, proxy_exports};
pub use registry::{CHINA_LEGACY_REGISTRY, MICROSOFT_REGISTRY, china_legacy_registry, mirrored_registry};
pub use size::{needs_fabric_manager, supports_sgx};
pub use sysctl::{Sysctl, SysctlError, sysctl_file};
pub use ulimit::{UlimitError, Ulimits, containerd_ulimits};
pub use unit::UnitText;
