//! `slipway launch drift`: whether a node is still what would be launched now.

use slipway_launch::drift::{Situation, drift_report};

use super::text;
use crate::Outcome;
use crate::cli::{LaunchDrift, Output};
use crate::failure::Failure;
use crate::files;
use crate::screen::{Screen, printable};

pub(crate) fn print(arguments: &LaunchDrift, screen: &mut Screen) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    let situation: Situation = serde_json::from_str(text(&input)?)
        .map_err(|error| Failure::input("not-a-situation", format!("cannot use {}", input.name), error))?;
    let report = drift_report(&situation);
    if let Output::Json = arguments.output {
        screen.json(&report);
    } else if !report.reason.is_empty() {
        screen.line(report.reason);
        for (who, value) in [("node", &report.node), ("wanted", &report.wanted)] {
            if let Some(value) = value {
                screen.line(format_args!("  {who:<8}{}", printable(value)));
            }
        }
    }
    match report.error {
        Some(error) => {
            Err(Failure::input("drift-unknown", "cannot tell whether the node has drifted", error))
        }
        None if report.reason.is_empty() => Ok(Outcome::Done),
        None => Ok(Outcome::Different),
    }
}
