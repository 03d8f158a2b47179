//! Checks of what Azure has to allow, and of the machine in Azure Arc.

use super::{ArcSeen, Finding, Observed, Unknown, Unpermitted};

pub(super) fn permissions(seen: &Observed) -> Vec<Finding> {
    let missing = match &seen.permissions {
        None => return Vec::new(),
        Some(Err(Unknown { problem, hint })) => {
            return vec![Finding::blocks(problem.as_str(), hint.as_str())];
        }
        Some(Ok(missing)) => missing,
    };
    missing
        .iter()
        .map(|Unpermitted { who, action, scope, needed }| {
            let message = format!("{who} may not {action} at {scope}");
            if *needed {
                Finding::blocks(
                    message,
                    "give it a role with this action there; a new assignment takes minutes to count",
                )
            } else {
                Finding::warns(message, "joining goes without it, but leaving cannot take back what was made")
            }
        })
        .collect()
}

pub(super) fn arc(seen: &Observed) -> Vec<Finding> {
    match &seen.arc {
        None => Vec::new(),
        Some(ArcSeen::Usable(state)) => vec![Finding::fine(state.as_str(), "nothing has to be done")],
        Some(ArcSeen::Absent) => vec![Finding::blocks(
            "neither azcmagent nor what it leaves is here",
            "install the Azure Connected Machine agent: aka.ms/azcmagent",
        )],
        Some(ArcSeen::Conflict { problem, hint }) => vec![Finding::blocks(problem.as_str(), hint.as_str())],
    }
}
