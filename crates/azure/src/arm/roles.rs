//! Who may do what where.

use serde::Deserialize;
use serde_json::json;
use slipway_fetch::{Backoff, Impatience, Patience};

use super::call::{Question, Reply};
use super::{Arm, ArmError, Code, ResourceId};
use crate::escape::escaped;
use crate::uuid;

const API_VERSION: &str = "2022-04-01";
const READ: &str = "Microsoft.Authorization/roleAssignments/read";
const WRITE: &str = "Microsoft.Authorization/roleAssignments/write";
const DELETE: &str = "Microsoft.Authorization/roleAssignments/delete";
/// Against a list that leads in a circle.
const MOST_PAGES: usize = 1000;

/// A role, by the definition that every tenant has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Its name in the portal.
    pub name: &'static str,
    definition: &'static str,
}

impl Role {
    /// Sees everything at its scope.
    pub const READER: Self = Self { name: "Reader", definition: "acdd72a7-3385-48ef-bd42-f606fba81ae7" };
    /// Everything inside a cluster, by Azure's own authorization.
    pub const RBAC_CLUSTER_ADMIN: Self = Self {
        name: "Azure Kubernetes Service RBAC Cluster Admin",
        definition: "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b",
    };
    /// The administrator's kubeconfig of a cluster.
    pub const CLUSTER_ADMIN: Self = Self {
        name: "Azure Kubernetes Service Cluster Admin Role",
        definition: "0ab0b1a8-8aac-4efd-b8c2-3ee1fb270be8",
    };
    /// What a node from elsewhere needs of its pool: bootstrap data, and its own machine.
    pub const FLEX_NODE_AGENT: Self = Self {
        name: "Azure Kubernetes Service Flex Node Agent Role",
        definition: "8f139b0f-7eaf-460b-a9da-5b1246d9ed0d",
    };
}

/// A role of a principal at a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAssignment {
    /// Where it counts.
    pub scope: ResourceId,
    /// The object id of whoever has it, which is an application or a managed identity.
    pub principal: String,
    /// What it allows.
    pub role: Role,
}

/// Whose an assignment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assigned {
    /// It has the name that we give: made by us, now or before.
    ByUs,
    /// Somebody else made it, under a name of his own.
    ByOthers,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Page {
    value: Vec<Listed>,
    next_link: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Listed {
    name: String,
    properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    principal_id: String,
    role_definition_id: String,
}

impl RoleAssignment {
    /// The name that this assignment always has when we make it, so that making it twice is making it once.
    pub fn name(&self) -> String {
        let (scope, principal) = (self.scope.to_string(), &self.principal);
        uuid::of_name(&format!("{scope}|{principal}|{}", self.role.definition).to_ascii_lowercase())
    }

    fn is(&self, listed: &Listed) -> bool {
        let Properties { principal_id, role_definition_id } = &listed.properties;
        let definition = role_definition_id.rsplit('/').next().unwrap_or_default();
        principal_id.eq_ignore_ascii_case(&self.principal)
            && definition.eq_ignore_ascii_case(self.role.definition)
    }
}

impl Arm {
    /// Which of these assignments are there, and whose; those of one scope are found by one list.
    pub fn assigned(
        &self,
        scope: &ResourceId,
        wanted: &[RoleAssignment],
        patience: Patience<'_>,
    ) -> Result<Vec<Option<Assigned>>, ArmError> {
        let path = assignments(scope);
        let question = Question::new(READ, "GET", &path, API_VERSION);
        let mut found = vec![None; wanted.len()];
        let mut reply = self.ask(question, patience)?;
        for _ in 0..MOST_PAGES {
            let page: Page = question.read(&reply)?;
            for listed in &page.value {
                for (wanted, found) in wanted.iter().zip(&mut found) {
                    if wanted.is(listed) && *found != Some(Assigned::ByUs) {
                        let ours = listed.name.eq_ignore_ascii_case(&wanted.name());
                        *found = Some(if ours { Assigned::ByUs } else { Assigned::ByOthers });
                    }
                }
            }
            match page.next_link.filter(|link| !link.is_empty()) {
                Some(link) => reply = self.follow(&link, question, patience)?,
                None => return Ok(found),
            }
        }
        Err(question.unreadable(&"the list does not end"))
    }

    /// Makes an assignment. That the directory does not know the principal yet may pass, and is waited for.
    pub fn assign(&self, wanted: &RoleAssignment, patience: Patience<'_>) -> Result<Assigned, ArmError> {
        let mut backoff = Backoff::default();
        loop {
            match self.put_assignment(wanted, patience) {
                Ok(_) => return Ok(Assigned::ByUs),
                Err(error) => match error.code() {
                    Some(Code::RoleAssignmentExists) => return self.whose(wanted, patience),
                    Some(Code::PrincipalNotFound) => match patience.sleep(backoff.pause(None)) {
                        Ok(()) => {}
                        Err(Impatience::Late | Impatience::Stopped) => return Err(error),
                    },
                    _ => return Err(error),
                },
            }
        }
    }

    /// Removes an assignment that we made, by its scope and name; one that is not there is removed already.
    pub fn unassign(&self, scope: &ResourceId, name: &str, patience: Patience<'_>) -> Result<(), ArmError> {
        let path = format!("{}/{}", assignments(scope), escaped(name));
        let question = Question::new(DELETE, "DELETE", &path, API_VERSION);
        match self.ask(question, patience) {
            Err(error) if !error.is_absent() => Err(error),
            _ => Ok(()),
        }
    }

    fn put_assignment(&self, wanted: &RoleAssignment, patience: Patience<'_>) -> Result<Reply, ArmError> {
        let path = format!("{}/{}", assignments(&wanted.scope), wanted.name());
        let subscription = wanted.scope.subscription();
        let definition = wanted.role.definition;
        let body = json!({ "properties": {
            "principalId": wanted.principal,
            // Without it the service looks the principal up in the directory, which is late to know it.
            "principalType": "ServicePrincipal",
            "roleDefinitionId": format!(
                "/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{definition}"
            ),
        }});
        let question = Question::new(WRITE, "PUT", &path, API_VERSION).with(&body);
        self.ask(question, patience)
    }

    /// The service says that an assignment is there, and not under which name.
    fn whose(&self, wanted: &RoleAssignment, patience: Patience<'_>) -> Result<Assigned, ArmError> {
        let found = self.assigned(&wanted.scope, std::slice::from_ref(wanted), patience)?;
        Ok(found.into_iter().flatten().next().unwrap_or(Assigned::ByOthers))
    }
}

fn assignments(scope: &ResourceId) -> String {
    format!("{}/providers/Microsoft.Authorization/roleAssignments", scope.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_depends_on_what_is_assigned_and_not_on_case() {
        let scope =
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c";
        let assignment = |scope: &str, principal: &str, role| RoleAssignment {
            scope: ResourceId::parse(scope).unwrap(),
            principal: principal.to_owned(),
            role,
        };
        let name = assignment(scope, "5b5b", Role::READER).name();
        assert_eq!(name, assignment(&scope.to_uppercase(), "5B5B", Role::READER).name());
        assert_ne!(name, assignment(scope, "5b5c", Role::READER).name());
        assert_ne!(name, assignment(scope, "5b5b", Role::CLUSTER_ADMIN).name());
        assert_ne!(name, assignment(&format!("{scope}2"), "5b5b", Role::READER).name());
    }
}
