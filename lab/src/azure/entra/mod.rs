//! Microsoft Entra: what a tenant says about itself, its keys, and tokens for those who can prove who they are.

mod assertion;
mod grant;
mod signing;
mod trouble;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::answer::Answer;
use super::cloud::{Principal, SIGN_IN};
use super::http::{Request, decode};
use super::id::uuid;
use super::machine::Identity;
use super::state::hold;
pub(super) use grant::is_resource;
use signing::Signing;
pub(super) use signing::Unproven;
use trouble::Trouble;

/// A tenant and who is in it.
pub(super) struct Entra {
    tenant: String,
    signing: Signing,
    principals: Mutex<Vec<Principal>>,
    lifetime: Mutex<Duration>,
    issued: AtomicU64,
}

/// A token that was made out.
pub(super) struct Token {
    /// As it is sent.
    pub(super) text: String,
    /// The second from which it is good.
    pub(super) not_before: u64,
    /// The second at which it is good no more.
    pub(super) expires: u64,
}

impl Entra {
    pub(super) fn new(tenant: &str, principals: Vec<Principal>) -> Self {
        Self {
            tenant: tenant.to_owned(),
            signing: Signing::default(),
            principals: Mutex::new(principals),
            lifetime: Mutex::new(Duration::from_hours(24)),
            issued: AtomicU64::new(0),
        }
    }

    pub(super) fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Makes a principal known, or changes the one of that client.
    pub(super) fn admit(&self, principal: Principal) {
        let mut principals = hold(&self.principals);
        principals.retain(|known| known.client_id != principal.client_id);
        principals.push(principal);
    }

    /// Makes an identity of a machine known; an application of that client stays what it is.
    pub(super) fn admit_identity(&self, identity: &Identity) {
        let Identity { client_id, object_id } = identity.clone();
        if !self.knows(&object_id) {
            self.admit(Principal { client_id, object_id, ..Principal::default() });
        }
    }

    /// Whether anybody has this object id.
    pub(super) fn knows(&self, object_id: &str) -> bool {
        hold(&self.principals).iter().any(|known| known.object_id.eq_ignore_ascii_case(object_id))
    }

    /// How long the tokens that are made out from now on are good for.
    pub(super) fn set_lifetime(&self, lifetime: Duration) {
        *hold(&self.lifetime) = lifetime;
    }

    /// Makes out a token.
    pub(super) fn issue(&self, principal: &Principal, audience: &str) -> Token {
        let now = seconds();
        let expires = now + hold(&self.lifetime).as_secs();
        let serial = self.issued.fetch_add(1, Ordering::Relaxed);
        let claims = json!({
            "aud": audience,
            "iss": self.issuer(),
            "iat": now,
            "nbf": now,
            "exp": expires,
            "appid": principal.client_id,
            "azp": principal.client_id,
            "idtyp": "app",
            "oid": principal.object_id,
            "sub": principal.object_id,
            "tid": self.tenant,
            "groups": principal.groups,
            "uti": uuid(&format!("token {serial} {now}")),
            "ver": "2.0",
        });
        Token { text: self.signing.sign(&claims), not_before: now, expires }
    }

    /// The claims of a token that we signed and that is good now.
    pub(super) fn verify(&self, token: &str) -> Result<Value, Unproven> {
        let claims = self.signing.verify(token)?;
        if claims["iss"] != self.issuer() {
            return Err(Unproven::Foreign);
        }
        let now = seconds();
        let in_time = claims["nbf"].as_u64() <= Some(now) && claims["exp"].as_u64() > Some(now);
        if in_time { Ok(claims) } else { Err(Unproven::Expired) }
    }

    fn issuer(&self) -> String {
        issuer(&self.tenant)
    }
}

/// Who makes out the tokens of a tenant.
pub(crate) fn issuer(tenant: &str) -> String {
    format!("https://{SIGN_IN}/{tenant}/v2.0")
}

/// The time in seconds, as tokens have it.
pub(super) fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// What sign-in says.
pub(super) fn answer(entra: &Entra, request: &Request) -> Answer {
    let path = decode(request.path());
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    match (request.method.as_str(), segments.as_slice()) {
        ("GET", ["common", "discovery", "instance"]) => Answer::json(200, &instance(entra)),
        ("GET", [tenant, "v2.0", ".well-known", "openid-configuration"]) => {
            in_tenant(entra, tenant, || Answer::json(200, &configuration(entra)))
        }
        ("GET", [tenant, "discovery", "v2.0", "keys"]) => {
            in_tenant(entra, tenant, || Answer::json(200, &json!({ "keys": [entra.signing.public()] })))
        }
        ("POST", [tenant, "oauth2", "v2.0", "token"]) => {
            in_tenant(entra, tenant, || grant::answer(entra, request).unwrap_or_else(|why| why.answer()))
        }
        _ => Answer::empty(404),
    }
}

fn in_tenant(entra: &Entra, tenant: &str, answer: impl FnOnce() -> Answer) -> Answer {
    if tenant.eq_ignore_ascii_case(&entra.tenant) {
        return answer();
    }
    Trouble::NoTenant(tenant.to_owned()).answer()
}

/// What a tenant says about itself.
fn configuration(entra: &Entra) -> Value {
    let Entra { tenant, .. } = entra;
    let at = |path: &str| format!("https://{SIGN_IN}/{tenant}/{path}");
    json!({
        "issuer": entra.issuer(),
        "authorization_endpoint": at("oauth2/v2.0/authorize"),
        "token_endpoint": at("oauth2/v2.0/token"),
        "device_authorization_endpoint": at("oauth2/v2.0/devicecode"),
        "end_session_endpoint": at("oauth2/v2.0/logout"),
        "jwks_uri": at("discovery/v2.0/keys"),
        "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
        "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
        "response_modes_supported": ["query", "fragment", "form_post"],
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid", "profile", "email", "offline_access"],
        "claims_supported": ["sub", "iss", "aud", "exp", "iat", "nbf", "oid", "tid", "groups"],
        "cloud_instance_name": "microsoftonline.com",
        "tenant_region_scope": "EU",
    })
}

/// What clients ask before they trust a host with their secrets.
fn instance(entra: &Entra) -> Value {
    json!({
        "tenant_discovery_endpoint": format!("{}/.well-known/openid-configuration", entra.issuer()),
        "api-version": "1.1",
        "metadata": [{
            "preferred_network": SIGN_IN,
            "preferred_cache": "login.windows.net",
            "aliases": [SIGN_IN, "login.windows.net", "login.microsoft.com", "sts.windows.net"],
        }],
    })
}
