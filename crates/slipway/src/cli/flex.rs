//! The commands for the owner of a machine that Azure did not make.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Knowledge, Output, Place};

/// What can be done with a machine from anywhere.
#[derive(Debug, Subcommand)]
pub enum Flex {
    /// Write a commented configuration to start from, readable by its owner only
    Init(FlexInit),
    /// Print a configuration with every default and what follows from it, secrets masked; exit 1 with every problem
    Config(FlexConfig),
}

/// Arguments of `flex config`.
#[derive(Debug, Args)]
pub struct FlexConfig {
    /// The configuration; - reads standard input
    pub file: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Print secrets as they are
    #[arg(long)]
    pub show_secrets: bool,
    /// The machine's name is a fact
    #[command(flatten)]
    pub knowledge: Knowledge,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `flex init`.
#[derive(Debug, Args)]
pub struct FlexInit {
    /// Take the API server and its CA from this kubeconfig
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The cluster's resource id, as `az aks show` prints it
    #[arg(long, value_name = "RESOURCE_ID")]
    pub cluster: Option<String>,
    /// The cluster's region, such as westeurope
    #[arg(long, value_name = "REGION")]
    pub location: Option<String>,
    /// The Entra tenant
    #[arg(long, value_name = "UUID")]
    pub tenant: Option<String>,
    /// How the machine authenticates; by default with the token, if one is given
    #[arg(long, value_enum, value_name = "WAY")]
    pub identity: Option<IdentityWay>,
    /// A bootstrap token; others may see it in the list of processes, so --token-file is better
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    pub token: Option<String>,
    /// A file with the bootstrap token; the configuration names the file
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The application id of a service principal, or the client id of a user-assigned identity
    #[arg(long, value_name = "UUID")]
    pub client_id: Option<String>,
    /// A file with the service principal's secret; the configuration names the file
    #[arg(long, value_name = "FILE")]
    pub client_secret_file: Option<PathBuf>,
    /// The node's name, if it is not the host's
    #[arg(long, value_name = "NAME")]
    pub node_name: Option<String>,
    /// Version of Kubernetes, such as 1.34.1
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: Option<String>,
    /// Where to write it
    #[arg(long, value_name = "FILE", default_value = "/etc/aks-flex-node/config.json")]
    pub output: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// How a machine authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IdentityWay {
    /// As the machine in Azure Arc.
    Arc,
    /// As a managed identity of the VM's.
    Managed,
    /// As a service principal.
    ServicePrincipal,
    /// With a bootstrap token.
    Token,
}
