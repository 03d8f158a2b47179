//! What to do about Azure Arc, by what Azure and the agent say.

use slipway_azure::arm::{ArcMachine, ResourceId};

use super::AgentState;

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// The machine is known and connected.
    Use,
    /// Connect it.
    Connect,
    /// Remove what an interrupted attempt of ours left in Azure, then connect.
    ConnectAgain,
}

/// Why nothing may be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// This machine is another resource already.
    #[error("this machine is connected to Azure Arc as {0}")]
    ConnectedElsewhere(ResourceId),
    /// Another machine has the name.
    #[error(
        "Azure Arc knows another machine as {name} (it is {status}), and this machine's agent is not connected"
    )]
    NameTaken {
        /// The resource.
        name: ResourceId,
        /// How Azure sees it.
        status: String,
    },
    /// The agent is connected to what is no longer there.
    #[error("this machine's agent is connected as {0}, and Azure does not know it any more")]
    Orphaned(ResourceId),
}

/// Decides. `ours` says that an earlier attempt of ours set out to make this resource.
pub fn next(
    wanted: &ResourceId,
    machine: Option<&ArcMachine>,
    agent: &AgentState,
    ours: bool,
) -> Result<Move, Conflict> {
    match (&agent.machine, machine) {
        (Some(connected), _) if connected != wanted => Err(Conflict::ConnectedElsewhere(connected.clone())),
        (Some(_), Some(_)) => Ok(Move::Use),
        (Some(_), None) => Err(Conflict::Orphaned(wanted.clone())),
        (None, None) => Ok(Move::Connect),
        (None, Some(_)) if ours => Ok(Move::ConnectAgain),
        (None, Some(found)) => {
            Err(Conflict::NameTaken { name: wanted.clone(), status: found.status.to_ascii_lowercase() })
        }
    }
}

impl Conflict {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::ConnectedElsewhere(_) => {
                "name that resource in the configuration, or run `azcmagent disconnect` first"
            }
            Self::NameTaken { .. } => {
                "give this machine another name in azure.arc.machineName; if the resource is this machine before it was \
                 installed anew, delete it in Azure first"
            }
            Self::Orphaned(_) => "run `azcmagent disconnect --force-local-only`, then try again",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_nobodys_or_ours_is_connected() {
        let id = |name: &str| ResourceId::arc_machine("s", "g", name).unwrap();
        let wanted = id("edge-07");
        let machine = ArcMachine { location: "l".into(), status: "Connected".into(), principal: None };
        let agent = |machine| AgentState { machine, status: String::new() };
        // Azure and the agent write the same id in other cases.
        let same = Some(id("EDGE-07"));
        let other = Some(id("edge-08"));
        for (found, connected, ours, expected) in [
            (None, None, false, Ok(Move::Connect)),
            (None, None, true, Ok(Move::Connect)),
            (Some(&machine), same.clone(), false, Ok(Move::Use)),
            (Some(&machine), None, true, Ok(Move::ConnectAgain)),
            (
                Some(&machine),
                None,
                false,
                Err(Conflict::NameTaken { name: wanted.clone(), status: "connected".into() }),
            ),
            (None, same, true, Err(Conflict::Orphaned(wanted.clone()))),
            (Some(&machine), other.clone(), true, Err(Conflict::ConnectedElsewhere(id("edge-08")))),
            (None, other, false, Err(Conflict::ConnectedElsewhere(id("edge-08")))),
        ] {
            assert_eq!(next(&wanted, found, &agent(connected), ours), expected);
        }
    }
}
