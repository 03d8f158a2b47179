//! `cargo lab`: real Kubernetes and real machines on this machine.
#![expect(clippy::disallowed_methods, reason = "the lab drives a whole machine")]

mod join;

use std::fs;
use std::io::{Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use slipway_lab::bench::{self, Bench, Contender, Run};
use slipway_lab::boot::{self, CustomData};
use slipway_lab::image::Kind;
use slipway_lab::{Error, Lab, LabName, Lifetime, Order, Progress, Storage, native, product};

/// Real Kubernetes and real systemd machines on this machine; needs root.
#[derive(Debug, Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab")]
struct Arguments {
    /// The lab's name; labs of different names run side by side.
    #[arg(long, global = true, default_value = "lab")]
    name: LabName,
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Installs what is missing, builds the programs and the machines' images.
    Setup,
    /// Starts the control plane.
    Up,
    /// Boots machines, makes them nodes, runs a pod on each, and shows where the time went.
    Join(join::Join),
    /// Boots a machine and leaves it as it is.
    Boot {
        /// The machine's name.
        machine: String,
        /// An image with nothing of Kubernetes in it.
        #[arg(long)]
        plain: bool,
        /// Boot with cloud-init and this custom data, as a virtual machine does.
        #[arg(long, value_name = "FILE", conflicts_with = "plain")]
        custom_data: Option<PathBuf>,
        /// The build of Slipway in the image; without it, this source's.
        #[arg(long, value_name = "PROGRAM", conflicts_with = "plain")]
        slipway: Option<PathBuf>,
    },
    /// Measures how long machines take to be Ready nodes, and what it costs, in interleaved runs.
    Bench(BenchArguments),
    /// Runs kubectl against the lab's cluster.
    Kubectl {
        /// What kubectl is asked.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs a command in a machine.
    Run {
        /// The machine's name.
        node: String,
        /// The command.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<String>,
    },
    /// Runs the end-to-end tests.
    Test {
        /// Everything as often as before a release.
        #[arg(long)]
        full: bool,
        /// Only tests whose names contain this.
        filter: Option<String>,
    },
    /// Prints the end of every log, and the journal of every machine.
    Logs,
    /// Ends the lab and removes everything that it made.
    Down,
}

#[derive(Debug, Args)]
struct BenchArguments {
    /// How often each contender runs.
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// Only with one busy loop per processor in the machine; without this and --idle, both.
    #[arg(long, conflicts_with = "idle")]
    busy: bool,
    /// Only without busy loops.
    #[arg(long)]
    idle: bool,
    /// How many machines are provisioned at once; the time is until all are Ready.
    #[arg(long, default_value_t = 1)]
    nodes: usize,
    /// Also measure this command, which is run in the machine; may be repeated.
    #[arg(long = "contender", value_name = "NAME=COMMAND")]
    contenders: Vec<Contender>,
    /// Measure this build of Slipway.
    #[arg(long, value_name = "PROGRAM")]
    slipway: Option<PathBuf>,
    /// Write every run to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Let the approval of client certificates and the start of containerd take one second longer.
    #[arg(long)]
    delays: bool,
    /// Do runs again during which something else used more than 0.12 of a processor.
    #[arg(long)]
    quiet_only: bool,
    /// Clones by overlay instead of copies on disk.
    #[arg(long)]
    overlay: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match carry_out(&arguments) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(arguments: &Arguments) -> Result<ExitCode, Error> {
    let progress = Progress::shown();
    let name = &arguments.name;
    match &arguments.command {
        What::Setup => setup(progress)?,
        What::Up => drop(up(name, progress)?),
        What::Join(wishes) => join::join(&up(name, progress)?, wishes, progress)?,
        What::Boot { machine, plain: true, .. } => {
            let order = Order { kind: Kind::Plain, ..Order::default() };
            up(name, progress)?.boot(machine, &order, progress)?;
        }
        What::Boot { machine, custom_data, slipway, .. } => {
            let slipway = slipway.clone().map_or_else(|| product::provide(progress), Ok)?;
            boot(&up(name, progress)?, machine, slipway, custom_data.as_deref(), progress)?;
        }
        What::Bench(arguments) => bench(name, arguments, progress)?,
        What::Kubectl { arguments } => {
            let lab = Lab::find(name)?;
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            return exit_code(&mut lab.cluster.kubectl(&lab.space, &arguments));
        }
        What::Run { node, command } => {
            let lab = Lab::find(name)?;
            let machine = lab.machine(node)?;
            let (program, rest) =
                command.split_first().map_or(("true", &[][..]), |(first, rest)| (first, rest));
            return exit_code(machine.command(program).args(rest));
        }
        What::Test { full, filter } => return test(*full, filter.as_deref(), progress),
        What::Logs => logs(&Lab::find(name)?),
        What::Down => progress.part("taking the lab down", || Lab::down(name))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn setup(progress: Progress) -> Result<(), Error> {
    slipway_lab::provide(progress)?;
    Lab::set_up(&product::provide(progress)?, progress)?;
    progress.note("the lab is set up; `cargo lab join` makes a node");
    Ok(())
}

/// The tests are shown by their own program as they run.
fn test(full: bool, filter: Option<&str>, progress: Progress) -> Result<ExitCode, Error> {
    setup(progress)?;
    let start = Instant::now();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--package", "slipway-lab"]).args(filter).current_dir(env!("CARGO_MANIFEST_DIR"));
    if full {
        cargo.env("SLIPWAY_LAB_FULL", "1");
    }
    let status = cargo.status().map_err(|source| Error::Start { program: "cargo".to_owned(), source })?;
    let seconds = start.elapsed().as_secs();
    if status.success() {
        progress.note(&format!("all tests passed in {seconds} s"));
        return Ok(ExitCode::SUCCESS);
    }
    progress.note(&format!("there were failures after {seconds} s; they are told above"));
    Ok(ExitCode::FAILURE)
}

fn up(name: &LabName, progress: Progress) -> Result<Lab, Error> {
    slipway_lab::provide(progress)?;
    Lab::up(name, Lifetime::UntilDown, progress)
}

/// A machine that Azure knows only as long as this command runs: with custom data, until its result is there.
fn boot(
    lab: &Lab,
    name: &str,
    slipway: PathBuf,
    custom_data: Option<&Path>,
    progress: Progress,
) -> Result<(), Error> {
    let order = Order { slipway: Some(slipway), ..Order::default() };
    let Some(file) = custom_data else { return lab.boot(name, &order, progress).map(drop) };
    let mut machine = lab.prepare(name, &order, progress)?;
    boot::seed(&machine, &CustomData::read(file)?)?;
    let _azure = native::azure(lab, &[&machine])?;
    machine.switch_on()?;
    let report = progress.part("waiting as the extension does", || boot::extension(&machine))?;
    let code = report.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let _ = writeln!(stdout(), "{}\nexit code: {code}", report.output.trim_end());
    Ok(())
}

fn bench(name: &LabName, arguments: &BenchArguments, progress: Progress) -> Result<(), Error> {
    let mut contenders = vec![Contender::floor_cold()];
    if arguments.slipway.is_some() {
        contenders.push(Contender::slipway());
    }
    if !arguments.delays {
        contenders.insert(0, Contender::floor());
        contenders.extend(arguments.slipway.is_some().then(Contender::slipway_warm));
    }
    contenders.extend_from_slice(&arguments.contenders);
    let bench = Bench {
        contenders,
        runs: arguments.runs,
        busy: match (arguments.idle, arguments.busy) {
            (true, _) => vec![false],
            (_, true) => vec![true],
            _ => vec![false, true],
        },
        nodes: arguments.nodes,
        storage: if arguments.overlay { Storage::Overlay } else { Storage::Copy },
        slipway: arguments.slipway.clone(),
        delay: arguments.delays.then_some(Duration::from_secs(1)),
        quiet_only: arguments.quiet_only,
    };
    let runs = bench.run(&up(name, progress)?, progress)?;
    if let Some(file) = &arguments.json {
        let all = serde_json::Value::from(runs.iter().map(Run::json).collect::<Vec<_>>());
        fs::write(file, format!("{all:#}\n")).map_err(|source| Error::file("write", file, source))?;
    }
    let _ = write!(stdout(), "{}", bench::table(&runs));
    Ok(())
}

fn logs(lab: &Lab) {
    let entries = fs::read_dir(lab.directory()).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "log")).collect();
    files.sort();
    let mut out = stdout();
    for file in files {
        let _ = writeln!(out, "==> {} <==", file.display());
        let text = fs::read_to_string(&file).unwrap_or_default();
        let from = text.lines().count().saturating_sub(20);
        for line in text.lines().skip(from) {
            let _ = writeln!(out, "{line}");
        }
    }
    for machine in lab.machines() {
        let journal = machine.run("journalctl", &["--no-pager", "--lines=100"]);
        let _ = writeln!(out, "==> {}: journal <==\n{}", machine.name, journal.unwrap_or_default());
    }
}

fn exit_code(command: &mut Command) -> Result<ExitCode, Error> {
    let status = command.status().map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
