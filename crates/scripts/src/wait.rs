//! Waiting for the result of provisioning, however and by whomever it is done.

use std::path::Path;
use std::time::Duration;

use slipway_host::{self as host, Waited, Watch};
use slipway_model::Mode;
use slipway_timeline::{EventLevel, Record, judge, text};

use crate::paths;
use crate::report::Report;

const TASK: &str = "ProvisionWait";

/// What a waiter learned.
#[derive(Debug)]
pub struct Verdict {
    /// The result file, as it is; empty where it could not be read.
    pub result: Vec<u8>,
    /// Why it is not a success.
    pub failure: Option<Failure>,
}

/// Why waiting did not end in a success.
#[derive(Debug)]
pub struct Failure {
    /// The sentence.
    pub message: String,
    /// The exit code that the result names.
    pub exit_code: Option<i64>,
    /// Whether time ran out before there was a result.
    pub timed_out: bool,
}

/// Waits for the sentinel and judges the result.
pub fn wait(timeout: Option<Duration>, mode: Mode, report: &Report) -> Verdict {
    let start = host::now();
    report.log(&Record::info("aks-node-controller started").with("task", TASK));
    report.event(TASK, EventLevel::Informational, "Starting", &start);
    let mut result = Vec::new();
    let failure = sentinel(timeout, mode).and_then(|()| verdict(&mut result)).err();
    if let Some(failure) = &failure {
        let message = format!("aks-node-controller exited with error {}", failure.message);
        report.event(TASK, EventLevel::Error, &message, &start);
        report.log(&Record::error("aks-node-controller failed").with("error", failure.message.as_str()));
    } else {
        report.event(TASK, EventLevel::Informational, "Completed", &start);
        report.log(&Record::info("aks-node-controller finished successfully."));
    }
    report.log(&Record::info("provision-wait finished").with("provisionOutput", text(&result)));
    Verdict { result, failure }
}

fn sentinel(timeout: Option<Duration>, mode: Mode) -> Result<(), Failure> {
    let failed = |message: String| Failure { message, exit_code: None, timed_out: false };
    let path = Path::new(paths::COMPLETE);
    let directory = Path::new(paths::CONTAINERS);
    host::make_directory(directory).map_err(|error| {
        failed(format!("failed to create directory {}: {}", directory.display(), host::os_text(&error)))
    })?;
    // The watch stands before the first look, so that nothing can appear unseen between the two.
    let watch = match mode {
        Mode::Compat => Watch::on(path),
        Mode::Ours => Watch::along(path),
    };
    let watch =
        watch.map_err(|error| failed(format!("failed to watch directory: {}", host::os_text(&error))))?;
    let waited = watch.wait(timeout);
    // The kernel takes some 10 ms to close a watch. The end of the process does it, when the result is out.
    std::mem::forget(watch);
    match waited {
        Ok(Waited::Appeared) => Ok(()),
        Ok(Waited::TimedOut) => {
            let seconds = timeout.unwrap_or_default().as_secs_f64();
            let message = format!("no result after {seconds} s: {} has not appeared", path.display());
            Err(Failure { message, exit_code: None, timed_out: true })
        }
        Err(error) => Err(failed(format!("error watching file: {}", host::os_text(&error)))),
    }
}

fn verdict(result: &mut Vec<u8>) -> Result<(), Failure> {
    let path = Path::new(paths::RESULT);
    *result = host::read(path).map_err(|error| {
        let problem = format!("open {}: {}", path.display(), host::os_text(&error));
        let advice = "One reason could be that AKSNodeConfig is not properly set";
        Failure {
            message: format!("failed to read provision.json: {problem}. {advice}"),
            exit_code: None,
            timed_out: false,
        }
    })?;
    judge(result).map_err(|error| Failure {
        message: error.message,
        exit_code: error.exit_code,
        timed_out: false,
    })
}
