//! Role assignments: seen at once, honoured when word of them has spread.

use std::time::Instant;

use serde_json::{Value, json};

use super::refusal::Refusal;
use super::roles::{self, Role};
use super::target::{Aim, Target};
use super::{Arm, Caller};
use crate::azure::answer::Answer;
use crate::azure::cloud::MANAGEMENT;
use crate::azure::entra::Entra;
use crate::azure::http::Request;

/// Who has which role over what.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    name: String,
    scope: String,
    principal: String,
    principal_type: String,
    role: String,
    honoured: Instant,
}

impl Assignment {
    /// One that everybody knows of already.
    pub(super) fn settled(name: String, scope: &str, principal: &str, role: &str) -> Self {
        let (scope, principal, role) = (scope.to_owned(), principal.to_owned(), role.to_owned());
        let principal_type = "ServicePrincipal".to_owned();
        Self { name, scope, principal, principal_type, role, honoured: Instant::now() }
    }

    fn document(&self) -> Value {
        let Self { name, scope, principal, principal_type, role, .. } = self;
        json!({
            "id": format!("{scope}/providers/Microsoft.Authorization/roleAssignments/{name}"),
            "type": "Microsoft.Authorization/roleAssignments",
            "name": name,
            "properties": {
                "roleDefinitionId": role,
                "principalId": principal,
                "principalType": principal_type,
                "scope": scope,
                "condition": null,
                "conditionVersion": null,
                "createdOn": "2026-01-01T00:00:00.0000000Z",
                "updatedOn": "2026-01-01T00:00:00.0000000Z",
                "createdBy": null,
                "updatedBy": null,
                "delegatedManagedIdentityResourceId": null,
                "description": null,
            },
        })
    }

    fn same_role(&self, role: &str) -> bool {
        let id = |role: &str| role.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        id(&self.role) == id(role)
    }
}

impl Arm {
    /// The roles that these principals have over a resource, as far as word has spread.
    pub(super) fn roles_over(&self, principals: &[String], id: &str) -> Vec<&'static Role> {
        let now = Instant::now();
        let counts = |it: &&Assignment| {
            let is_theirs = principals.iter().any(|principal| principal.eq_ignore_ascii_case(&it.principal));
            is_theirs && it.honoured <= now && is_within(id, &it.scope)
        };
        let held = self.assignments.iter().filter(counts);
        held.filter_map(|it| roles::find(&it.role)).collect()
    }

    /// Makes an assignment that needs no time to spread.
    pub(in crate::azure) fn grant(&mut self, name: String, principal: &str, role: &str, scope: &str) {
        self.assignments.push(Assignment::settled(name, scope, principal, role));
    }
}

/// What is said about assignments.
pub(super) fn answer(
    arm: &mut Arm,
    entra: &Entra,
    target: &Target,
    request: &Request,
) -> Result<Answer, Refusal> {
    match (request.method.as_str(), &target.aim) {
        ("GET", Aim::All) => Ok(list(arm, target, request)),
        ("GET", Aim::One) => match find(arm, target) {
            Some(at) => Ok(Answer::json(200, &arm.assignments[at].document())),
            None => Err(Refusal::new(
                404,
                "RoleAssignmentNotFound",
                format!("The role assignment '{}' is not found.", target.name()),
            )),
        },
        ("PUT", Aim::One) => put(arm, entra, target, request),
        ("DELETE", Aim::One) => Ok(match find(arm, target) {
            Some(at) => Answer::json(200, &arm.assignments.remove(at).document()),
            None => Answer::empty(204),
        }),
        _ => Err(super::not_allowed(&request.method)),
    }
}

/// The permissions that the caller has over a scope.
pub(super) fn permissions(arm: &Arm, caller: &Caller, target: &Target) -> Answer {
    let held = arm.roles_over(&caller.principals, &target.scope);
    let value: Vec<Value> = held.into_iter().map(Role::permissions).collect();
    Answer::json(200, &json!({ "value": value }))
}

/// Definitions of roles, all or those that a filter names.
pub(super) fn definitions(target: &Target, request: &Request) -> Result<Answer, Refusal> {
    if target.aim == Aim::One {
        let role = roles::find(target.name()).ok_or_else(|| {
            let words = format!("The specified role definition with ID '{}' does not exist.", target.name());
            Refusal::new(404, "RoleDefinitionDoesNotExist", words)
        })?;
        return Ok(Answer::json(200, &role.definition(&target.scope)));
    }
    let filter = request.query("$filter").unwrap_or_default();
    let name = quoted(&filter, "roleName eq ");
    let wanted = roles::all().filter(|role| name.is_none_or(|name| role.name.eq_ignore_ascii_case(name)));
    let value: Vec<Value> = wanted.map(|role| role.definition(&target.scope)).collect();
    Ok(Answer::json(200, &json!({ "value": value })))
}

fn find(arm: &Arm, target: &Target) -> Option<usize> {
    arm.assignments.iter().position(|it| {
        it.name.eq_ignore_ascii_case(target.name()) && it.scope.eq_ignore_ascii_case(&target.scope)
    })
}

fn put(arm: &mut Arm, entra: &Entra, target: &Target, request: &Request) -> Result<Answer, Refusal> {
    let body = super::body(request)?;
    let property = |name: &str| body["properties"][name].as_str().map(str::to_owned);
    let (Some(principal), Some(role)) = (property("principalId"), property("roleDefinitionId")) else {
        let words = "The request to create a role assignment has no principalId or no roleDefinitionId.";
        return Err(Refusal::new(400, "InvalidCreateRoleAssignmentRequest", words));
    };
    if !is_uuid(target.name()) {
        let words = format!("The role assignment ID '{}' is not valid. It must be a GUID.", target.name());
        return Err(Refusal::new(400, "InvalidRoleAssignmentId", words));
    }
    if roles::find(&role).is_none() {
        let words = format!("The specified role definition with ID '{role}' does not exist.");
        return Err(Refusal::new(400, "RoleDefinitionDoesNotExist", words));
    }
    let principal_type = property("principalType");
    // With its type named, a principal is not looked for: the directory may not have heard of it yet.
    if principal_type.is_none() && !entra.knows(&principal) {
        let words = format!(
            "Principal {principal} does not exist in the directory {}. If you are creating this principal and then \
             immediately assigning a role, specify the principalType.",
            entra.tenant()
        );
        return Err(Refusal::new(400, "PrincipalNotFound", words));
    }
    let is_same = |it: &Assignment| {
        it.principal.eq_ignore_ascii_case(&principal)
            && it.same_role(&role)
            && it.scope.eq_ignore_ascii_case(&target.scope)
    };
    if let Some(at) = find(arm, target) {
        if is_same(&arm.assignments[at]) {
            return Ok(Answer::json(200, &arm.assignments[at].document()));
        }
        let words = "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.";
        return Err(Refusal::new(400, "RoleAssignmentUpdateNotPermitted", words));
    }
    if arm.assignments.iter().any(is_same) {
        return Err(Refusal::new(409, "RoleAssignmentExists", "The role assignment already exists."));
    }
    let made = Assignment {
        name: target.name().to_owned(),
        scope: target.scope.clone(),
        principal,
        principal_type: principal_type.unwrap_or_else(|| "ServicePrincipal".to_owned()),
        role,
        honoured: Instant::now() + arm.propagation,
    };
    let document = made.document();
    arm.assignments.push(made);
    Ok(Answer::json(201, &document))
}

/// Assignments at, above and below a scope, as far as the filter wants them.
fn list(arm: &Arm, target: &Target, request: &Request) -> Answer {
    let filter = request.query("$filter").unwrap_or_default();
    let principal = quoted(&filter, "principalId eq ").or_else(|| quoted(&filter, "assignedTo("));
    let above_only = filter.contains("atScope()");
    let wanted = |it: &&Assignment| {
        let above = is_within(&target.scope, &it.scope);
        let below = !above_only && is_within(&it.scope, &target.scope);
        (above || below) && principal.is_none_or(|principal| principal.eq_ignore_ascii_case(&it.principal))
    };
    let found: Vec<Value> = arm.assignments.iter().filter(wanted).map(Assignment::document).collect();
    let start = request.query("$skipToken").and_then(|text| text.parse().ok()).unwrap_or(0_usize);
    let size = arm.page.unwrap_or(usize::MAX);
    let page: Vec<&Value> = found.iter().skip(start).take(size).collect();
    let next = start.saturating_add(size);
    let mut document = json!({ "value": page });
    if next < found.len() {
        let (id, version) = (&target.id, request.query("api-version").unwrap_or_default());
        let mut link = format!("https://{MANAGEMENT}{id}?api-version={version}&%24skipToken={next}");
        if !filter.is_empty() {
            link.push_str("&%24filter=");
            link.push_str(&filter.replace(' ', "%20").replace('\'', "%27"));
        }
        document["nextLink"] = json!(link);
    }
    Answer::json(200, &document)
}

/// The text in quotes behind this in a filter.
fn quoted<'a>(filter: &'a str, before: &str) -> Option<&'a str> {
    let at = filter.to_ascii_lowercase().find(&before.to_ascii_lowercase())?;
    filter[at + before.len()..].trim_start().strip_prefix('\'')?.split('\'').next()
}

/// Whether an id is a scope or below it.
pub(super) fn is_within(id: &str, scope: &str) -> bool {
    let (id, scope) = (id.to_ascii_lowercase(), scope.trim_end_matches('/').to_ascii_lowercase());
    id.strip_prefix(&scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|octet| octet == b'-' || octet.is_ascii_hexdigit())
}
