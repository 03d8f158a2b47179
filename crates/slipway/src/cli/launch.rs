//! The commands for whoever orders nodes.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::node::duration;
use super::{EnvOutput, Output};

/// What can be done for a node that is still to be ordered.
#[derive(Debug, Subcommand)]
pub enum Launch {
    /// Print the JSON Schema (2020-12) of the launch request
    Schema,
    /// Print the bootstrap variables of a node by script name, secrets masked
    Variables(LaunchVariables),
    /// Print what a VM is created from: launch template, custom data and body, secrets masked
    Template(LaunchTemplate),
    /// Print the images that fit, best first, and why others fell out
    Images(LaunchImages),
    /// Say whether a node is still what would be launched now; exit 0 yes, 3 drifted
    Drift(LaunchDrift),
    /// Print the sizes that are offered for a node class, and why others are not
    InstanceTypes(LaunchInstanceTypes),
    /// Print a launch request to start from, detected from a cluster, its description and a launcher's settings
    Request(LaunchRequest),
}

/// Arguments of `launch variables`.
#[derive(Debug, Args)]
pub struct LaunchVariables {
    /// The launch request; - reads standard input
    pub file: PathBuf,
    /// Exactly as Karpenter's Azure provider, its defects included; nothing is masked
    #[arg(long)]
    pub compat: bool,
    /// Say for each where it came from and what it won over
    #[arg(long)]
    pub explain: bool,
    /// How to print them; by default env, with --explain json
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<EnvOutput>,
    /// Print secrets as they are
    #[arg(long)]
    pub show_secrets: bool,
    /// A live cluster for what the request leaves out
    #[command(flatten)]
    pub live: Live,
}

/// Arguments of `launch template`.
#[derive(Debug, Args)]
pub struct LaunchTemplate {
    /// The launch request; - reads standard input
    pub file: PathBuf,
    /// Exactly as Karpenter's Azure provider, its defects included; nothing is masked
    #[arg(long)]
    pub compat: bool,
    /// What the node is bootstrapped with: a script of variables, or a contract
    #[arg(long, value_enum, default_value = "variables")]
    pub payload: PayloadForm,
    /// What the node is made as: a VM (member vm), a scale set (scaleSet), or an AKS machine (machine)
    #[arg(long, value_enum, default_value = "vm")]
    pub resource: Resource,
    /// json: everything; text: a summary
    #[arg(short, long, value_enum, default_value = "json", value_name = "FORMAT")]
    pub output: Output,
    /// Print custom data and command as they are
    #[arg(long)]
    pub show_secrets: bool,
    /// A live cluster for what the request leaves out
    #[command(flatten)]
    pub live: Live,
}

/// What a node is bootstrapped with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PayloadForm {
    /// A script of variables for the scripts of the node image.
    Variables,
    /// A contract for a node that provisions itself.
    Contract,
}

/// What a node is made as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Resource {
    /// A VM of its own.
    Vm,
    /// An instance of a scale set.
    ScaleSet,
    /// A machine of AKS.
    Machine,
}

/// Arguments of `launch images`.
#[derive(Debug, Args)]
pub struct LaunchImages {
    /// What is wanted and what the galleries have, or a launch request; - reads standard input
    pub file: PathBuf,
    /// Exactly as Karpenter's Azure provider, its defects included
    #[arg(long)]
    pub compat: bool,
    /// A live cluster, for what a launch request leaves out
    #[command(flatten)]
    pub live: Live,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}

/// Arguments of `launch drift`.
#[derive(Debug, Args)]
pub struct LaunchDrift {
    /// What is known of the node, its claim and its class; - reads standard input
    pub file: PathBuf,
    /// Exactly as Karpenter's Azure provider, which differs in nothing here
    #[arg(long)]
    pub compat: bool,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}

/// Arguments of `launch instance-types`.
#[derive(Debug, Args)]
pub struct LaunchInstanceTypes {
    /// Region, options, node class and sizes; - reads standard input
    pub file: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}

/// Arguments of `launch request`.
#[derive(Debug, Args)]
pub struct LaunchRequest {
    /// What `az aks show` prints, for network and identity
    #[arg(long, value_name = "FILE")]
    pub cluster_json: Option<PathBuf>,
    /// Karpenter's settings: environment (lines of NAME=value), config map, deployment or Helm values
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// A node class (`AKSNodeClass`), as YAML or JSON
    #[arg(long, value_name = "FILE")]
    pub node_class: Option<PathBuf>,
    /// What `az vm list-skus` prints, for the size
    #[arg(long, value_name = "FILE", requires = "size")]
    pub sizes: Option<PathBuf>,
    /// The VM size, such as `Standard_D4s_v5`
    #[arg(long, value_name = "NAME", requires = "sizes")]
    pub size: Option<String>,
    /// Print secrets; without it they are left out
    #[arg(long)]
    pub show_secrets: bool,
    /// A live cluster, for version, certificates, endpoint and DNS service
    #[command(flatten)]
    pub live: Live,
}

/// A live cluster.
#[derive(Debug, Args)]
pub struct Live {
    /// Ask the API server of this kubeconfig for what is left out
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// How long the API server may take for all of it
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration, requires = "kubeconfig")]
    pub within: Duration,
}
