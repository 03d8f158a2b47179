//! The commands on a node, and what many of them take.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Output;

/// Where the machine is.
#[derive(Debug, Args)]
pub struct Place {
    /// Take every path of the node below this directory, start no service and change no kernel setting;
    /// `SLIPWAY_ROOT` says the same
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// What is known about the machine.
#[derive(Debug, Args)]
pub struct Knowledge {
    /// Use these facts instead of gathering them; `slipway facts` prints some
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
}

/// How the user is told how it goes.
#[derive(Debug, Args)]
pub struct Telling {
    /// How progress is told on standard error: auto is bars on a terminal and plain lines elsewhere
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    pub progress: Progress,
    /// Name everything that changes
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Name only what goes wrong
    #[arg(short, long)]
    pub quiet: bool,
}

/// How progress is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// As the terminal allows.
    Auto,
    /// One line for each step.
    Plain,
    /// One line of JSON for each event (docs/reference/progress.schema.json).
    Json,
    /// Not at all.
    None,
}

/// Arguments of `provision`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).multiple(true).args(["provision_config", "nbc_cmd"]))]
pub struct Provision {
    /// The contract
    #[arg(long, value_name = "FILE")]
    pub provision_config: Option<PathBuf>,
    /// A pre-rendered command; it is what runs, the contract is compared with it (scripts only)
    #[arg(long, value_name = "FILE")]
    pub nbc_cmd: Option<PathBuf>,
    /// How: natively, or by the image's scripts; scripts where a pre-rendered command is given
    #[arg(long, value_enum)]
    pub mode: Option<ProvisionMode>,
    /// Print the plan and touch nothing; by scripts: do everything but start the command
    #[arg(long)]
    pub dry_run: bool,
    /// Which part: what an image can hold, what belongs to the node, or all of it
    #[arg(long, value_enum, default_value = "all")]
    pub stage: StageChoice,
    /// Leave out this step; may be repeated
    #[arg(long, value_name = "STEP")]
    pub skip: Vec<String>,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// What is known about it
    #[command(flatten)]
    pub knowledge: Knowledge,
    /// How progress is told
    #[command(flatten)]
    pub telling: Telling,
}

/// How a machine is provisioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProvisionMode {
    /// By Slipway itself.
    Native,
    /// By the image's scripts.
    Scripts,
}

/// Which part of provisioning is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StageChoice {
    /// What an image can hold: nothing secret, nothing of one node.
    Bake,
    /// The rest, on the node.
    Join,
    /// Both.
    All,
}

/// Arguments of `provision-wait`.
#[derive(Debug, Args)]
pub struct ProvisionWait {
    /// Give up after this long, such as 90s or 15m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Exit with the result's own code instead of 1
    #[arg(long)]
    pub exit_code: bool,
}

/// A duration as people write it: `90s`, `15m`, `1h30m`, `250ms`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let unit = tail.find(|letter: char| letter.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        let number: u64 = number.parse().map_err(|_| "a duration looks like 90s, 15m or 1h30m")?;
        let milliseconds = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return Err("the units are ms, s, m and h".to_owned()),
        };
        total = number
            .checked_mul(milliseconds)
            .and_then(|amount| total.checked_add(Duration::from_millis(amount)))
            .ok_or("that is too long")?;
        rest = tail;
    }
    if text.is_empty() { Err("a duration looks like 90s, 15m or 1h30m".to_owned()) } else { Ok(total) }
}

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct Plan {
    /// The contract; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub provision_config: PathBuf,
    /// text for people, json with all contents and sources, dot for graphviz
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: PlanOutput,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// What is known about it
    #[command(flatten)]
    pub knowledge: Knowledge,
}

/// How a plan is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlanOutput {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For graphviz.
    Dot,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct MachineDiff {
    /// The contract; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub provision_config: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// What is known about it
    #[command(flatten)]
    pub knowledge: Knowledge,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A path, a unit, a kubelet flag or key, a label, a sysctl, a key of azure.json, a script variable, a step, or a
    /// field of the contract
    #[arg(allow_hyphen_values = true)]
    pub what: String,
    /// The contract; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub provision_config: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// What is known about it
    #[command(flatten)]
    pub knowledge: Knowledge,
}

/// Arguments of `status`.
#[derive(Debug, Args)]
pub struct Status {
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// How an anatomy is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnatomyOutput {
    /// For the terminal.
    Text,
    /// For programs.
    Json,
    /// A picture.
    Svg,
    /// A page for a browser.
    Html,
}

/// Arguments of `anatomy`.
#[derive(Debug, Args)]
pub struct Anatomy {
    /// Read what was collected from some node, by whomever it was made, instead of this machine
    #[arg(long, value_name = "DIR|ARCHIVE")]
    pub from: Option<PathBuf>,
    /// Put starts side by side, phase by phase; with many, percentiles. One alone is compared with --from or this machine
    #[arg(long, value_name = "DIR|ARCHIVE", num_args = 1..)]
    pub compare: Vec<PathBuf>,
    /// Draw the longest first
    #[arg(long)]
    pub longest: bool,
    /// How to print the result; html is one page that needs nothing else
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: AnatomyOutput,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `collect`.
#[derive(Debug, Args)]
pub struct Collect {
    /// The archive, readable by its owner only; by default slipway-NAME-TIME.tar.gz in this directory
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep at most this many MiB of each file: its beginning and its end
    #[arg(long, value_name = "MIB", default_value = "8")]
    pub most: u32,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `reset`.
#[derive(Debug, Args)]
pub struct Reset {
    /// Also put back what someone else has changed since
    #[arg(long)]
    pub force: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    /// The contract that the machine was provisioned from
    #[arg(long, value_name = "FILE", default_value = slipway_scripts::paths::CONTRACT)]
    pub provision_config: PathBuf,
    /// How to print the result
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub output: Output,
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
    /// What is known about it
    #[command(flatten)]
    pub knowledge: Knowledge,
}

/// Arguments of `facts`.
#[derive(Debug, Args)]
pub struct FactsArguments {
    /// Where the machine is
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `try`.
#[derive(Debug, Args)]
pub struct Try {
    /// Where; by default a new directory below the one for temporary files
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// Arguments of `boot`.
#[derive(Debug, Args)]
pub struct Boot {
    /// How long the kernel may take to get the name in /etc/hostname, before boot goes on without
    #[arg(long = "hostname-timeout", default_value_t = 60, value_name = "SECONDS")]
    pub host_name_timeout: u64,
}
