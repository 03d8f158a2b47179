//! The flex configuration: its keys, what a text says, and what that means.
//!
//! A file does not say which generation of `aks-flex-node` it was written for, so all of them are read as one: older names
//! of a key stand for it, newer ones count first, and what is not said has today's default. Reading is strict: unknown keys,
//! wrong types and repeated keys are errors, all of them at once. Keys may be in any letter case, as Go's readers have it;
//! those that begin with `//` are comments.

mod api_server;
mod arc;
mod cloud;
mod cluster_id;
mod key;
pub(crate) mod keys;
mod names;
mod read;
mod relations;
mod report;
mod rules;
mod secrets;
mod settings;
mod values;

use slipway_contract::{Issue, Severity, locate};

pub use api_server::{ApiServer, NoApiServer};
pub use arc::Arc;
pub use cloud::{Arm, NoEndpoint};
pub use cluster_id::{ClusterId, NoClusterId};
pub use key::{Default, Fate, Generation, Key, Shape};
pub use keys::KEYS;
pub use rules::Rule;
pub use settings::{
    Agent, FlexConfig, Identity, Kept, MachineClient, NotAToken, Outward, PrincipalCredential, Versions,
};

use values::Values;

/// What there is to say about the text of a configuration.
#[derive(Debug)]
pub struct Reading {
    /// The configuration, unless an issue is an error.
    pub config: Option<FlexConfig>,
    /// Everything there is to say, in the order of the text.
    pub issues: Vec<Issue>,
}

/// Reads a configuration for the machine of this name.
pub fn read(text: &[u8], hostname: &str) -> Reading {
    let read::Text { values, mut issues, stopped } = read::values(text);
    // What follows a place that is not JSON may be there and was not seen.
    if !stopped {
        issues.extend(relations::check(&values, hostname));
    }
    let fits = issues.iter().all(|issue| issue.severity != Severity::Error);
    let config = fits.then(|| FlexConfig::of(values, hostname)).flatten();
    locate(text, &mut issues);
    let refused = issues.iter().filter(|issue| issue.reason == rules::UNUSABLE).cloned().collect();
    Reading { config: config.map(|config| config.refusing(refused)), issues }
}

/// A way to authenticate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Arc,
    Token,
    ManagedIdentity,
    ServicePrincipal,
}

impl Method {
    /// The object that configures it.
    pub(crate) const fn object(self) -> &'static str {
        match self {
            Self::Arc => "azure.arc",
            Self::Token => "azure.bootstrapToken",
            Self::ManagedIdentity => "azure.managedIdentity",
            Self::ServicePrincipal => "azure.servicePrincipal",
        }
    }

    /// Its name among the methods that count as configured.
    pub(crate) fn name(self) -> &'static str {
        self.object().trim_start_matches("azure.")
    }
}

/// The ways to authenticate that are configured, by their names.
pub(crate) fn methods(values: &Values) -> Vec<Method> {
    let others = [Method::Token, Method::ManagedIdentity, Method::ServicePrincipal];
    let mut methods: Vec<Method> = others.into_iter().filter(|method| values.has(method.object())).collect();
    // In the first generation there was no switch: whoever spoke of Arc meant it, and so did who spoke of nothing.
    let spoken_of = values.has(Method::Arc.object()) && methods.is_empty();
    if values.switch(keys::ARC_ENABLED).unwrap_or(spoken_of || means_arc_unsaid(values)) {
        methods.insert(0, Method::Arc);
    }
    methods
}

/// Whether a text names no way to authenticate and is one that the first generation took, for which that was Arc. What it
/// refused means nothing: other clouds, ids in another letter case, keys with a dot in an object.
pub(crate) fn means_arc_unsaid(values: &Values) -> bool {
    let all = [Method::Arc, Method::Token, Method::ManagedIdentity, Method::ServicePrincipal];
    let demanded = [keys::SUBSCRIPTION, keys::TENANT, keys::CLUSTER_LOCATION];
    let objects = [keys::LABELS, keys::EVICTION, keys::KUBE_RESERVED];
    let as_written = |id: &str| ClusterId::parse(id).is_ok_and(|cluster| cluster.to_string() == id);
    all.iter().all(|method| !values.has(method.object()))
        && demanded.iter().all(|key| values.is_set(key))
        && values.text(keys::CLUSTER).is_some_and(as_written)
        && values.text(keys::CLOUD).is_none_or(|cloud| cloud == keys::CLOUDS[0])
        && objects.iter().all(|key| values.map(key).keys().all(|name| !name.contains('.')))
}
