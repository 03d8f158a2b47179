//! The commands, their arguments and their help, as promised to scripts.

mod flex;
mod later;
mod launch;
mod node;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use flex::{
    BundleCreate, BundleFile, Draining, Flex, FlexBundle, FlexConfig, FlexGoal, FlexInit, FlexJoin,
    FlexLeave, FlexPreflight, FlexToken, FlexUpgrade, IdentityWay, Programs,
};
pub use later::Later;
pub use launch::{
    Launch, LaunchDrift, LaunchImages, LaunchInstanceTypes, LaunchRequest, LaunchTemplate, LaunchVariables,
    Live, PayloadForm, Resource,
};
pub use node::{
    Anatomy, AnatomyOutput, Boot, Collect, Doctor, Explain, FactsArguments, Knowledge, MachineDiff, Place,
    Plan, PlanOutput, Progress, Provision, ProvisionMode, ProvisionWait, Reset, StageChoice, Status, Telling,
    Try,
};

/// Turns a machine into a Ready Kubernetes node.
#[derive(Debug, Parser)]
#[command(name = "slipway", version = crate::VERSION, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What Slipway can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write, check and compare node contracts (aksnodeconfig.v1)
    #[command(subcommand)]
    Config(Later<Config>),
    /// Make this machine a node; exits with the result's code
    Provision(Later<Provision>),
    /// Print the steps that would make this machine a node, secrets masked
    Plan(Later<Plan>),
    /// Print what `provision` would change on this machine; exit 0 nothing, 3 something
    Diff(Later<MachineDiff>),
    /// Say where a value comes from: a file, a kubelet flag or key, a label, a variable, a step, a field of the contract
    Explain(Later<Explain>),
    /// Say how far the last attempt came
    Status(Later<Status>),
    /// Show what took which time from the kernel's start to Ready
    Anatomy(Later<Anatomy>),
    /// Gather what tells of this machine's start into one archive, without secrets, for `anatomy --from` or a colleague
    Collect(Later<Collect>),
    /// Undo what `provision` did, its own records included; logs stay
    Reset(Later<Reset>),
    /// Look for what keeps this machine from being a node, and say what to do; exit 0 nothing, 1 something
    Doctor(Later<Doctor>),
    /// Print what is known about this machine, as `--facts` takes it
    Facts(Later<FactsArguments>),
    /// Wait for the result of provisioning and print it
    ProvisionWait(Later<ProvisionWait>),
    /// Print what a VM is created with, or what is inside it
    CustomData(Later<CustomData>),
    /// Order nodes: from a node class to a VM
    #[command(subcommand)]
    Launch(Later<Launch>),
    /// Join and remove machines that Azure did not make: on-premises, other clouds, the edge
    #[command(subcommand)]
    Flex(Later<Flex>),
    /// Start provisioning at boot: wait for the host name, look for a hotfix, hand over to `provision`
    Boot(Later<Boot>),
    /// Explain a result of provisioning: what happened, who has to act, what to try; exit 0 success, 1 failure
    Result(Later<ResultFile>),
    /// Explain an exit code of provisioning
    ExitCode(Later<ExitCode>),
    /// Provision the bundled example below a throw-away directory, and show what happens
    Try(Later<Try>),
    /// Print the version, alone
    Version,
}

/// What can be done with a contract.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// List every problem of a contract with its place; exit 0 valid, 1 invalid
    Validate(Validate),
    /// Print a contract as it is understood, secrets masked
    Show(Show),
    /// Print the variables that the image's scripts get, secrets masked
    Env(Env),
    /// Compare two contracts field by field; exit 0 same, 3 different
    Diff(Diff),
    /// Print the JSON Schema (2020-12) of the contract
    Schema,
    /// Print a commented minimal contract to start from
    New(New),
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Arguments of `config validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// The contract; - reads standard input
    pub file: PathBuf,
    /// Unknown fields and enum values are errors, not warnings
    #[arg(long)]
    pub strict: bool,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}

/// Arguments of `config show`.
#[derive(Debug, Args)]
pub struct Show {
    /// The contract; - reads standard input
    pub file: PathBuf,
    /// Read it as the Go program does: stop at the first error, keep what was read before
    #[arg(long)]
    pub compat: bool,
    /// json: a contract; text: one line for each field that is set
    #[arg(short, long, value_enum, default_value = "json", value_name = "FORMAT")]
    pub output: Output,
    /// Print secrets as they are
    #[arg(long)]
    pub show_secrets: bool,
}

/// Arguments of `config diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The first contract
    pub before: PathBuf,
    /// The second contract; one of the two may be - for standard input
    pub after: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Print secrets as they are
    #[arg(long)]
    pub show_secrets: bool,
}

/// Arguments of `config new`.
#[derive(Debug, Args)]
pub struct New {
    /// Name of the cluster; the node resource group is derived from it
    #[arg(long, value_name = "NAME")]
    pub cluster: Option<String>,
    /// Resource group of the cluster
    #[arg(long, value_name = "NAME")]
    pub resource_group: Option<String>,
    /// Azure region, such as westeurope
    #[arg(long, value_name = "REGION")]
    pub location: Option<String>,
    /// Subscription of the cluster
    #[arg(long, value_name = "UUID")]
    pub subscription: Option<String>,
    /// Tenant of the cluster
    #[arg(long, value_name = "UUID")]
    pub tenant: Option<String>,
    /// Host name of the API server
    #[arg(long, value_name = "HOST")]
    pub api_server: Option<String>,
    /// PEM file with the cluster's CA certificate
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Version of Kubernetes, such as 1.34.1
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: Option<String>,
    /// Size of the VM, such as `Standard_D4s_v5`
    #[arg(long, value_name = "SIZE")]
    pub vm_size: Option<String>,
}

/// Arguments of `custom-data`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["file", "decode"]))]
pub struct CustomData {
    /// The contract; - reads standard input
    pub file: Option<PathBuf>,
    /// Which form: for cloud-init, for Ignition (Flatcar), or the command that the extension runs
    #[arg(long, value_enum, default_value = "boothook", conflicts_with = "decode")]
    pub format: Form,
    /// A toggle for the node, added to the contract's `enabled_features`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = feature, conflicts_with = "decode")]
    pub feature: Vec<(String, String)>,
    /// Let an image without Slipway fetch it from here at boot
    #[arg(long, value_name = "URL", requires = "sha256", conflicts_with = "decode")]
    pub bring: Option<String>,
    /// What the fetched binary has to be
    #[arg(long, value_name = "HEX", requires = "bring")]
    pub sha256: Option<String>,
    /// base64 is what the platform takes, text is for reading; text by default for cse
    #[arg(long, value_enum, conflicts_with = "decode")]
    pub encoding: Option<Encoding>,
    /// Show what is inside custom data, a CSE command, an Ignition document, or the JSON of a VM, a scale set or an
    /// activity-log entry that carries them; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub decode: Option<PathBuf>,
    /// How to print what is inside
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT", requires = "decode")]
    pub output: Output,
    /// Print secrets as they are when decoding
    #[arg(long, requires = "decode")]
    pub show_secrets: bool,
}

/// The forms of custom data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// cloud-init, at its first moment.
    Boothook,
    /// Ignition, on Flatcar.
    Ignition,
    /// cloud-init, the older `write_files` way.
    CloudConfig,
    /// The command of the custom script extension.
    Cse,
}

/// How a payload is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// As the platform takes it.
    Base64,
    /// As it is.
    Text,
}

fn feature(argument: &str) -> Result<(String, String), String> {
    let (key, value) = argument.split_once('=').ok_or("a feature has the form KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Arguments of `config env`.
#[derive(Debug, Args)]
pub struct Env {
    /// The contract; - reads standard input
    pub file: PathBuf,
    /// Exactly as the Go program derives them, its defects included; nothing is masked
    #[arg(long)]
    pub compat: bool,
    /// What is known about the machine, as JSON; by default only this contract is
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// How to print them
    #[arg(short, long, value_enum, default_value = "env", value_name = "FORMAT")]
    pub output: EnvOutput,
    /// Print secrets as they are
    #[arg(long)]
    pub show_secrets: bool,
}

/// How variables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EnvOutput {
    /// NAME='value' lines that a shell reads.
    Env,
    /// One object of strings, sorted.
    Json,
}

/// Arguments of `result`.
#[derive(Debug, Args)]
pub struct ResultFile {
    /// provision.json, or what Azure shows of it: a status text, an instance view; - reads standard input
    #[arg(default_value = slipway_scripts::paths::RESULT)]
    pub file: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}

/// Arguments of `exit-code`.
#[derive(Debug, Args)]
pub struct ExitCode {
    /// The code, as in `ExitCode` of a result
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub code: i64,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
}
