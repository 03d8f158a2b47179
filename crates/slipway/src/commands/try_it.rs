//! `slipway try`: the bundled example, provisioned below a throw-away directory.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{make_directory, os_text, publish};
use slipway_timeline::Sorted;

use crate::cli::{Progress, StageChoice, Telling, Try};
use crate::commands::provision::{Order, Told, natively};
use crate::commands::{anatomy, plan};
use crate::failure::Failure;
use crate::native::planned::Planned;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

const CONTRACT: &str = include_str!("../../../../examples/contract.json");
const FACTS: &str = include_str!("../../../../examples/facts.json");

/// Where the example is: contract and facts beside the directory that stands for the machine.
struct Example {
    contract: PathBuf,
    facts: PathBuf,
    root: PathBuf,
}

pub(crate) fn run(
    arguments: &Try,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let directory = arguments
        .root
        .clone()
        .unwrap_or_else(|| std::env::temp_dir().join(format!("slipway-try-{}", std::process::id())));
    let example = Example::lay_out(&directory).map_err(|error| {
        Failure::machine(
            "no-directory",
            format!("cannot write below {}", directory.display()),
            os_text(&error),
        )
    })?;
    let host = around.host_at(Some(&example.root))?;

    screen.line("The plan: what provisioning will do, from the contract and the facts of a machine.\n");
    let planned = Planned::new(&example.contract, Some(example.facts.as_path()), &*host, screen)?;
    plan::text(&planned.given.name, &planned.plan, screen);
    screen.flush()?;

    screen.line(
        "\nDoing it, below a directory: files are real, services and kernel settings are left alone.\n",
    );
    screen.flush()?;
    let order = Order {
        contract: &example.contract,
        facts: Some(&example.facts),
        root: Some(example.root.clone()),
        stage: StageChoice::All,
        skip: BTreeSet::new(),
    };
    let telling = Telling { progress: Progress::Auto, verbose: false, quiet: false };
    natively(&order, Told::new(&telling), around, screen)?;

    screen.line("\nThe timeline.\n");
    anatomy::draw(&anatomy::of_machine(&*host), Sorted::ByTime, screen);
    next(&example, screen);
    Ok(Outcome::Done)
}

impl Example {
    fn lay_out(directory: &Path) -> io::Result<Self> {
        let example = Self {
            contract: directory.join("contract.json"),
            facts: directory.join("facts.json"),
            root: directory.join("root"),
        };
        make_directory(&example.root)?;
        publish(&example.contract, CONTRACT.as_bytes(), 0o600)?;
        publish(&example.facts, FACTS.as_bytes(), 0o644)?;
        Ok(example)
    }
}

fn next(example: &Example, screen: &mut Screen) {
    let given = format!(
        "--provision-config {} --facts {} --root {}",
        example.contract.display(),
        example.facts.display(),
        example.root.display()
    );
    screen.line(format_args!("\nThe files are below {}. Now try:\n", example.root.display()));
    for command in [
        format!("slipway explain maxPods {given}"),
        format!("slipway explain /etc/default/kubelet {given}"),
        format!("slipway diff {given}"),
        format!("slipway provision {given}"),
        format!("slipway status --root {}", example.root.display()),
        format!("slipway reset --root {}", example.root.display()),
    ] {
        screen.line(format_args!("  {command}"));
    }
}
