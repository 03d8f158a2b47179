//! `slipway doctor`: what keeps this machine from being a node, and what to do about it.

mod checks;
mod observed;

use serde_json::json;

use crate::cli::{Doctor, Output};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

use checks::{CHECKS, Finding};
use observed::Observed;

pub(crate) fn run(
    arguments: &Doctor,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let observed = Observed::gather(&*host, arguments, screen);
    let findings: Vec<(&str, Finding)> = CHECKS
        .iter()
        .flat_map(|check| (check.look)(&observed).into_iter().map(|found| (check.name, found)))
        .collect();
    match arguments.output {
        Output::Json => {
            let found = |(name, finding): &(&str, Finding)| json!({ "check": name, "message": finding.message, "advice": finding.advice });
            screen.json(&json!({
                "healthy": findings.is_empty(),
                "checks": CHECKS.iter().map(|check| check.name).collect::<Vec<_>>(),
                "not_looked_at": CHECKS.iter().filter(|check| !(check.seen)(&observed)).map(|check| check.name).collect::<Vec<_>>(),
                "findings": findings.iter().map(found).collect::<Vec<_>>(),
            }));
        }
        Output::Text => {
            for check in CHECKS {
                let found: Vec<&Finding> = findings
                    .iter()
                    .filter(|(name, _)| *name == check.name)
                    .map(|(_, finding)| finding)
                    .collect();
                let mark = match (found.is_empty(), (check.seen)(&observed)) {
                    (false, _) => "!!",
                    (true, true) => "ok",
                    (true, false) => "--",
                };
                screen.line(format_args!("{mark}  {}: {}", check.name, check.asks));
                for Finding { message, advice } in found {
                    screen.line(format_args!("      {message}"));
                    screen.line(format_args!("      advice: {advice}"));
                }
            }
            screen.line(match findings.len() {
                0 => "nothing found".to_owned(),
                1 => "1 finding".to_owned(),
                many => format!("{many} findings"),
            });
        }
    }
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Negative })
}
