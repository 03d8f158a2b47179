//! The commands for the owner of a machine that Azure did not make.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use slipway_kubernetes::Drain;

use super::{Knowledge, Output, Place, Telling};

/// What can be done with a machine from anywhere.
#[derive(Debug, Subcommand)]
pub enum Flex {
    /// Write a commented configuration to start from, readable by its owner only
    Init(FlexInit),
    /// Print a configuration with every default and what follows from it, secrets masked; exit 1 with every problem
    Config(FlexConfig),
    /// Say what stands against a join, and what to do about it; exit 1 if there would be no node
    Preflight(FlexPreflight),
    /// Make this machine a node of the cluster that its configuration names
    Join(FlexJoin),
    /// Give this node other versions of its programs: pods leave first, and what does not serve is taken back
    Upgrade(FlexUpgrade),
    /// Say what Azure wants of a machine in an agent pool, and whether it is so; exit 0 it is, 1 not
    Goal(FlexGoal),
    /// Take this machine out of its cluster, and put back everything that was there before
    Leave(FlexLeave),
    /// Say what this machine was joined to, how it is kept, and what was repaired; exit 0 healthy, 1 not
    Status(super::Status),
    /// Print a token of the machine's identity as kubelet takes it from a plugin
    Token(FlexToken),
    /// Make, check and show bundles: everything that a machine without a network needs to join
    #[command(subcommand)]
    Bundle(FlexBundle),
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
    /// A file with the bootstrap token; the configuration names the file. With - the token is the next line of standard input,
    /// and stands in the configuration
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
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
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

/// Arguments of `flex preflight`.
#[derive(Debug, Args)]
pub struct FlexPreflight {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub config: PathBuf,
    /// Where the machine's programs would come from
    #[command(flatten)]
    pub programs: Programs,
    /// Take a check's findings as warnings; may be repeated
    #[arg(long, value_name = "CHECK")]
    pub ignore: Vec<String>,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `flex join`.
#[derive(Debug, Args)]
pub struct FlexJoin {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub config: PathBuf,
    /// Where the machine's programs come from
    #[command(flatten)]
    pub programs: Programs,
    /// Print the plan and touch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Leave out a step, or the checks of `flex preflight` by the name preflight; may be repeated
    #[arg(long, value_name = "STEP")]
    pub skip: Vec<String>,
    /// Join in spite of what a check of `flex preflight` finds; may be repeated
    #[arg(long, value_name = "CHECK")]
    pub ignore: Vec<String>,
    /// Turn swap off, now and at each boot, until the machine leaves
    #[arg(long)]
    pub disable_swap: bool,
    /// Ask nothing
    #[arg(short, long)]
    pub yes: bool,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// How progress is told
    #[command(flatten)]
    pub telling: Telling,
}

/// Where programs come from.
#[derive(Debug, Args)]
pub struct Programs {
    /// A bundle that holds them; no network is needed for them then. Without it and --manifest, the configuration says where
    /// they come from
    #[arg(long, value_name = "FILE", conflicts_with_all = ["manifest", "mirror"])]
    pub bundle: Option<PathBuf>,
    /// The list of releases with their addresses and checksums: a file or an address; its signature is beside it, with
    /// `.minisig` at the end of the name
    #[arg(long, value_name = "FILE|URL")]
    pub manifest: Option<String>,
    /// The public key of minisign's that vouches for the bundle or the manifest: its text, or a file; by default what the
    /// configuration says, or /etc/aks-flex-node/release.pub
    #[arg(long, value_name = "KEY|FILE")]
    pub key: Option<String>,
    /// Another place for the same files: TO for all of them, FROM=TO for addresses that begin with FROM; may be repeated.
    /// With a password it belongs into the configuration: others may see arguments
    #[arg(long, value_name = "[FROM=]TO")]
    pub mirror: Vec<String>,
    /// Certificates (PEM) of authorities to trust besides the system's
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

/// Arguments of `flex upgrade`.
#[derive(Debug, Args)]
pub struct FlexUpgrade {
    /// The version of Kubernetes, such as 1.34.3; 1.34 is its newest patch. Without it, what the configuration says
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: Option<String>,
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub config: PathBuf,
    /// Where the new programs come from
    #[command(flatten)]
    pub programs: Programs,
    /// Say what would change and touch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Ask nothing
    #[arg(short, long)]
    pub yes: bool,
    /// The kubeconfig of someone who may drain the node, where its own credential may not
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// How pods leave
    #[command(flatten)]
    pub draining: Draining,
    /// How long the node may take until it serves, in seconds; then the old version takes over again
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub ready_timeout: u64,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// How progress is told
    #[command(flatten)]
    pub telling: Telling,
}

/// How pods leave a node.
#[derive(Debug, Args)]
pub struct Draining {
    /// How long pods may take to leave, in seconds; then nothing is changed
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub drain_timeout: u64,
    /// Let pods go that nobody makes again, and those whose data are on this node only
    #[arg(long)]
    pub lose_pods: bool,
}

impl Draining {
    /// How long pods may take to leave.
    pub fn within(&self) -> Duration {
        Duration::from_secs(self.drain_timeout)
    }

    /// What is asked of the cluster.
    pub fn drain(&self) -> Drain {
        Drain { unmanaged: self.lose_pods, local_data: self.lose_pods }
    }
}

/// Arguments of `flex goal`.
#[derive(Debug, Args)]
pub struct FlexGoal {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub config: PathBuf,
    /// Make it so: another version as `flex upgrade` does, everything else as `flex join` does
    #[arg(long)]
    pub apply: bool,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `flex leave`.
#[derive(Debug, Args)]
pub struct FlexLeave {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub config: PathBuf,
    /// Ask nothing
    #[arg(short, long)]
    pub yes: bool,
    /// The kubeconfig of someone who may delete Nodes; a node itself may not
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// How pods leave
    #[command(flatten)]
    pub draining: Draining,
    /// Leave what was made in Azure as it is, and say so, where nobody is signed in who may remove it
    #[arg(long)]
    pub keep_azure: bool,
    /// Leave even if pods have not left or the cluster cannot be asked, and put back what someone else has changed
    #[arg(long)]
    pub force: bool,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `flex token`.
#[derive(Debug, Args)]
pub struct FlexToken {
    /// The configuration
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub config: PathBuf,
    /// The application that the token is for; AKS's own by default
    #[arg(long, value_name = "UUID", default_value = "6dae42f8-4368-4678-94ff-3960e28e3630")]
    pub server_id: String,
}

/// What can be done with bundles.
#[derive(Debug, Subcommand)]
pub enum FlexBundle {
    /// Fetch everything that a node needs and put it into one signed file
    Create(BundleCreate),
    /// Check a bundle's signature and each of its files; exit 0 whole, 1 not
    Verify(BundleFile),
    /// List what is in a bundle
    Show(BundleFile),
}

/// Arguments of `flex bundle create`.
#[derive(Debug, Args)]
pub struct BundleCreate {
    /// The version of Kubernetes, such as 1.34.3; 1.34 is its newest patch
    #[arg(long, value_name = "VERSION")]
    pub kubernetes: String,
    /// The version of containerd
    #[arg(long, value_name = "VERSION", default_value = "2.1.8")]
    pub containerd: String,
    /// The version of runc
    #[arg(long, value_name = "VERSION", default_value = "1.3.3")]
    pub runc: String,
    /// The version of the network plugins
    #[arg(long, value_name = "VERSION", default_value = "1.7.1")]
    pub cni_plugins: String,
    /// For which processors; may be repeated
    #[arg(long, value_name = "amd64|arm64", default_value = "amd64")]
    pub arch: Vec<String>,
    /// A container image and the archive that has it, as docker save or ctr images export write it; may be repeated.
    /// Machines without a registry need at least the pause image of their configuration
    #[arg(long, value_name = "NAME=ARCHIVE")]
    pub image: Vec<String>,
    /// Another place for the same files: TO for all of them, FROM=TO for addresses that begin with FROM; may be repeated
    #[arg(long, value_name = "[FROM=]TO")]
    pub mirror: Vec<String>,
    /// Certificates (PEM) of authorities to trust besides the system's
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// The secret key of minisign's to sign with, without a password (minisign -G -W)
    #[arg(long, value_name = "FILE")]
    pub sign_key: PathBuf,
    /// Where the bundle goes; its manifest and signature are left beside it
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Arguments of `flex bundle verify` and `show`.
#[derive(Debug, Args)]
pub struct BundleFile {
    /// The bundle
    pub file: PathBuf,
    /// The public key of minisign's that vouches for it: its text, or a file
    #[arg(long, value_name = "KEY|FILE", default_value = "/etc/aks-flex-node/release.pub")]
    pub key: String,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}
