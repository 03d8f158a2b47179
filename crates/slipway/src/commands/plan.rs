//! `slipway plan`: what would be done, for people, for programs, as a picture.

use serde_json::json;
use slipway_model::Sources;
use slipway_plan::{Plan, Stage};

use crate::cli::{Plan as Arguments, PlanOutput};
use crate::failure::Failure;
use crate::native::planned::Planned;
use crate::native::words;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(crate) fn print(
    arguments: &Arguments,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let facts = arguments.knowledge.facts.as_deref();
    let planned = Planned::new(&arguments.provision_config, facts, &*host, screen)?;
    match arguments.output {
        PlanOutput::Text => text(&planned.given.name, &planned.plan, screen),
        PlanOutput::Json => document(&planned.plan, screen),
        PlanOutput::Dot => dot(&planned.plan, screen),
    }
    Ok(Outcome::Done)
}

/// The plan for people.
pub(crate) fn text(name: &str, plan: &Plan, screen: &mut Screen) {
    let steps = plan.steps();
    let ops: usize = steps.iter().map(|step| step.ops.len()).sum();
    screen.line(format_args!("{name}: {} steps, {ops} operations", steps.len()));
    for step in steps {
        screen.line("");
        screen.line(format_args!("{}  {}  [{}]", step.id, step.title, words::stage(step.stage)));
        if !step.needs.is_empty() {
            let needs: Vec<&str> = step.needs.iter().map(|need| need.0).collect();
            screen.line(format_args!("    after {}", needs.join(", ")));
        }
        for op in &step.ops {
            screen.line(format_args!("    {}", words::line(&op.action)));
        }
    }
}

fn document(plan: &Plan, screen: &mut Screen) {
    let values: Vec<_> = plan
        .explained()
        .iter()
        .map(|explained| {
            json!({
                "kind": super::explain::kind(explained.kind),
                "name": explained.name,
                "value": explained.value,
                "path": explained.path,
                "sources": words::sources_json(&explained.sources),
            })
        })
        .collect();
    let steps: Vec<_> = plan.steps().iter().map(words::step_json).collect();
    let mut of = Sources::none();
    let (within, last_stage) = (of.read(plan.within()), of.read(plan.last_stage()));
    screen.json(&json!({
        "within": { "seconds": within.as_secs(), "sources": words::sources_json(plan.within().sources()) },
        "last_stage": { "stage": words::stage(*last_stage), "sources": words::sources_json(plan.last_stage().sources()) },
        "steps": steps,
        "values": values,
    }));
}

fn dot(plan: &Plan, screen: &mut Screen) {
    screen.line("digraph plan {");
    screen.line("  rankdir=LR; node [shape=box, style=rounded];");
    for step in plan.steps() {
        let look = match step.stage {
            Stage::Bake => ", color=gray40",
            Stage::Join => "",
            Stage::AfterReady => ", style=\"rounded,dashed\"",
        };
        screen.line(format_args!("  \"{}\" [tooltip=\"{}\"{look}];", step.id, step.title.replace('"', "'")));
        for need in &step.needs {
            screen.line(format_args!("  \"{need}\" -> \"{}\";", step.id));
        }
    }
    screen.line("}");
}
