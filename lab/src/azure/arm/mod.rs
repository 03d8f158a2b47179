//! Azure Resource Manager: one gate for everybody, and behind it the few resources that a node's life touches.

mod arc;
mod assignments;
mod clusters;
mod operations;
mod pools;
pub(super) mod refusal;
mod roles;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::answer::Answer;
use super::cloud::{Cloud, MANAGEMENT, ManagedCluster, SIGN_IN};
use super::entra::{Entra, Unproven};
use super::http::Request;
use super::id::uuid;
use super::state::{State, hold};
use assignments::Assignment;
use pools::PoolMachine;
use refusal::Refusal;
use roles::CLUSTER_ADMIN;
use target::Target;

/// What a token that is good here is meant for; a slash may follow.
const AUDIENCES: [&str; 2] = ["https://management.azure.com", "https://management.core.windows.net"];

/// A subscription and what is in it.
pub(super) struct Arm {
    tenant: String,
    subscription: String,
    location: String,
    groups: BTreeSet<String>,
    pub(super) strict: bool,
    /// How long it takes until word of a role assignment has spread.
    pub(super) propagation: Duration,
    /// How long operations take that do not end at once.
    pub(super) patience: Duration,
    /// How many entries a list has at once.
    pub(super) page: Option<usize>,
    clusters: Vec<ManagedCluster>,
    assignments: Vec<Assignment>,
    /// Arc machines by their ids in lower case.
    arc: BTreeMap<String, Value>,
    /// Machines of agent pools by their ids in lower case.
    machines: BTreeMap<String, PoolMachine>,
    /// When operations end, by their names.
    operations: BTreeMap<String, Instant>,
    requests: u64,
}

/// Who asks.
struct Caller {
    client: String,
    object: String,
    /// The object and the groups that it is in.
    principals: Vec<String>,
}

impl Arm {
    pub(super) fn new(cloud: &Cloud) -> Self {
        let mut arm = Self {
            tenant: cloud.tenant.clone(),
            subscription: cloud.subscription.clone(),
            location: cloud.location.clone(),
            groups: cloud.groups.iter().map(|group| group.to_ascii_lowercase()).collect(),
            strict: cloud.strict,
            propagation: Duration::ZERO,
            patience: Duration::ZERO,
            page: None,
            clusters: Vec::new(),
            assignments: Vec::new(),
            arc: BTreeMap::new(),
            machines: BTreeMap::new(),
            operations: BTreeMap::new(),
            requests: 0,
        };
        for cluster in &cloud.clusters {
            arm.admit(cluster.clone());
        }
        arm
    }

    /// Makes a cluster known, or changes the one of that name.
    pub(super) fn admit(&mut self, cluster: ManagedCluster) {
        self.groups.insert(cluster.resource_group.to_ascii_lowercase());
        let id = cluster.id(&self.subscription);
        self.clusters.retain(|known| known.id(&self.subscription) != id);
        self.clusters.push(cluster);
    }

    /// Whether these principals may do everything in the cluster, by roles over it. The API server that asks does not say
    /// which cluster it is of; there is one in a lab.
    pub(super) fn is_cluster_admin(&self, principals: &[String]) -> bool {
        self.clusters.iter().any(|cluster| {
            let held = self.roles_over(principals, &cluster.id(&self.subscription));
            cluster.azure_rbac && held.iter().any(|role| role.id == CLUSTER_ADMIN)
        })
    }

    /// The subscription's id.
    pub(super) fn subscription(&self) -> &str {
        &self.subscription
    }

    fn next_request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }
}

/// What Azure Resource Manager says.
pub(super) fn answer(state: &State, request: &Request) -> Answer {
    let mut arm = hold(&state.arm);
    let id = uuid(&format!("request {}", arm.next_request()));
    let correlation = request.header("x-ms-correlation-request-id").unwrap_or(&id).to_owned();
    let answer = match caller(&state.entra, request) {
        Ok(caller) => handle(&mut arm, &state.entra, &caller, request).unwrap_or_else(|why| why.answer()),
        Err(why) => unauthenticated(&arm.tenant, &why),
    };
    answer
        .with("x-ms-request-id", id)
        .with("x-ms-correlation-request-id", correlation)
        .with("Cache-Control", "no-cache")
}

/// Believes a token that is meant for us.
fn caller(entra: &Entra, request: &Request) -> Result<Caller, Refusal> {
    let words = request.header("Authorization").unwrap_or_default();
    let token = words.strip_prefix("Bearer ").ok_or_else(|| {
        let words = "Authentication failed. The 'Authorization' header is missing.";
        Refusal::new(401, "AuthenticationFailed", words)
    })?;
    let claims = entra.verify(token).map_err(|why| match why {
        Unproven::Expired => Refusal::new(
            401,
            "ExpiredAuthenticationToken",
            "The access token expiry UTC time is earlier than now.",
        ),
        Unproven::Foreign => Refusal::new(
            401,
            "InvalidAuthenticationTokenTenant",
            "The access token is from the wrong issuer. It must match the tenant of this subscription.",
        ),
        Unproven::Malformed | Unproven::Forged => {
            Refusal::new(401, "InvalidAuthenticationToken", "The access token is invalid.")
        }
    })?;
    let text = |name: &str| claims[name].as_str().unwrap_or_default().to_owned();
    let audience = text("aud");
    if !AUDIENCES.contains(&audience.trim_end_matches('/')) {
        let words = format!(
            "The access token has been obtained for wrong audience or resource '{audience}'. It should exactly match \
             with one of the allowed audiences 'https://management.azure.com/', 'https://management.core.windows.net/'."
        );
        return Err(Refusal::new(401, "InvalidAuthenticationTokenAudience", words));
    }
    let groups = claims["groups"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let principals = std::iter::once(text("oid")).chain(groups.map(str::to_owned)).collect();
    Ok(Caller { client: text("appid"), object: text("oid"), principals })
}

fn unauthenticated(tenant: &str, why: &Refusal) -> Answer {
    let challenge = format!(
        "Bearer authorization_uri=\"https://{SIGN_IN}/{tenant}\", error=\"invalid_token\", error_description=\"{}\"",
        why.message
    );
    why.answer().with("WWW-Authenticate", challenge)
}

fn handle(arm: &mut Arm, entra: &Entra, caller: &Caller, request: &Request) -> Result<Answer, Refusal> {
    let target = Target::of(request)?;
    check_place(arm, &target)?;
    target.check_version(request, &arm.location)?;
    check_permission(arm, caller, &target, &request.method)?;
    match target.kind {
        "Microsoft.HybridCompute/machines" => arc::answer(arm, entra, &target, request),
        "Microsoft.Authorization/roleAssignments" => assignments::answer(arm, entra, &target, request),
        "Microsoft.Authorization/roleDefinitions" => assignments::definitions(&target, request),
        "Microsoft.Authorization/permissions" => Ok(assignments::permissions(arm, caller, &target)),
        "Microsoft.ContainerService/managedClusters" => clusters::answer(arm, &target, request),
        operations::HYBRID_COMPUTE | operations::CONTAINER_SERVICE => operations::answer(arm, &target),
        _ => pools::answer(arm, &target, request),
    }
}

/// The subscription and the group that a resource is in have to be there.
fn check_place(arm: &Arm, target: &Target) -> Result<(), Refusal> {
    let subscription = target.subscription();
    if !subscription.eq_ignore_ascii_case(&arm.subscription) {
        let words = format!("The subscription '{subscription}' could not be found.");
        return Err(Refusal::new(404, "SubscriptionNotFound", words));
    }
    let group = target.group();
    if group.is_empty() || arm.groups.contains(&group.to_ascii_lowercase()) {
        return Ok(());
    }
    let words = format!("Resource group '{group}' could not be found.");
    Err(Refusal::new(404, "ResourceGroupNotFound", words))
}

/// Anybody may ask what they may do, and how far their operations are.
fn check_permission(arm: &Arm, caller: &Caller, target: &Target, method: &str) -> Result<(), Refusal> {
    const FREE: [&str; 3] =
        ["Microsoft.Authorization/permissions", operations::HYBRID_COMPUTE, operations::CONTAINER_SERVICE];
    if !arm.strict || FREE.contains(&target.kind) {
        return Ok(());
    }
    let operation = target.operation(method);
    // A role assignment is an affair of its scope.
    let scope = if target.kind.starts_with("Microsoft.Authorization/") { &target.scope } else { &target.id };
    if arm.roles_over(&caller.principals, scope).iter().any(|role| role.allows(&operation)) {
        return Ok(());
    }
    let Caller { client, object, .. } = caller;
    let words = format!(
        "The client '{client}' with object id '{object}' does not have authorization to perform action '{operation}' \
         over scope '{scope}' or the scope is invalid. If access was recently granted, please refresh your credentials."
    );
    Err(Refusal::new(403, "AuthorizationFailed", words))
}

fn not_allowed(method: &str) -> Refusal {
    Refusal::new(405, "MethodNotAllowed", format!("The method {method} is not for this resource."))
}

/// The body, which has to be a JSON object.
fn body(request: &Request) -> Result<Value, Refusal> {
    let value = serde_json::from_slice(&request.body).ok().filter(Value::is_object);
    value.ok_or_else(|| {
        let words = "The request content was invalid and could not be deserialized.";
        Refusal::new(400, "InvalidRequestContent", words)
    })
}

/// The address of something behind the gate.
fn address(path: &str, version: &str) -> String {
    format!("https://{MANAGEMENT}{path}?api-version={version}")
}
