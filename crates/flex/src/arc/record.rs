//! What we made in Azure, and its removal.

use std::io;

use serde::{Deserialize, Serialize};
use slipway_azure::arm::{Arm, ResourceId};
use slipway_azure::credential::RunProgram;
use slipway_fetch::Patience;

use super::{Agent, ArcError};

/// What we made in Azure, or were about to. It is written down before the deed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArcRecord {
    /// The machine, if it was not there before us.
    pub machine: Option<String>,
    /// The role assignments that were not there before us.
    pub assignments: Vec<MadeAssignment>,
    /// The machine of the agent pool, if it was not there before us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool_machine: Option<String>,
}

/// A role assignment of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeAssignment {
    /// Where it counts.
    pub scope: String,
    /// Its name.
    pub name: String,
}

impl ArcRecord {
    /// Whether there is nothing of ours.
    pub fn is_empty(&self) -> bool {
        self.machine.is_none() && self.assignments.is_empty() && self.pool_machine.is_none()
    }

    /// What is in it, one line each.
    pub fn lines(&self) -> Vec<String> {
        let assignments = self.assignments.iter().map(|made| {
            let MadeAssignment { scope, name } = made;
            format!("the role assignment {scope}/providers/Microsoft.Authorization/roleAssignments/{name}")
        });
        let machine = self.machine.iter().map(|id| format!("the Arc machine {id}"));
        let member = self.pool_machine.iter().map(|id| format!("the machine of the agent pool {id}"));
        member.chain(assignments).chain(machine).collect()
    }

    /// Whether we set out to make this machine.
    pub fn made(&self, machine: &ResourceId) -> bool {
        self.machine
            .as_deref()
            .and_then(|made| ResourceId::parse(made).ok())
            .is_some_and(|made| made == *machine)
    }
}

/// Removes what the record says is ours: role assignments, machine, connection of the agent. What is gone is taken from
/// the record, and `remember` keeps what is left, so that a second try begins where the first one failed. An agent that
/// was uninstalled meanwhile has no connection.
pub fn remove(
    arm: &Arm,
    agent: Option<&Agent<impl RunProgram>>,
    record: &mut ArcRecord,
    mut remember: impl FnMut(&ArcRecord) -> io::Result<()>,
    patience: Patience<'_>,
) -> Result<(), ArcError> {
    while let Some(made) = record.assignments.last() {
        // A record that cannot be read as one of ours names nothing that we could remove.
        if let Ok(scope) = ResourceId::parse(&made.scope) {
            arm.unassign(&scope, &made.name, patience)?;
        }
        record.assignments.pop();
        remember(record).map_err(ArcError::Record)?;
    }
    if let Some(machine) = record.machine.as_deref().and_then(|made| ResourceId::parse(made).ok()) {
        arm.remove_arc_machine(&machine, patience)?;
        if let Some(agent) = agent
            && agent.state()?.machine.is_some_and(|connected| connected == machine)
        {
            agent.disconnect()?;
        }
    }
    if record.machine.take().is_some() {
        remember(record).map_err(ArcError::Record)?;
    }
    Ok(())
}
