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

/// Requests to one service whose target begins alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    service: Service,
    beginning: Cow<'static, str>,
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

    const fn fixed(service: Service, beginning: &'static str) -> Self {
        Self { service, beginning: Cow::Borrowed(beginning) }
    }

    /// Everything that a service answers.
    pub const fn all(service: Service) -> Self {
        Self::fixed(service, "")
    }

    /// Files and images whose path begins so.
    pub fn artifact(path: impl Into<String>) -> Self {
        Self { service: Service::Artifacts, beginning: Cow::Owned(path.into()) }
    }

    fn covers(&self, service: Service, request: &Request) -> bool {
        // Clients of the wireserver write `/machine` and `/machine/`.
        let target = request.target.replacen("/machine/?", "/machine?", 1);
        self.service == service && target.starts_with(&*self.beginning)
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
