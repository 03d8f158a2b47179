//! Machines that Azure Arc knows.

use serde::Deserialize;
use slipway_fetch::{Backoff, Impatience, Patience};

use super::call::Question;
use super::{Arm, ArmError, ResourceId};

const API_VERSION: &str = "2022-03-10";
const READ: &str = "Microsoft.HybridCompute/machines/read";
const DELETE: &str = "Microsoft.HybridCompute/machines/delete";

/// A machine that Azure Arc knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArcMachine {
    /// Its region.
    pub location: String,
    /// Whether its agent reports, in Azure's word, such as `Connected`.
    pub status: String,
    /// The object id of its identity; a machine has it a while after it was connected.
    pub principal: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    location: String,
    identity: Identity,
    properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Identity {
    principal_id: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Properties {
    status: String,
}

impl Arm {
    /// The machine; `None` only when Azure says that it is not there.
    pub fn arc_machine(
        &self,
        id: &ResourceId,
        patience: Patience<'_>,
    ) -> Result<Option<ArcMachine>, ArmError> {
        let path = id.path();
        let question = Question::new(READ, "GET", &path, API_VERSION);
        let answer: Answer = match self.ask(question, patience) {
            Ok(reply) => question.read(&reply)?,
            Err(error) if error.is_absent() => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(ArcMachine {
            location: answer.location,
            status: answer.properties.status,
            principal: Some(answer.identity.principal_id).filter(|id| !id.is_empty()),
        }))
    }

    /// The object id of the machine's identity, waited for: machine and identity appear one after the other.
    pub fn arc_principal(&self, id: &ResourceId, patience: Patience<'_>) -> Result<String, ArmError> {
        let mut backoff = Backoff::default();
        loop {
            let machine = self.arc_machine(id, patience)?;
            if let Some(principal) = machine.and_then(|machine| machine.principal) {
                return Ok(principal);
            }
            patience.sleep(backoff.pause(None)).map_err(|end| match end {
                Impatience::Late => ArmError::Unfinished { action: READ, resource: id.to_string() },
                Impatience::Stopped => ArmError::NoAnswer {
                    action: READ,
                    problem: slipway_fetch::HttpError::Stopped {
                        doing: "waiting for the machine's identity",
                    },
                },
            })?;
        }
    }

    /// Removes the machine; one that is not there is removed already.
    pub fn remove_arc_machine(&self, id: &ResourceId, patience: Patience<'_>) -> Result<(), ArmError> {
        let path = id.path();
        let question = Question::new(DELETE, "DELETE", &path, API_VERSION);
        match self.change(question, patience) {
            Err(error) if !error.is_absent() => Err(error),
            _ => Ok(()),
        }
    }
}
