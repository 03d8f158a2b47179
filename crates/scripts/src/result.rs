//! The two files that say how an attempt ended: the result, and the sentinel that makes it valid.

use std::path::Path;

use slipway_host as host;
use slipway_model::Mode;
use slipway_timeline::{ProvisionResult, Record, judge, with_contract_issues};

use crate::lost::Lost;
use crate::paths;
use crate::provision::Failure;
use crate::report::Report;

/// Whether an earlier attempt ended well.
pub(crate) fn is_success() -> bool {
    host::exists(Path::new(paths::COMPLETE))
        && host::read(Path::new(paths::RESULT)).is_ok_and(|text| judge(&text).is_ok())
}

/// Takes an earlier attempt's files away. The scripts take the sentinel's presence for success and would report it as
/// that, and a result that stays would be taken for this attempt's.
pub(crate) fn sweep() -> Result<(), String> {
    for path in [paths::COMPLETE, paths::RESULT] {
        host::remove(Path::new(path)).map_err(|error| {
            format!("cannot remove {path}, which an earlier attempt left: {}", host::os_text(&error))
        })?;
    }
    Ok(())
}

/// Leaves result and sentinel for whoever waits. The scripts' own report of a failure is never replaced; under our name
/// anything else is, because a failed attempt must not read as a success.
pub(crate) fn leave(failure: &Failure, lost: &Lost, mode: Mode, report: &Report) {
    let path = Path::new(paths::RESULT);
    let is_ours_to_write = match (mode, host::read(path)) {
        (Mode::Compat, _) | (Mode::Ours, Err(_)) => host::is_absent(path),
        (Mode::Ours, Ok(text)) => judge(&text).map_or_else(|other| other.exit_code.is_none(), |()| true),
    };
    if is_ours_to_write {
        let result = ProvisionResult {
            exit_code: failure.result_code.clone(),
            error: failure.message.clone(),
            output: failure.output.clone(),
            contract_issues: lost.summary(),
        };
        let written = path
            .parent()
            .map_or(Ok(()), host::make_directory)
            .and_then(|()| host::publish(path, result.json().as_bytes(), 0o600));
        if let Err(error) = written {
            report.log(&Record::error("failed to write provision.json").with("error", host::os_text(&error)));
        }
    } else if mode == Mode::Ours {
        add_issues(lost, report);
    }
    // The sentinel is the commit point, so it comes last.
    let path = Path::new(paths::COMPLETE);
    if mode == Mode::Ours {
        // Where this fails, the next line says why.
        let _ = path.parent().map_or(Ok(()), host::make_directory);
    }
    if let Err(error) = host::touch_new(path, 0o600) {
        report.log(&Record::error("failed to write provision.complete").with("error", host::os_text(&error)));
    }
}

/// Makes sure that scripts which say that all is well have left the files that say so: on a full disk they cannot, and
/// do not notice.
pub(crate) fn confirm(sentinel: &str, lost: &Lost, report: &Report) -> Result<(), String> {
    let text = host::read(Path::new(paths::RESULT)).map_err(|error| {
        format!("the scripts ended well, but {} cannot be read: {}", paths::RESULT, host::os_text(&error))
    })?;
    judge(&text).map_err(|error| {
        format!("the scripts ended well, but their result does not say so: {}", error.message)
    })?;
    if !host::exists(Path::new(sentinel)) {
        return Err(format!("the scripts ended well, but {sentinel} is not there"));
    }
    add_issues(lost, report);
    Ok(())
}

/// Adds what of the contract was lost to the result that the scripts wrote. Who reads the result before sees all of it
/// but this.
fn add_issues(lost: &Lost, report: &Report) {
    let Some(summary) = lost.summary() else { return };
    let path = Path::new(paths::RESULT);
    let added =
        host::read(path).map(|text| with_contract_issues(&text, &summary)).and_then(|text| match text {
            Some(text) => host::publish(path, text.as_bytes(), 0o600),
            None => Err(std::io::Error::other("it is not a JSON object")),
        });
    if let Err(error) = added {
        let record = Record::error("the contract's issues could not be added to provision.json");
        report.log(&record.with("error", host::os_text(&error)));
    }
}
