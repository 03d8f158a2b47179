//! What goes wrong, where, and how often.

use std::borrow::Cow;
use std::time::Duration;

use super::Service;
use super::http::Request;

/// A way in which a service fails its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection is reset before a byte of the answer. For a connection that is refused outright, close the
    /// service.
    Refuse,
    /// Status 429 with this many seconds in `Retry-After`.
    Throttle(Duration),
    /// This status, with a body that says no more.
    Status(u16),
    /// The right answer, but later. A silent service is one that is slower than its client is patient.
    Slow(Duration),
    /// Half of the body under a header that promises all of it, then the end of the connection.
    Truncate,
    /// Status 200 with a body that is nothing a client can read.
    Garbage,
    /// The connection is closed without an answer.
    Drop,
}

/// How often a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// The next so many requests.
    First(u32),
    /// Every request, until it is healed.
    Always,
}

/// Requests to one service whose targets are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    service: Service,
    method: Option<&'static str>,
    target: Part,
}

/// What the targets of a route have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Beginning(Cow<'static, str>),
    /// In any case of letters: ids of resources have none.
    Anywhere(Cow<'static, str>),
}

impl Route {
    /// The instance document, and parts of it.
    pub const INSTANCE: Self = Self::fixed(Service::Imds, "/metadata/instance");
    /// The attested document.
    pub const ATTESTED: Self = Self::fixed(Service::Imds, "/metadata/attested/document");
    /// Tokens of managed identities.
    pub const TOKEN: Self = Self::fixed(Service::Imds, "/metadata/identity/oauth2/token");
    /// Scheduled events.
    pub const SCHEDULED_EVENTS: Self = Self::fixed(Service::Imds, "/metadata/scheduledevents");
    /// The versions of the wireserver.
    pub const VERSIONS: Self = Self::fixed(Service::Wireserver, "/?comp=versions");
    /// The goal state.
    pub const GOAL_STATE: Self = Self::fixed(Service::Wireserver, "/machine?comp=goalstate");
    /// Reports of health.
    pub const HEALTH: Self = Self::fixed(Service::Wireserver, "/machine?comp=health");
    /// Whether the machine is to have Azure's root certificates.
    pub const CERTIFICATE_OPT_IN: Self = Self::fixed(Service::Wireserver, "/acms/isOptedInForRootCerts");
    /// The settings of extensions.
    pub const VM_SETTINGS: Self = Self::fixed(Service::HostPlugin, "/vmSettings");
    /// Uploads of logs.
    pub const AGENT_LOG: Self = Self::fixed(Service::HostPlugin, "/vmAgentLog");

    /// Sign-in: tokens for applications.
    pub const SIGN_IN: Self = Self::with(Service::Entra, "/oauth2/v2.0/token");
    /// The keys that tokens are signed with.
    pub const SIGNING_KEYS: Self = Self::with(Service::Entra, "/discovery/v2.0/keys");
    /// Tokens of an Arc machine.
    pub const ARC_TOKEN: Self = Self::fixed(Service::Himds, "/metadata/identity/oauth2/token");
    /// Arc machines.
    pub const ARC_MACHINES: Self = Self::with(Service::Arm, "/Microsoft.HybridCompute/machines");
    /// Role assignments.
    pub const ROLE_ASSIGNMENTS: Self = Self::with(Service::Arm, "/Microsoft.Authorization/roleAssignments");
    /// Clusters, and everything of them.
    pub const CLUSTERS: Self = Self::with(Service::Arm, "/Microsoft.ContainerService/managedClusters");
    /// Agent pools, their machines and bootstrap data.
    pub const AGENT_POOLS: Self = Self::with(Service::Arm, "/agentPools/");
    /// What the API server asks about principals.
    pub const CLUSTER_ACCESS: Self = Self::all(Service::ClusterAccess);

    const fn fixed(service: Service, beginning: &'static str) -> Self {
        Self { service, method: None, target: Part::Beginning(Cow::Borrowed(beginning)) }
    }

    const fn with(service: Service, part: &'static str) -> Self {
        Self { service, method: None, target: Part::Anywhere(Cow::Borrowed(part)) }
    }

    /// Everything that a service answers.
    pub const fn all(service: Service) -> Self {
        Self::fixed(service, "")
    }

    /// Files and images whose path begins so.
    pub fn artifact(path: impl Into<String>) -> Self {
        let target = Part::Beginning(Cow::Owned(path.into()));
        Self { service: Service::Artifacts, method: None, target }
    }

    /// What Azure Resource Manager is asked about resources whose id has this part.
    pub fn resource(part: impl Into<String>) -> Self {
        Self { service: Service::Arm, method: None, target: Part::Anywhere(Cow::Owned(part.into())) }
    }

    /// Of these, the requests by one method.
    #[must_use]
    pub fn by(self, method: &'static str) -> Self {
        Self { method: Some(method), ..self }
    }

    fn covers(&self, service: Service, request: &Request) -> bool {
        // Clients of the wireserver write `/machine` and `/machine/`.
        let target = request.target.replacen("/machine/?", "/machine?", 1);
        let alike = match &self.target {
            Part::Beginning(beginning) => target.starts_with(&**beginning),
            Part::Anywhere(part) => target.to_ascii_lowercase().contains(&part.to_ascii_lowercase()),
        };
        self.service == service && self.method.is_none_or(|method| method == request.method) && alike
    }
}

/// The faults that are still to come.
#[derive(Default)]
pub(super) struct Faults {
    script: Vec<(Route, Fault, Times)>,
}

impl Faults {
    pub(super) fn add(&mut self, route: Route, fault: Fault, times: Times) {
        if times != Times::First(0) {
            self.script.push((route, fault, times));
        }
    }

    pub(super) fn remove(&mut self, route: &Route) {
        self.script.retain(|(other, ..)| other != route);
    }

    /// The fault that strikes this request; a limited one is used up by it.
    pub(super) fn strike(&mut self, service: Service, request: &Request) -> Option<Fault> {
        let position = self.script.iter().position(|(route, ..)| route.covers(service, request))?;
        let (_, fault, times) = &mut self.script[position];
        let fault = fault.clone();
        if let Times::First(left) = times {
            *left -= 1;
            if *left == 0 {
                self.script.remove(position);
            }
        }
        Some(fault)
    }
}
