//! `cargo lab`: real Kubernetes and real machines on this machine.
#![expect(clippy::disallowed_methods, reason = "the lab drives a whole machine")]

mod join;
mod measure;

use std::fs;
use std::io::{Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::{Parser, Subcommand};
use slipway_lab::boot::{self, CustomData};
use slipway_lab::image::Kind;
use slipway_lab::{Error, Lab, LabName, Lifetime, Order, Progress, native, product};

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
    Bench(measure::Wishes),
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
        What::Bench(wishes) => measure::bench(&up(name, progress)?, wishes, progress)?,
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
            // Azure is there while something may ask it, unless another command has it there already.
            let _azure = native::azure(&lab, &lab.machines().iter().collect::<Vec<_>>()).ok();
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

fn logs(lab: &Lab) {
    let logs = |directory: PathBuf| {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<_> =
            entries.filter(|path| path.extension().is_some_and(|it| it == "log")).collect();
        files.sort();
        files
    };
    let consoles =
        lab.machines().into_iter().flat_map(|it| logs(lab.directory().join("machines").join(it.name)));
    let files = logs(lab.directory()).into_iter().chain(consoles);
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
