//! `cargo lab`: real Kubernetes and real machines on this machine.
#![expect(clippy::disallowed_methods, reason = "the lab drives a whole machine")]

use std::fs;
use std::io::{Write as _, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use slipway_lab::image::{Kind, POD};
use slipway_lab::{
    Error, Image, Lab, LabName, Lifetime, Order, Programs, Progress, Storage, Store, floor, native,
};

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
    /// Boots a machine, makes it a node, and runs a pod on it.
    Join {
        /// The node's name.
        #[arg(default_value = "node-1")]
        node: String,
        /// A full copy of the image instead of an overlay.
        #[arg(long)]
        copy: bool,
        /// Provision with this build of Slipway; without it, by the floor: files written beforehand, and kubelet.
        #[arg(long, value_name = "PROGRAM")]
        slipway: Option<PathBuf>,
    },
    /// Boots a machine and leaves it as it is.
    Boot {
        /// The machine's name.
        machine: String,
        /// An image with nothing of Kubernetes in it.
        #[arg(long)]
        plain: bool,
    },
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
        What::Join { node, copy, slipway } => {
            join(&up(name, progress)?, node, *copy, slipway.as_deref(), progress)?;
        }
        What::Boot { machine, plain } => {
            let kind = if *plain { Kind::Plain } else { Kind::Aks };
            up(name, progress)?.boot(machine, &Order { kind, ..Order::default() }, progress)?;
        }
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
        What::Logs => logs(&Lab::find(name)?),
        What::Down => progress.part("taking the lab down", || Lab::down(name))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn setup(progress: Progress) -> Result<(), Error> {
    slipway_lab::provide(progress)?;
    let store = Store::open()?;
    let programs = Programs::provide(&store, progress)?;
    for kind in [Kind::Aks, Kind::Plain] {
        Image::provide(kind, &store, &programs, progress)?;
    }
    progress.note("the lab is set up; `cargo lab join` makes a node");
    Ok(())
}

fn up(name: &LabName, progress: Progress) -> Result<Lab, Error> {
    slipway_lab::provide(progress)?;
    Lab::up(name, Lifetime::UntilDown, progress)
}

fn join(lab: &Lab, node: &str, copy: bool, slipway: Option<&Path>, progress: Progress) -> Result<(), Error> {
    let storage = if copy { Storage::Copy } else { Storage::Overlay };
    // A machine that an interrupted join has left goes on from there.
    let machine = match lab.machine(node) {
        Ok(mut machine) => {
            machine.wait_running()?;
            machine
        }
        Err(_) => lab.boot(node, &Order { storage, ..Order::default() }, progress)?,
    };
    let joined = progress.part(&format!("joining {node}"), || match slipway {
        Some(program) => native::provision(lab, &machine, program),
        None => floor::provision(lab, &machine),
    })?;
    let pod = format!("on-{node}");
    let address = progress.part("running a pod", || lab.cluster.run_pod(&lab.space, &pod, node, POD))?;
    let url = format!("http://{address}:8080/");
    let answer = progress.part("asking the pod", || machine.run("curl", &["--silent", "--fail", &url]))?;
    let _ = writeln!(
        stdout(),
        "{node} is Ready {:.2} s after its start; pod {} answers at {address}",
        joined.ready.as_secs_f64(),
        answer.trim()
    );
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

fn exit_code(command: &mut std::process::Command) -> Result<ExitCode, Error> {
    let status = command.status().map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
