//! The token endpoint: an application proves who it is and gets a token for a resource.

use serde_json::json;

use super::{Entra, Trouble, assertion};
use crate::azure::answer::Answer;
use crate::azure::cloud::{KUBERNETES, Principal};
use crate::azure::http::Request;
use crate::azure::state::hold;

/// What there are tokens for.
const RESOURCES: [&str; 4] = [
    KUBERNETES,
    "https://management.azure.com",
    "https://management.core.windows.net",
    "https://graph.microsoft.com",
];
/// What clients ask for besides, out of habit; it means nothing for an application.
const HABITS: [&str; 3] = ["openid", "offline_access", "profile"];

/// A token, or why there is none.
pub(super) fn answer(entra: &Entra, request: &Request) -> Result<Answer, Trouble> {
    let field = |name| request.form(name).filter(|value| !value.is_empty()).ok_or(Trouble::NoParameter(name));
    let grant = field("grant_type")?;
    if grant != "client_credentials" {
        return Err(Trouble::NoGrant(grant));
    }
    let client = field("client_id")?;
    let scope = field("scope")?;
    let known = hold(&entra.principals).iter().find(|it| it.client_id.eq_ignore_ascii_case(&client)).cloned();
    let principal = known.ok_or(Trouble::NoClient(client))?;
    prove(entra, &principal, request)?;
    let token = entra.issue(&principal, &audience(&scope)?);
    let lifetime = token.expires - token.not_before;
    Ok(Answer::json(
        200,
        &json!({
            "token_type": "Bearer",
            "expires_in": lifetime,
            "ext_expires_in": lifetime,
            "access_token": token.text,
        }),
    )
    .with("Cache-Control", "no-store, no-cache"))
}

fn prove(entra: &Entra, principal: &Principal, request: &Request) -> Result<(), Trouble> {
    if let Some(text) = request.form("client_assertion") {
        return assertion::verify(&text, principal, entra.tenant());
    }
    match request.form("client_secret") {
        Some(secret) if principal.secrets.contains(&secret) => Ok(()),
        Some(_) => Err(Trouble::WrongSecret),
        None => Err(Trouble::NoProof),
    }
}

/// Who a token for this scope is meant for.
fn audience(scope: &str) -> Result<String, Trouble> {
    let mut wanted = scope.split(' ').filter(|word| !word.is_empty() && !HABITS.contains(word));
    let (Some(word), None) = (wanted.next(), wanted.next()) else {
        return Err(Trouble::NoScope(scope.to_owned()));
    };
    let resource = word.strip_suffix("/.default").ok_or_else(|| Trouble::NoScope(scope.to_owned()))?;
    if !is_resource(resource) {
        return Err(Trouble::NoResource(resource.to_owned()));
    }
    Ok(resource.to_owned())
}

/// Whether there are tokens for this. A slash at the end is part of the name that a token carries, but of no other resource.
pub(in crate::azure) fn is_resource(resource: &str) -> bool {
    let resource = resource.strip_suffix('/').unwrap_or(resource);
    RESOURCES.contains(&resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_names_one_resource_by_its_default() {
        for (scope, expected) in [
            ("https://management.azure.com/.default", Some("https://management.azure.com")),
            (
                "https://management.core.windows.net//.default openid offline_access profile",
                Some("https://management.core.windows.net/"),
            ),
            ("6dae42f8-4368-4678-94ff-3960e28e3630/.default", Some(KUBERNETES)),
            ("https://management.azure.com/user_impersonation", None),
            ("openid", None),
            ("https://elsewhere.test/.default", None),
        ] {
            assert_eq!(audience(scope).ok().as_deref(), expected, "{scope}");
        }
    }
}
