//! What whoever is signed in may do, asked before anything is done.

use serde::Deserialize;
use slipway_fetch::Patience;

use super::call::Question;
use super::{Arm, ArmError, ResourceId};

const API_VERSION: &str = "2022-04-01";
const READ: &str = "Microsoft.Authorization/permissions/read";
/// Against a list that leads in a circle.
const MOST_PAGES: usize = 100;

/// Where permissions count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionScope {
    /// At a resource that is there.
    Resource(ResourceId),
    /// In the resource group that a resource is in, or will be.
    GroupOf(ResourceId),
}

/// What somebody may do at a scope: the sum of their roles there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    granted: Vec<Granted>,
}

/// What one role allows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Granted {
    actions: Vec<String>,
    not_actions: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Page {
    value: Vec<Granted>,
    next_link: Option<String>,
}

impl PermissionScope {
    fn path(&self) -> String {
        match self {
            Self::Resource(id) => id.path(),
            Self::GroupOf(id) => id.group_path(),
        }
    }
}

impl std::fmt::Display for PermissionScope {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Resource(id) => id.fmt(out),
            Self::GroupOf(id) => {
                write!(out, "/subscriptions/{}/resourceGroups/{}", id.subscription(), id.group())
            }
        }
    }
}

impl Permissions {
    /// Whether an action such as `Microsoft.HybridCompute/machines/write` is allowed by one of the roles. What a role
    /// leaves out another one may give.
    pub fn allow(&self, action: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| covers(pattern, action));
        self.granted.iter().any(|granted| any(&granted.actions) && !any(&granted.not_actions))
    }
}

/// Whether a pattern with stars covers an action; a star stands for anything, slashes included.
fn covers(pattern: &str, action: &str) -> bool {
    let (pattern, action) = (pattern.to_ascii_lowercase(), action.to_ascii_lowercase());
    let Some((beginning, rest)) = pattern.split_once('*') else { return pattern == action };
    let Some(mut left) = action.strip_prefix(beginning) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

impl Arm {
    /// What we may do at a scope.
    pub fn permissions(
        &self,
        scope: &PermissionScope,
        patience: Patience<'_>,
    ) -> Result<Permissions, ArmError> {
        let path = format!("{}/providers/Microsoft.Authorization/permissions", scope.path());
        let question =
            Question { action: READ, method: "GET", path: &path, api_version: API_VERSION, body: None };
        let mut granted = Vec::new();
        let mut reply = self.ask(question, patience)?;
        for _ in 0..MOST_PAGES {
            let page: Page = question.read(&reply)?;
            granted.extend(page.value);
            match page.next_link.filter(|link| !link.is_empty()) {
                Some(link) => reply = self.follow(&link, question, patience)?,
                None => return Ok(Permissions { granted }),
            }
        }
        Err(question.unreadable(&"the list does not end"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_gives_what_its_patterns_cover_and_another_may_give_what_it_leaves_out() {
        let granted = |actions: &[&str], not: &[&str]| Granted {
            actions: actions.iter().map(|text| (*text).to_owned()).collect(),
            not_actions: not.iter().map(|text| (*text).to_owned()).collect(),
        };
        let contributor = granted(&["*"], &["Microsoft.Authorization/*/Write"]);
        let write = "microsoft.authorization/roleAssignments/write";
        let machine = "Microsoft.HybridCompute/machines/write";
        for (held, action, expected) in [
            (vec![], machine, false),
            (vec![contributor.clone()], machine, true),
            (vec![contributor.clone()], write, false),
            (vec![contributor, granted(&["Microsoft.Authorization/roleAssignments/*"], &[])], write, true),
            (vec![granted(&["*/read"], &[])], "Microsoft.HybridCompute/machines/read", true),
            (vec![granted(&["*/read"], &[])], machine, false),
            (vec![granted(&["Microsoft.HybridCompute/machines/write"], &[])], machine, true),
            (vec![granted(&["Microsoft.HybridCompute/machines/writ"], &[])], machine, false),
        ] {
            assert_eq!(Permissions { granted: held.clone() }.allow(action), expected, "{held:?} {action}");
        }
    }
}
