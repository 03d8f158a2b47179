//! The operations, by family: what each observes, does, and records for its undoing.

mod artifacts;
mod awaits;
mod bootstrap;
pub(crate) mod certificates;
pub(crate) mod files;
mod images;
pub(crate) mod kernel;
pub(crate) mod moves;
mod programs;
pub(crate) mod swap;
pub(crate) mod traces;
pub(crate) mod units;

use slipway_plan::Action;

use crate::attempt::{Effect, Problem};
use crate::work::Work;

/// Brings an operation about.
pub(crate) fn run(work: &Work<'_>, action: &Action) -> Result<Effect, Problem> {
    if let Some(edits) = files::edits(work.host(), action)? {
        return work.edit(edits);
    }
    let in_root = !work.host().is_live();
    match action {
        Action::Directory(_) | Action::File(_) | Action::Edit(_) | Action::Link(_) | Action::Remove(_) => {
            Ok(Effect::Unchanged)
        }
        Action::Move(order) => moves::run(work, order),
        Action::Unit(unit) => units::run(work, unit),
        Action::SelfSigned(order) => certificates::run(work, order),
        Action::Setting(_)
        | Action::Module(_)
        | Action::ReloadUnits
        | Action::SharedMount(_)
        | Action::Traces(_)
        | Action::Artifact(_)
        | Action::Image(_)
        | Action::SwapOff(_)
        | Action::Program(_)
        | Action::Probe(_)
        | Action::TlsBootstrap(_)
        | Action::Await(_)
            if in_root =>
        {
            Ok(Effect::InRoot)
        }
        Action::Setting(setting) => kernel::setting(work, setting),
        Action::Module(name) => kernel::module(work, name),
        Action::ReloadUnits => units::reload(work),
        Action::SharedMount(path) => kernel::shared_mount(work, path),
        Action::Traces(traces) => traces::run(work, traces),
        Action::Artifact(artifact) => artifacts::run(work, artifact),
        Action::Image(image) => images::run(work, image),
        Action::SwapOff(area) => swap::run(work, area),
        Action::Program(program) => programs::run(work, program),
        Action::Probe(probe) => Ok(awaits::probe(work, probe)),
        Action::TlsBootstrap(order) => bootstrap::run(work, order),
        Action::Await(condition) => awaits::run(work, condition),
    }
}

/// What an operation is about, in a few words without secrets.
pub(crate) fn what(action: &Action) -> String {
    use slipway_plan::{Await, Probe};
    match action {
        Action::Directory(directory) => directory.path.display().to_string(),
        Action::File(file) => file.path.display().to_string(),
        Action::Edit(edit) => edit.path.display().to_string(),
        Action::Link(link) => link.path.display().to_string(),
        Action::Remove(remove) => remove.path.display().to_string(),
        Action::Move(order) => order.to.display().to_string(),
        Action::Setting(setting) => setting.path.display().to_string(),
        Action::Module(name) => format!("kernel module {name}"),
        Action::ReloadUnits => "unit files".to_owned(),
        Action::Unit(unit) => unit.name.clone(),
        Action::SharedMount(path) => format!("mount of {}", path.display()),
        Action::Traces(traces) => format!("traces of {}", traces.unit),
        Action::SelfSigned(order) => order.certificate.display().to_string(),
        Action::Artifact(artifact) => {
            let paths: Vec<String> =
                artifact.members.iter().map(|(_, path)| path.display().to_string()).collect();
            paths.join(", ")
        }
        Action::Image(image) => format!("image {}", image.name),
        Action::SwapOff(area) => format!("swap {}", area.display()),
        Action::Program(program) => program.path.display().to_string(),
        Action::Probe(Probe::Reach { host, port }) => format!("{host}:{port}"),
        Action::TlsBootstrap(order) => format!("credential of {}", order.node),
        Action::Await(Await::Socket(path)) => path.display().to_string(),
        Action::Await(Await::Ready { node, .. }) => format!("node {node}"),
    }
}
