//! Plans of contracts, in few words, for tests.

use std::collections::{BTreeMap, BTreeSet};

use slipway_model::{Facts, Verb};

use crate::op::{Action, Content, Probe, Unit};
use crate::plan::{Plan, Unplanned};
use crate::step::OnFailure;
use crate::testing;

/// The plan of a contract without its essentials, on a machine with these facts.
pub(crate) fn try_plan(contract: &str, facts: &str) -> Result<Plan, Unplanned> {
    let mut facts = Facts::parse(facts).expect("facts");
    facts.hostname.get_or_insert_with(|| "node1".to_owned());
    let members =
        contract.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(contract);
    let node = if members.is_empty() { testing::plain() } else { testing::with(members) };
    crate::plan(&node, &facts)
}

pub(crate) fn plan(contract: &str, facts: &str) -> Plan {
    try_plan(contract, facts).expect("a plan")
}

/// The operations of a step, one in a line, and what its failure means.
pub(crate) fn step(plan: &Plan, id: &str) -> String {
    let Some(step) = plan.step(id) else { return String::new() };
    let fate = match step.on_failure {
        OnFailure::Fail(reason) => format!("{:?} or fail {}\n", step.stage, reason.code()),
        OnFailure::Degrade(reason) => format!("{:?} or degrade {}\n", step.stage, reason.code()),
    };
    step.ops.iter().fold(fate, |text, op| text + &operation(&op.action) + "\n")
}

/// The content of a planned file.
pub(crate) fn file<'p>(plan: &'p Plan, path: &str) -> &'p str {
    let files = plan.steps().iter().flat_map(|step| &step.ops).filter_map(|op| match &op.action {
        Action::File(file) if file.path.as_os_str() == path => Some(file),
        _ => None,
    });
    match files.map(|file| &file.content).next() {
        Some(Content::Plain(text)) => text,
        Some(Content::Secret(text)) => text.expose(),
        None => "",
    }
}

/// Fails unless a field that differs between two contracts changes some operation, and each that it changes names it.
#[track_caller]
pub(crate) fn assert_named(field: &str, one: &str, other: &str, facts: &str) {
    let outline = |plan: &Plan| {
        let steps = plan.steps().iter();
        let ops = steps.flat_map(|step| step.ops.iter().map(|op| (step.id.0, op.clone())));
        ops.map(|(step, op)| (format!("{step} {}", target(&op.action)), op)).collect::<BTreeMap<_, _>>()
    };
    let (one, other) = (outline(&plan(one, facts)), outline(&plan(other, facts)));
    let differs = |key: &&String| one.get(*key).map(|op| &op.action) != other.get(*key).map(|op| &op.action);
    let changed: BTreeSet<&String> = one.keys().chain(other.keys()).filter(differs).collect();
    assert!(!changed.is_empty(), "{field} changes nothing");
    for key in changed {
        let named = [one.get(key), other.get(key)].into_iter().flatten().any(|op| op.sources.names(field));
        assert!(named, "{key} changes with {field} and does not name it");
    }
}

/// What an operation is about.
fn target(action: &Action) -> String {
    operation(action).split([' ', '=']).take(2).collect::<Vec<_>>().join(" ")
}

fn operation(action: &Action) -> String {
    match action {
        Action::Directory(it) => format!("directory {} {:o}", it.path.display(), it.attributes.mode),
        Action::File(it) => {
            let secret = if matches!(it.content, Content::Secret(_)) { " secret" } else { "" };
            format!("file {} {:o}{secret}", it.path.display(), it.attributes.mode)
        }
        Action::Edit(it) => format!("edit {} {:?}", it.path.display(), it.change),
        Action::Link(it) => format!("link {} -> {}", it.path.display(), it.target.display()),
        Action::Remove(it) => format!("remove {}", it.path.display()),
        Action::Move(it) => format!("move {:?} -> {} {:o}", it.from, it.to.display(), it.attributes.mode),
        Action::Setting(it) => format!("set {}={}", it.path.display(), it.value),
        Action::Module(name) => format!("module {name}"),
        Action::Unit(it) => unit(it),
        Action::Traces(it) => format!("traces {}", it.unit),
        Action::Artifact(it) => format!("fetch {:?} {:o}", it.members, it.attributes.mode),
        Action::Image(it) => format!("image {}", it.name),
        Action::SwapOff(area) => format!("swapoff {}", area.display()),
        Action::Program(it) => format!("run {} {}", it.path.display(), it.arguments.join(" ")),
        Action::Probe(Probe::Reach { host, port }) => format!("reach {host}:{port}"),
        Action::Await(it) => format!("await {it:?}"),
        other => format!("{other:?}"),
    }
}

fn unit(unit: &Unit) -> String {
    let verb = match unit.verb {
        Some(Verb::Start) => "start",
        Some(Verb::Restart) => "restart",
        Some(Verb::Stop) => "stop",
        Some(Verb::Reload) => "reload",
        None => "leave",
    };
    let enabled = unit.enabled.map_or("", |on| if on { " enable" } else { " disable" });
    let wait = if unit.wait.is_some() { " wait" } else { "" };
    let optional = if unit.required { "" } else { " if there" };
    format!("{verb}{enabled}{wait} {}{optional}", unit.name)
}
