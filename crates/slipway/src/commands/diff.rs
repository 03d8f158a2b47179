//! `slipway diff`: what provisioning would change on this machine.

use serde_json::{Value, json};
use slipway_apply::{Difference, Side, diff};

use crate::cli::{MachineDiff, Output};
use crate::failure::Failure;
use crate::native::knowledge::Knowledge;
use crate::native::planned::Planned;
use crate::native::words::mode;
use crate::screen::{Screen, printable};
use crate::unified::unified;
use crate::{Outcome, Surroundings};

pub(crate) fn print(
    arguments: &MachineDiff,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let facts = arguments.knowledge.facts.as_deref().map_or(Knowledge::Compared, Knowledge::File);
    let planned = Planned::new(&arguments.provision_config, facts, &*host, screen)?;
    let differences = diff(&planned.plan, &*host).map_err(|error| {
        Failure::machine("machine-unreadable", "cannot compare with this machine", error)
            .with_hint("comparing needs root, as provisioning does")
    })?;
    match arguments.output {
        Output::Text => {
            for difference in &differences {
                tell(difference, screen);
            }
            screen.line(match differences.len() {
                0 => "nothing to change".to_owned(),
                1 => "1 difference".to_owned(),
                many => format!("{many} differences"),
            });
        }
        Output::Json => {
            let differences: Vec<Value> = differences.iter().map(document).collect();
            screen.json(&json!({ "same": differences.is_empty(), "differences": differences }));
        }
    }
    Ok(if differences.is_empty() { Outcome::Done } else { Outcome::Different })
}

fn tell(difference: &Difference, screen: &mut Screen) {
    let Difference { step, what, before, after } = difference;
    match (before, after) {
        (Side::Text { text: old, attributes: was }, Side::Text { text: new, attributes: will }) => {
            if old != new {
                changes(what, what, old, new, screen);
            }
            if was != will {
                screen.line(format_args!("{what}: {} becomes {}", owned(*was), owned(*will)));
            }
        }
        (Side::Absent, Side::Text { text, attributes }) => {
            changes("/dev/null", what, "", text, screen);
            screen.line(format_args!("{what}: new, {}", owned(*attributes)));
        }
        (Side::Masked { attributes: was }, Side::Masked { attributes: will }) if was != will => {
            screen.line(format_args!("{what}: differs (secret), {} becomes {}", owned(*was), owned(*will)));
        }
        (Side::Masked { .. }, Side::Masked { .. }) => screen.line(format_args!("{what}: differs (secret)")),
        (before, after) => screen.line(format_args!("{what}: {} becomes {}", side(before), side(after))),
    }
    screen.line(format_args!("  step {step}"));
}

fn changes(from: &str, to: &str, old: &str, new: &str, screen: &mut Screen) {
    for line in unified(from, to, old, new).lines() {
        screen.line(printable(line));
    }
}

fn owned(attributes: slipway_model::Attributes) -> String {
    format!("{} {}:{}", mode(attributes.mode), attributes.uid, attributes.gid)
}

/// A side in a few words.
fn side(side: &Side) -> String {
    match side {
        Side::Absent => "nothing".to_owned(),
        Side::Text { attributes, .. } => format!("a file, {}", owned(*attributes)),
        Side::Masked { attributes } => format!("a secret file, {}", owned(*attributes)),
        Side::Link(target) => format!("a link to {}", printable(target)),
        Side::Directory(attributes) => format!("a directory, {}", owned(*attributes)),
        Side::Word(word) => printable(word).into_owned(),
    }
}

fn document(difference: &Difference) -> Value {
    let side = |side: &Side| match side {
        Side::Absent => Value::Null,
        Side::Text { text, attributes } => {
            json!({ "text": text, "mode": mode(attributes.mode), "uid": attributes.uid, "gid": attributes.gid })
        }
        Side::Masked { attributes } => {
            json!({ "secret": true, "mode": mode(attributes.mode), "uid": attributes.uid, "gid": attributes.gid })
        }
        Side::Link(target) => json!({ "link": target }),
        Side::Directory(attributes) => {
            json!({ "directory": true, "mode": mode(attributes.mode), "uid": attributes.uid, "gid": attributes.gid })
        }
        Side::Word(word) => json!({ "state": word }),
    };
    json!({
        "what": difference.what,
        "step": difference.step,
        "before": side(&difference.before),
        "after": side(&difference.after),
    })
}
