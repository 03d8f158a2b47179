//! `cargo lab bench`: how long machines take to be Ready nodes, as a table and as JSON.

use std::fs;
use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::Value;
use slipway_lab::bench::{self, Bench, Boot, Contender, Run};
use slipway_lab::{Error, Lab, Progress, Storage, product};

/// What is to be measured, and how.
#[derive(Debug, Args)]
pub(crate) struct Wishes {
    /// How often each contender runs.
    #[arg(long, value_name = "N", default_value_t = 10)]
    runs: usize,
    #[command(flatten)]
    load: Load,
    /// How many machines are provisioned at once; the time is until all are Ready.
    #[arg(long, value_name = "K", default_value_t = 1)]
    nodes: usize,
    /// Also measure this command, which is run in the machine; may be repeated.
    #[arg(long = "contender", value_name = "NAME=COMMAND")]
    contenders: Vec<Contender>,
    /// Put these files into the machines of those commands, below the root directory.
    #[arg(long, value_name = "DIRECTORY", requires = "contenders")]
    files: Option<PathBuf>,
    /// Measure this build of Slipway; without it, this source's release build.
    #[arg(long, value_name = "PROGRAM")]
    slipway: Option<PathBuf>,
    /// Write every run to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    other: Other,
    /// Do runs again during which something else used more than 0.12 of a processor.
    #[arg(long)]
    quiet_only: bool,
    /// Clones by overlay instead of copies on disk.
    #[arg(long)]
    overlay: bool,
}

/// Under which condition; without any, under both.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Load {
    /// Only with one busy loop per processor in the machine.
    #[arg(long)]
    busy: bool,
    /// Only without busy loops.
    #[arg(long)]
    idle: bool,
}

/// What is measured instead of a plain start.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Other {
    /// Let the approval of client certificates and the start of containerd take one second longer.
    #[arg(long)]
    delays: bool,
    /// Measure how long after its start a machine begins to be provisioned, under cloud-init: custom data as a
    /// boothook, and the same work in `runcmd`.
    #[arg(long)]
    boot: bool,
}

/// Measures, and prints the table.
pub(crate) fn bench(lab: &Lab, wishes: &Wishes, progress: Progress) -> Result<(), Error> {
    let slipway = wishes.slipway.clone().map_or_else(|| product::provide(progress), Ok)?;
    if wishes.other.boot {
        let boots = bench::boots(lab, &slipway, wishes.runs, progress)?;
        return told(wishes, &boots.iter().map(Boot::json).collect(), &bench::boot_table(&boots));
    }
    let mut contenders = vec![Contender::floor_cold(), Contender::slipway()];
    if !wishes.other.delays {
        contenders.splice(0..0, [Contender::floor(), Contender::slipway_warm()]);
    }
    contenders.extend_from_slice(&wishes.contenders);
    let bench = Bench {
        contenders,
        runs: wishes.runs,
        busy: match (wishes.load.idle, wishes.load.busy) {
            (true, _) => vec![false],
            (_, true) => vec![true],
            _ => vec![false, true],
        },
        nodes: wishes.nodes,
        storage: if wishes.overlay { Storage::Overlay } else { Storage::Copy },
        slipway,
        files: wishes.files.clone(),
        delay: wishes.other.delays.then_some(Duration::from_secs(1)),
        quiet_only: wishes.quiet_only,
    };
    let runs = bench.run(lab, progress)?;
    told(wishes, &runs.iter().map(Run::json).collect(), &bench::table(&runs))
}

fn told(wishes: &Wishes, all: &Value, table: &str) -> Result<(), Error> {
    if let Some(file) = &wishes.json {
        fs::write(file, format!("{all:#}\n")).map_err(|source| Error::file("write", file, source))?;
    }
    let _ = write!(stdout(), "{table}");
    Ok(())
}
