//! cloud-init's `status.json`: when each stage began and ended.

use std::io::BufRead;

use serde_json::Value;

use super::cloud_init::{seen, span, stage_moment};
use super::lines::document;
use super::{Certainty, Page, stamp};

pub(super) fn read(page: &mut Page<'_>, input: &mut dyn BufRead) {
    let Some(document) = document(page, input) else { return };
    // `cloud-init status --format json` has the same members one level higher.
    let status = document.get("v1").unwrap_or(&document);
    let Some(stages) = status.as_object() else {
        return page.problem(None, "is not a status of cloud-init");
    };
    for (stage, told) in stages {
        let time = |name: &str| told.get(name).and_then(Value::as_f64).and_then(stamp::epoch);
        let Some(start) = time("start") else { continue };
        let errors = told.get("errors").and_then(Value::as_array).map_or(0, Vec::len);
        let place = page.whole(&format!("{stage}: {errors} errors"));
        if let Some(name) = stage_moment(stage) {
            seen(page, name, start, Certainty::Measured, &place);
        }
        // The last stage may still run, and one that a node hangs in is in the log.
        let Some(end) = time("finished") else { continue };
        // The stage with the network has another name in the log.
        let name = if stage == "init" { "init-network" } else { stage };
        let outcome = if errors == 0 { "success" } else { "fail" };
        page.span(span(name, start, end, place, Some(outcome.to_owned())));
    }
}
