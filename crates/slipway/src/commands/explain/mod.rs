//! `slipway explain`: the value of anything on the node, and the chain of sources that gave it.

mod answer;
mod fields;
mod search;

use slipway_plan::ExplainedKind;

use crate::cli::{Explain, Output};
use crate::failure::Failure;
use crate::native::planned::Planned;
use crate::screen::{Screen, printable};
use crate::{Outcome, Surroundings};

use answer::{Answer, Origin};

pub(crate) fn print(
    arguments: &Explain,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let facts = arguments.knowledge.facts.as_deref();
    let planned = Planned::new(&arguments.provision_config, facts, &*host, screen)?;
    let what = arguments.what.as_str();
    let answers = search::answers(what, &planned);
    if answers.is_empty() {
        let failure = Failure::input(
            "unknown-name",
            format!("cannot explain {what}"),
            "nothing in the plan, the variables or the contract has this name",
        );
        return Err(match search::nearest(what, &planned) {
            Some(near) => failure.with_hint(format!("did you mean {near}?")),
            None => failure.with_hint("slipway plan lists all steps and files"),
        });
    }
    match arguments.output {
        Output::Json => screen.json(&serde_json::json!({ "what": what, "answers": answers })),
        Output::Text => {
            for (at, answer) in answers.iter().enumerate() {
                if at > 0 {
                    screen.line("");
                }
                tell(answer, screen);
            }
        }
    }
    Ok(Outcome::Done)
}

/// What a value inside a file is, in a word.
pub(super) const fn kind(kind: ExplainedKind) -> &'static str {
    match kind {
        ExplainedKind::KubeletFlag => "kubelet-flag",
        ExplainedKind::KubeletKey => "kubelet-key",
        ExplainedKind::Label => "label",
        ExplainedKind::Sysctl => "sysctl",
        ExplainedKind::CloudKey => "cloud-key",
    }
}

/// An answer for people: the value, then the chain back to where it came from.
fn tell(answer: &Answer, screen: &mut Screen) {
    match answer.value.as_deref() {
        None => screen.line(format_args!("{}  [{}]", answer.name, answer.kind)),
        Some(value) if value.contains('\n') => {
            screen.line(format_args!("{}  [{}]", answer.name, answer.kind));
            for line in value.lines() {
                screen.line(format_args!("  | {}", printable(line)));
            }
        }
        Some(value) => {
            screen.line(format_args!("{} = {}  [{}]", answer.name, printable(value), answer.kind));
        }
    }
    if let Some(note) = &answer.note {
        screen.line(format_args!("  {note}"));
    }
    if let Some(path) = &answer.path {
        screen.line(format_args!("  in {}", path.display()));
    }
    if let Some(step) = answer.step {
        screen.line(format_args!("  <- step {step}: {}", answer.title.unwrap_or_default()));
    }
    for origin in &answer.sources {
        screen.line(format_args!("  <- {}", origin_line(origin)));
    }
    if answer.sources.is_empty() && answer.kind != "contract-field" {
        screen.line("  <- always so: no field of the contract and no fact has a part in it");
    }
    for effect in &answer.leads_to {
        let value = effect.value.as_deref().map(|value| format!(" = {}", printable(value)));
        let step = effect.step.map(|step| format!(", step {step}"));
        screen.line(format_args!(
            "  -> {} {}{}{}",
            effect.kind,
            effect.name,
            value.unwrap_or_default(),
            step.unwrap_or_default()
        ));
    }
}

fn origin_line(origin: &Origin) -> String {
    let value = origin.value.as_deref().map(|value| format!(": {}", printable(value))).unwrap_or_default();
    match origin {
        Origin { fact: Some(fact), .. } => format!("fact {fact}{value}"),
        Origin { contract, set: Some(true), .. } => {
            format!("{}, set in the contract{value}", contract.as_deref().unwrap_or_default())
        }
        Origin { contract, .. } => {
            format!("{}, not set: a default stands in", contract.as_deref().unwrap_or_default())
        }
    }
}
