//! Everything that can be asked about, by name.

use std::collections::BTreeSet;

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
                action => names.extend(action.paths().iter().map(|path| path.display().to_string())),
            }
        }
    }
    names.extend(plan.explained().iter().map(|explained| explained.name.clone()));
    names.extend(TABLE.iter().map(|variable| variable.name.to_owned()));
    fields(Contract::default().table(), "", &mut names);
    names
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
