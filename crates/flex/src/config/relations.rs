//! What values have to fulfil together.

use slipway_contract::{Issue, Severity};

use super::key::{Default, Fate, Key};
use super::keys::{self, KEYS};
use super::rules::{UNUSABLE, is_node_name, is_word};
use super::values::Values;
use super::{Method, means_arc_unsaid, methods};

/// What kubelet can be told to evict on.
const SIGNALS: [&str; 6] = [
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
];
/// What can be kept from pods.
const RESERVABLE: [&str; 4] = ["cpu", "memory", "ephemeral-storage", "pid"];

pub(super) fn check(values: &Values, hostname: &str) -> Vec<Issue> {
    let mut found = Found { values, issues: Vec::new() };
    found.demand(keys::CLUSTER, "the cluster is not named", "az aks show prints its id");
    found.identity();
    found.service_principal();
    found.token();
    found.arc();
    found.node_name(hostname);
    found.machine_client();
    found.kubelet();
    found.fates();
    found.issues
}

struct Found<'a> {
    values: &'a Values,
    issues: Vec<Issue>,
}

impl Found<'_> {
    fn say(&mut self, severity: Severity, reason: &'static str, path: &str, message: String, hint: &str) {
        let at = self.values.place(path);
        self.issues.push(Issue::new(severity, reason, path.to_owned(), at, message).with_hint(hint));
    }

    fn error(&mut self, reason: &'static str, path: &str, message: &str, hint: &str) {
        self.say(Severity::Error, reason, path, message.to_owned(), hint);
    }

    fn unusable(&mut self, path: &str, message: String, hint: &str) {
        self.say(Severity::Warning, UNUSABLE, path, message, hint);
    }

    fn demand(&mut self, key: &Key, message: &str, hint: &str) {
        if self.values.is_missing(key) {
            self.error("missing-key", key.path, message, hint);
        }
    }

    /// At least one way to authenticate, and at most one of Azure's.
    fn identity(&mut self) {
        let methods = methods(self.values);
        if methods.is_empty() {
            let hint = "set azure.bootstrapToken, azure.arc.enabled, azure.servicePrincipal or azure.managedIdentity";
            self.error("no-identity", "azure", "there is no way to authenticate", hint);
        }
        if means_arc_unsaid(self.values) {
            let message = "no way to authenticate is named: Azure Arc is meant, as in the first version";
            let hint = "say it: \"arc\": {\"enabled\": true}";
            self.say(Severity::Warning, "arc-unsaid", "azure", message.to_owned(), hint);
        }
        let azure: Vec<Method> = methods.into_iter().filter(|method| *method != Method::Token).collect();
        if let [first, second, ..] = azure[..] {
            let message = format!("{} and {} exclude each other", first.object(), second.object());
            let hint = "keep one; azure.bootstrapToken may stand beside it";
            self.error("two-identities", second.object(), &message, hint);
        }
    }

    fn service_principal(&mut self) {
        if !self.values.has(Method::ServicePrincipal.object()) {
            return;
        }
        let whole = "a service principal without it is none";
        self.demand(keys::SP_TENANT, "the service principal's tenant is missing", whole);
        self.demand(keys::SP_CLIENT, "the service principal's application id is missing", whole);
        self.exactly_one(&[keys::SP_SECRET, keys::SP_SECRET_FILE, keys::SP_CERTIFICATE]);
    }

    fn token(&mut self) {
        if !self.values.has(Method::Token.object()) {
            return;
        }
        self.exactly_one(&[keys::BOOTSTRAP_TOKEN, keys::TOKEN_FILE]);
        let hint = "a token says nothing about the cluster; slipway flex init --kubeconfig FILE fills it in";
        self.demand(keys::FQDN, "a bootstrap token needs the API server's address", hint);
        self.demand(keys::CA, "a bootstrap token needs the cluster's CA", hint);
    }

    fn exactly_one(&mut self, keys: &[&Key]) {
        let names = keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(", ");
        let set: Vec<&&Key> = keys.iter().filter(|key| !self.values.is_missing(key)).collect();
        match set[..] {
            [] => {
                let message = format!("one of {names} is missing");
                self.error("missing-key", keys[0].path, &message, "set one of them");
            }
            [_] => {}
            [_, second, ..] => {
                let message = format!("only one of {names} counts");
                self.error("two-credentials", second.path, &message, "keep one");
            }
        }
    }

    fn arc(&mut self) {
        let unreadable = !self.values.is_set(keys::ARC_ENABLED) && !self.values.is_missing(keys::ARC_ENABLED);
        if unreadable || !methods(self.values).contains(&Method::Arc) {
            return;
        }
        self.demand(keys::TENANT, "Azure Arc needs the tenant", "az account show prints it as tenantId");
        if self.values.is_missing(keys::CLUSTER_LOCATION) {
            let hint = "azure.targetCluster.location stands in for it where both are the same";
            self.demand(keys::ARC_LOCATION, "Azure Arc needs a region", hint);
        }
    }

    fn node_name(&mut self, hostname: &str) {
        if self.values.is_missing(keys::NODE_NAME_KEY) && !is_node_name(&hostname.to_lowercase()) {
            let message = format!("the host's name {hostname:?} cannot be the name of a node");
            let hint = "say another one: letters a-z, digits, - and . in between";
            self.error("missing-key", keys::NODE_NAME_KEY.path, &message, hint);
        }
    }

    fn machine_client(&mut self) {
        let url = self.values.text(keys::CLIENT_URL);
        let path = keys::CLIENT_URL.path;
        match (self.values.text(keys::CLIENT_MODE), url) {
            (Some("in-cluster"), None) => {
                self.demand(keys::CLIENT_URL, "in-cluster mode needs the path", "a path of the API server");
            }
            (Some("in-cluster"), Some(url))
                if !url.starts_with('/') || url.starts_with("//") || url.contains('#') =>
            {
                let hint =
                    "such as /api/v1/namespaces/kube-system/services/http:aks-flex-controller:80/proxy";
                self.error("wrong-value", path, "in-cluster mode needs a path of the API server", hint);
            }
            (Some("arm"), Some(url)) if !url.starts_with("http://") && !url.starts_with("https://") => {
                self.error(
                    "wrong-value",
                    path,
                    "this is not an http or https address",
                    "such as http://127.0.0.1:8080",
                );
            }
            _ => {}
        }
        let by_azure = self.values.text(keys::CLIENT_MODE) == Some("arm") && url.is_none();
        if !by_azure && self.values.switch(keys::REGISTRATION) == Some(true) {
            let message = "no node is made with it: only Azure itself can be told of the machine";
            let hint = "leave out agent.machineClient, or agent.requireMachineRegistration";
            self.unusable(keys::REGISTRATION.path, message.to_owned(), hint);
        }
        if self.values.duration(keys::INTERVAL).nanoseconds() < 0 {
            self.error("wrong-value", keys::INTERVAL.path, "an interval cannot be negative", "such as 10m");
        }
    }

    /// What the peer lets pass and kubelet would not start with.
    fn kubelet(&mut self) {
        let pods = self.values.whole(keys::MAX_PODS);
        if !(1..=i64::from(u16::MAX)).contains(&pods) {
            self.unusable(keys::MAX_PODS.path, format!("a node cannot take {pods} pods"), "such as 110");
        }
        let verbosity = self.values.whole(keys::VERBOSITY);
        if !(0..=10).contains(&verbosity) {
            self.unusable(keys::VERBOSITY.path, format!("{verbosity} is not from 0 to 10"), "such as 2");
        }
        let (low, high) = (self.values.whole(keys::GC_LOW), self.values.whole(keys::GC_HIGH));
        if !(0 <= low && low < high && high <= 100) {
            let message = format!("images cannot be removed from {high} down to {low} percent");
            self.unusable(keys::GC_LOW.path, message, "imageGCLowThreshold is below imageGCHighThreshold");
        }
        for (key, known) in [
            (keys::EVICTION, &SIGNALS[..]),
            (keys::KUBE_RESERVED, &RESERVABLE),
            (keys::SYSTEM_RESERVED, &RESERVABLE),
        ] {
            for (name, value) in self.values.map(key) {
                if !known.contains(&name.as_str()) || value.is_empty() {
                    let path = format!("{}[{name}]", key.path);
                    let hint = format!("it knows {}", known.join(", "));
                    self.unusable_in(key, &path, "kubelet would not start with it".to_owned(), &hint);
                }
            }
        }
        for (name, value) in self.values.map(keys::LABELS) {
            if name.is_empty() || !is_word(&name) || !is_word(&value) || value.contains(',') {
                let path = format!("{}[{name}]", keys::LABELS.path);
                let hint = "quotes, commas, backslashes and white space do not belong into a label";
                self.unusable_in(keys::LABELS, &path, "this is not a label".to_owned(), hint);
            }
        }
    }

    fn unusable_in(&mut self, key: &Key, path: &str, message: String, hint: &str) {
        let at = self.values.place(key.path);
        let issue = Issue::new(Severity::Warning, UNUSABLE, path.to_owned(), at, message);
        self.issues.push(issue.with_hint(hint));
    }

    /// What is set and does nothing, or cannot be done.
    fn fates(&mut self) {
        for key in KEYS.iter().filter(|key| self.values.differs(key)) {
            match key.fate {
                Fate::Honoured | Fate::Alias(_) => {}
                // Everybody's default in the older generations.
                Fate::Idle(_) if matches!(key.default, Default::Text(text) if self.values.text(key) == Some(text)) =>
                    {}
                Fate::Idle(reason) => {
                    let message = format!("nothing is done for it: {reason}");
                    self.say(Severity::Note, "idle-key", key.path, message, "it may be left out");
                }
                Fate::Refused(reason) => {
                    self.unusable(key.path, format!("no node is made with it: {reason}"), "leave it out");
                }
            }
        }
    }
}
