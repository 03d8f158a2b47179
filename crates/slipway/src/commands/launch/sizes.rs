//! `slipway launch instance-types`: which sizes are offered for a node class.

use serde_json::Value;
use slipway_launch::sizes::{SizeQuery, SizeReport, instance_types};

use super::text;
use crate::Outcome;
use crate::cli::{LaunchInstanceTypes, Output};
use crate::failure::Failure;
use crate::files;
use crate::screen::{Screen, printable};

pub(crate) fn print(arguments: &LaunchInstanceTypes, screen: &mut Screen) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    let query: SizeQuery = serde_json::from_str(text(&input)?).map_err(|error| {
        Failure::input("not-sizes", format!("cannot use {}", input.name), error)
            .with_hint("give region, options, nodeClass and skus, as in docs/launching.md")
    })?;
    let report = instance_types(&query);
    match arguments.output {
        Output::Json => screen.json(&report),
        Output::Text => describe(&report, screen)?,
    }
    Ok(Outcome::Done)
}

fn describe(report: &SizeReport, screen: &mut Screen) -> Result<(), Failure> {
    let report = serde_json::to_value(report)
        .map_err(|error| Failure::machine("output-unwritable", "cannot write the result", error))?;
    let members = |name: &str| report[name].as_object().cloned().unwrap_or_default();
    for (name, size) in members("instanceTypes") {
        let amount = |group: &str, resource: &str| size[group][resource].as_str().unwrap_or("0").to_owned();
        let gpus = ["nvidia.com/gpu", "amd.com/gpu"].map(|gpu| amount("capacity", gpu));
        let gpus =
            gpus.iter().find(|count| *count != "0").map(|count| format!(", {count} GPU")).unwrap_or_default();
        screen.line(format_args!(
            "{:<28}cpu {} of {}, memory {} of {}, {} pods{gpus}",
            printable(&name),
            amount("allocatable", "cpu"),
            amount("capacity", "cpu"),
            amount("allocatable", "memory"),
            amount("capacity", "memory"),
            amount("capacity", "pods"),
        ));
    }
    for (name, reason) in members("reasons") {
        let reason = reason.as_str().map_or_else(|| Value::to_string(&reason), str::to_owned);
        screen.line(format_args!("{:<28}not offered: {}", printable(&name), printable(&reason)));
    }
    Ok(())
}
