//! From a name to everything that has it.

use std::path::Path;

use slipway_contract::node::{Fate, fates};
use slipway_model::{Mode, Source, Sources};
use slipway_plan::{Action, Explained, Op, Plan, Step};
use slipway_scripts::{TABLE, Variable, variables};

use super::answer::{Answer, Effect, Origin, of_fact, origins};
use super::fields::{self, Fields, without_keys};
use crate::native::planned::Planned;
use crate::native::words;

/// Everything that has this name.
pub(super) fn answers(what: &str, planned: &Planned) -> Vec<Answer> {
    let facts = serde_json::to_value(&planned.facts).unwrap_or_default();
    let fields = Fields::new(&planned.given.contract, &facts);
    let mut answers = Vec::new();
    if let Some(step) = planned.plan.step(what) {
        answers.push(of_step(step, &fields));
    }
    for step in planned.plan.steps() {
        for op in step.ops.iter().filter(|op| is_called(&op.action, what)) {
            answers.push(of_op(what, step, op, planned, &fields));
        }
    }
    for explained in planned.plan.explained().iter().filter(|explained| value_is_called(explained, what)) {
        answers.push(of_value(explained, planned, &fields));
    }
    if let Some(variable) = TABLE.iter().find(|variable| variable.name == what) {
        answers.push(of_variable(variable, planned, &fields));
    }
    answers.extend(of_field(what, planned, &fields));
    answers
}

/// The name that is nearest to one that nothing has.
pub(super) fn nearest(what: &str, planned: &Planned) -> Option<String> {
    let mut names = fields::paths();
    let plan = &planned.plan;
    names.extend(plan.explained().iter().map(|explained| explained.name.clone()));
    names.extend(TABLE.iter().map(|variable| variable.name.to_owned()));
    for step in plan.steps() {
        names.push(step.id.0.to_owned());
        for op in &step.ops {
            names.extend(op.action.paths().iter().map(|path| path.display().to_string()));
        }
    }
    slipway_contract::nearest(what, names.iter().map(String::as_str)).map(str::to_owned)
}

fn is_called(action: &Action, what: &str) -> bool {
    match action {
        Action::Unit(unit) => unit.name == what || unit.name.strip_suffix(".service") == Some(what),
        Action::Module(name) => *name == what,
        action => what.starts_with('/') && action.paths().contains(&Path::new(what)),
    }
}

/// Flags are also known without their dashes, and keys of kubelet's file by the flag that they took the place of.
fn value_is_called(explained: &Explained, what: &str) -> bool {
    let name = explained.name.as_str();
    name == what || name.strip_prefix("--") == Some(what) || (what.starts_with("--") && name == camel(what))
}

/// `--max-pods` as kubelet's file has it: `maxPods`.
fn camel(flag: &str) -> String {
    let mut words = flag.trim_start_matches('-').split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        name + &letters
            .next()
            .map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    })
}

fn of_step(step: &Step, fields: &Fields<'_>) -> Answer {
    let mut all = step.sources.clone();
    for op in &step.ops {
        all.join(&op.sources);
    }
    Answer {
        value: Some(step.title.to_owned()),
        note: (!step.needs.is_empty()).then(|| {
            let needs: Vec<&str> = step.needs.iter().map(|need| need.0).collect();
            format!("after {}", needs.join(", "))
        }),
        sources: origins(&all, fields),
        leads_to: step.ops.iter().map(|op| effect_of_op(op, None)).collect(),
        ..Answer::new("step", step.id.0)
    }
}

fn of_op(what: &str, step: &Step, op: &Op, planned: &Planned, fields: &Fields<'_>) -> Answer {
    let inside = planned.plan.explained().iter().filter(|explained| explained.path == Path::new(what));
    let mut sources = op.sources.clone();
    sources.join(&step.sources);
    let (value, note) = match &op.action {
        Action::File(file) => (words::shown(&file.content).to_owned(), Some(words::line(&op.action))),
        action => (words::line(action), None),
    };
    Answer {
        value: Some(value),
        note,
        step: Some(step.id.0),
        title: Some(step.title),
        sources: origins(&sources, fields),
        leads_to: inside.map(effect_of_value).collect(),
        ..Answer::new(words::kind(&op.action), what)
    }
}

fn of_value(explained: &Explained, planned: &Planned, fields: &Fields<'_>) -> Answer {
    let maker = planned
        .plan
        .steps()
        .iter()
        .find(|step| step.ops.iter().any(|op| op.action.paths().contains(&explained.path.as_path())));
    let mut sources = explained.sources.clone();
    if let Some(step) = maker {
        sources.join(&step.sources);
    }
    Answer {
        value: Some(explained.value.clone()),
        path: Some(explained.path.clone()),
        step: maker.map(|step| step.id.0),
        title: maker.map(|step| step.title),
        sources: origins(&sources, fields),
        ..Answer::new(super::kind(explained.kind), explained.name.clone())
    }
}

fn of_variable(variable: &Variable, planned: &Planned, fields: &Fields<'_>) -> Answer {
    let values = variables(&planned.given.contract, &planned.facts, Mode::Ours);
    let value = match &values {
        Ok(values) => values.get(variable.name).map(|value| value.shown().into_owned()),
        Err(error) => Some(error.to_string()),
    };
    let origin = |path: &&str| {
        if let Some(fact) = path.strip_prefix("facts.") {
            return of_fact(fact, fields.facts);
        }
        let value = fields.value(path);
        Origin { contract: Some((*path).to_owned()), fact: None, set: Some(value.is_some()), value }
    };
    Answer {
        value,
        note: Some("what the image's scripts get; native provisioning does not use it".to_owned()),
        sources: variable.sources.iter().map(origin).collect(),
        ..Answer::new("script-variable", variable.name)
    }
}

/// A field by its whole path, by its last name, or by a key of a map in it.
fn of_field(what: &str, planned: &Planned, fields: &Fields<'_>) -> Vec<Answer> {
    let asked = what.replace('"', "");
    let bare = without_keys(&asked);
    let all = fields::paths();
    let mut found: Vec<&String> = all.iter().filter(|path| **path == bare).collect();
    if found.is_empty() {
        let last = format!(".{bare}");
        found = all.iter().filter(|path| path.ends_with(&last)).collect();
    }
    found.into_iter().map(|path| one_field(path, &asked, &bare, planned, fields)).collect()
}

fn one_field(path: &str, asked: &str, bare: &str, planned: &Planned, fields: &Fields<'_>) -> Answer {
    // With a key, only what names that key counts.
    let keyed = asked != bare && path == bare;
    let name = if keyed { asked } else { path };
    let named = |sources: &Sources| {
        sources.iter().any(|source| match source {
            Source::Contract(field) | Source::Unset(field) if keyed => *field == name,
            Source::Contract(field) | Source::Unset(field) => is_within(&without_keys(field), path),
            Source::Fact(_) | Source::Flex { .. } => false,
        })
    };
    let mut leads_to: Vec<Effect> = Vec::new();
    let plan = &planned.plan;
    leads_to.extend(bounds(plan).filter(|(_, sources)| named(sources)).map(|(effect, _)| effect));
    leads_to.extend(plan.explained().iter().filter(|value| named(&value.sources)).map(effect_of_value));
    for step in plan.steps() {
        let whole = named(&step.sources);
        for op in step.ops.iter().filter(|op| whole || named(&op.sources)) {
            leads_to.push(effect_of_op(op, Some(step.id.0)));
        }
    }
    let reads = |variable: &&Variable| {
        variable.sources.iter().any(|source| is_within(source, path) || is_within(path, source))
    };
    leads_to.extend(TABLE.iter().filter(reads).map(|variable| Effect {
        kind: "script-variable",
        name: variable.name.to_owned(),
        value: None,
        step: None,
    }));
    let value = fields.value(name);
    let fate = fates().find(|(field, _)| *field == path).map(|(_, fate)| match fate {
        Fate::Honoured => "honoured by native provisioning".to_owned(),
        Fate::Image(reason) => format!("without effect: {reason}"),
        Fate::Refused(reason) => {
            format!("refused by native provisioning: {reason}; --mode scripts honours it")
        }
    });
    let set = if value.is_some() { "set" } else { "not set: a default stands in" };
    Answer {
        value,
        note: Some(fate.map_or_else(|| set.to_owned(), |fate| format!("{set}; {fate}"))),
        leads_to,
        ..Answer::new("contract-field", name)
    }
}

/// What holds for the plan as a whole.
fn bounds(plan: &Plan) -> impl Iterator<Item = (Effect, &Sources)> {
    let mut of = Sources::none();
    let seconds = format!("{} s", of.read(plan.within()).as_secs());
    let stage = words::stage(*of.read(plan.last_stage())).to_owned();
    let bound =
        |name: &str, value| Effect { kind: "bound", name: name.to_owned(), value: Some(value), step: None };
    [
        (bound("time for all of it", seconds), plan.within().sources()),
        (bound("last stage", stage), plan.last_stage().sources()),
    ]
    .into_iter()
}

fn effect_of_op(op: &Op, step: Option<&'static str>) -> Effect {
    let kind = words::kind(&op.action);
    let line = words::line(&op.action);
    let name = line.strip_prefix(kind).unwrap_or(&line).trim_start().to_owned();
    Effect { kind, name, value: None, step }
}

fn effect_of_value(explained: &Explained) -> Effect {
    Effect {
        kind: super::kind(explained.kind),
        name: explained.name.clone(),
        value: Some(explained.value.clone()),
        step: None,
    }
}

fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
