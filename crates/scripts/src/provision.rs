//! Provisioning by the image's scripts: a contract becomes their environment, or a command file is run as it is.

use std::path::PathBuf;

use slipway_host as host;
use slipway_model::Mode;
use slipway_timeline::{EventLevel, Record};

use crate::command::{Command, Finished};
use crate::compare::compare;
use crate::contract::Given;
use crate::lost::Lost;
use crate::report::Report;
use crate::result;

const TASK: &str = "Provision";

/// The code of every failure that happens before the scripts run.
const OWN_FAILURE: &str = "240";

/// The guest agent takes messages of 3 KiB, and the times are part of them.
const MOST_BYTES: usize = 2_900;

/// What is to be provisioned, and how.
#[derive(Debug)]
pub struct Order {
    /// The contract.
    pub contract: Option<PathBuf>,
    /// The pre-rendered command; where it is given it is what runs, and the contract is only compared with it.
    pub command: Option<PathBuf>,
    /// Do everything but start the command.
    pub dry_run: bool,
    /// Whose rules apply.
    pub mode: Mode,
}

/// Why provisioning failed.
#[derive(Debug)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// The exit code for our own process.
    pub code: u8,
    /// The exit code for the result file.
    pub(crate) result_code: String,
    /// What the command printed.
    pub(crate) output: String,
}

impl Failure {
    pub(crate) fn own(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1, result_code: OWN_FAILURE.to_owned(), output: String::new() }
    }
}

/// Makes the node, and leaves a result behind where the scripts do not.
pub fn provision(order: &Order, report: &Report) -> Result<(), Failure> {
    let start = host::now();
    report.log(&Record::info("aks-node-controller started").with("task", TASK));
    if order.mode == Mode::Ours && !order.dry_run && result::is_success() {
        report.log(&Record::info("the node is provisioned already; nothing to do"));
        return Ok(());
    }
    report.event(TASK, EventLevel::Informational, "Starting", &start);
    let mut lost = Lost::default();
    let ended = attempt(order, report, &mut lost);
    if let Err(failure) = &ended {
        result::leave(failure, &lost, order.mode, report);
        let mut message = lost.after(&format!("aks-node-controller exited with error {}", failure.message));
        if order.mode == Mode::Ours {
            message.truncate(message.floor_char_boundary(MOST_BYTES));
        }
        report.event(TASK, EventLevel::Error, &message, &start);
        report.log(&Record::error("aks-node-controller failed").with("error", failure.message.as_str()));
    } else {
        report.event(TASK, EventLevel::Informational, &lost.after("Completed"), &start);
        report.log(&Record::info("aks-node-controller finished successfully."));
    }
    ended
}

fn attempt(order: &Order, report: &Report, lost: &mut Lost) -> Result<(), Failure> {
    if order.mode == Mode::Ours && !order.dry_run {
        result::sweep().map_err(Failure::own)?;
    }
    let command = match (&order.command, &order.contract) {
        (Some(path), _) => {
            let command = Command::file(path, order.mode).map_err(Failure::own)?;
            let record = Record::info("Using NBC command for scriptless phase 2");
            report.log(&record.with("NBCCmdFile", path.display().to_string()));
            command
        }
        (None, Some(path)) => {
            let given = Given::read(path, order.mode, report).map_err(Failure::own)?;
            let variables = given.variables(order.mode, report).map_err(Failure::own)?;
            let command = Command::scripts(&variables, order.mode).map_err(Failure::own)?;
            drop(variables);
            *lost = given.lost;
            command
        }
        (None, None) => return Err(Failure::own("--provision-config or --nbc-cmd is required")),
    };
    let sentinel = command.sentinel();
    let finished = if order.dry_run {
        report.log(&Record::info("dry-run").with("cmd", command.text()));
        Finished::not_run()
    } else {
        command.run(order.mode)
    };
    if let (Some(contract), Some(command)) = (&order.contract, &order.command) {
        compare(contract, command, order.mode, report);
    }
    report.log(
        &Record::info("CSE finished")
            .with("exitCode", finished.code)
            .with("stdout", finished.stdout.as_str())
            .with("stderr", finished.stderr.as_str())
            .with("error", finished.error.clone()),
    );
    match finished.error {
        None if order.mode == Mode::Ours && !order.dry_run => {
            result::confirm(sentinel, lost, report).map_err(Failure::own)
        }
        None => Ok(()),
        Some(message) => Err(Failure {
            message,
            code: finished.process_code,
            result_code: finished.code.to_string(),
            output: format!("{}\n{}", finished.stdout, finished.stderr),
        }),
    }
}
