//! `slipway flex config`: a configuration as it is understood.

use serde_json::Value;
use slipway_flex::{Reading, read};

use crate::cli::{FlexConfig, Output};
use crate::commands::config::ValidationReport;
use crate::failure::Failure;
use crate::files;
use crate::screen::{Screen, printable};
use crate::{Outcome, Surroundings};

pub(super) fn print(
    arguments: &FlexConfig,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    let host = around.host(&arguments.place)?;
    let hostname = super::hostname(arguments.knowledge.facts.as_deref(), &*host)?;
    let Reading { config, issues } = read(&input.text, &hostname);
    let Some(config) = config else {
        match arguments.output {
            Output::Text => issues.iter().for_each(|issue| screen.issue(&input.name, issue, issue.severity)),
            Output::Json => screen.json(&ValidationReport::new(false, &issues)),
        }
        return Ok(Outcome::Negative);
    };
    for issue in &issues {
        screen.remark(&input.name, issue, issue.severity);
    }
    let report = config.report(arguments.show_secrets);
    match arguments.output {
        Output::Json => screen.json(&report),
        Output::Text => {
            for (title, part) in [("What it says", "effective"), ("What follows", "derived")] {
                screen.line(title);
                lines("", &report[part], screen);
            }
        }
    }
    Ok(Outcome::Done)
}

/// A line for each value, by its path.
fn lines(path: &str, value: &Value, screen: &mut Screen) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                lines(&path, member, screen);
            }
        }
        Value::Null => {}
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => screen.line(format_args!("  {} = {}", printable(path), printable(text))),
        other => screen.line(format_args!("  {} = {other}", printable(path))),
    }
}
