//! Everything that can be asked about, by name.

use std::collections::BTreeSet;
use std::path::Path;

use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Message as _, MessageTable};
use slipway_plan::{Action, Plan};
use slipway_scripts::TABLE;

/// The names of a plan's steps, files, settings, units and values, of all script variables, and of all fields.
pub(crate) fn names(plan: &Plan) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for step in plan.steps() {
        names.insert(step.id.0.to_owned());
        for op in &step.ops {
            match &op.action {
                Action::Unit(unit) => {
                    names.insert(unit.name.clone());
                }
                Action::Module(module) => {
                    names.insert((*module).to_owned());
                }
                action => names.extend(paths(action).iter().map(|path| path.display().to_string())),
            }
        }
    }
    names.extend(plan.explained().iter().map(|explained| explained.name.clone()));
    names.extend(TABLE.iter().map(|variable| variable.name.to_owned()));
    fields(Contract::default().table(), "", &mut names);
    names
}

fn paths(action: &Action) -> Vec<&Path> {
    match action {
        Action::Directory(directory) => vec![&directory.path],
        Action::File(file) => vec![&file.path],
        Action::Edit(edit) => vec![&edit.path],
        Action::Link(link) => vec![&link.path],
        Action::Remove(remove) => vec![&remove.path],
        Action::Move(moved) => vec![&moved.to],
        Action::Setting(setting) => vec![&setting.path],
        Action::SharedMount(path) => vec![path],
        Action::SelfSigned(pair) => vec![&pair.certificate, &pair.key],
        Action::Artifact(artifact) => artifact.members.iter().map(|(_, path)| path.as_path()).collect(),
        Action::TlsBootstrap(bootstrap) => vec![&bootstrap.kubeconfig],
        _ => Vec::new(),
    }
}

fn fields(table: &'static MessageTable, above: &str, names: &mut BTreeSet<String>) {
    for field in table.fields {
        let path = format!("{above}{}", field.name);
        if let Kind::Message(inner) = field.kind {
            fields(inner, &format!("{path}."), names);
        }
        names.insert(path);
    }
}
