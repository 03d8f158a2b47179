//! The launcher's settings, from its environment and arguments to options.
//!
//! Comes in: environment variables and arguments, as Karpenter's provider takes them. Goes out: [`Options`] with the
//! layer of each setting, or all that is wrong with them. Never does: reading the process's own environment.

mod environment;
mod rules;
mod table;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};
use slipway_model::Secret;
use zeroize::Zeroize as _;

use crate::request::{GoDuration, Options, ProvisionMode};
use crate::{Fidelity, Layered, Source};

pub use environment::environment;
pub use table::{Kind, SETTINGS, Setting};

/// The settings of a launcher. Arguments win over the environment, which wins over defaults.
pub struct Settings {
    values: Vec<Layered<String>>,
}

/// Settings that a launcher does not start with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{stage}, {}", .reasons.join("; "))]
pub struct BadSettings {
    /// What was being done.
    stage: &'static str,
    /// What is wrong, all of it. Holds no hidden setting.
    pub reasons: Vec<String>,
}

const PARSING: &str = "parsing flags";
const VALIDATING: &str = "validating options";

impl Settings {
    /// Reads settings from environment variables and arguments, and checks them.
    pub fn read(
        environment: &BTreeMap<String, String>,
        arguments: &[String],
        fidelity: Fidelity,
    ) -> Result<Self, BadSettings> {
        let layer = |setting: &Setting| {
            let given = environment.get(setting.variable).cloned();
            // Text counts when it is there, even if empty; what cannot be read as a number or a truth does not.
            let given = given.filter(|value| matches!(setting.kind, Kind::Pairs) || setting.reads(value));
            Layered::new(setting.default.to_owned(), Source::Fixed).under(given, Source::Environment)
        };
        let mut settings = Self { values: SETTINGS.iter().map(layer).collect() };
        settings.take(arguments).map_err(|reason| BadSettings { stage: PARSING, reasons: vec![reason] })?;
        let reasons = rules::broken(&settings, fidelity);
        if reasons.is_empty() { Ok(settings) } else { Err(BadSettings { stage: VALIDATING, reasons }) }
    }

    /// Takes arguments as Go's `flag` package does: one or two dashes, `=value` or the next argument, and nothing after
    /// the first that is none.
    fn take(&mut self, arguments: &[String]) -> Result<(), String> {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let Some(name) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
                break;
            };
            if name.is_empty() {
                break;
            }
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            let at = SETTINGS.iter().position(|setting| setting.argument == name);
            let at = at.ok_or_else(|| format!("there is no argument --{name}"))?;
            let setting = &SETTINGS[at];
            let value = match value {
                Some(value) => value.to_owned(),
                None if setting.kind == Kind::Bool => "true".to_owned(),
                None => rest.next().ok_or_else(|| format!("--{name} needs a value"))?.clone(),
            };
            if !setting.reads(&value) {
                return Err(format!("--{name} has a value that cannot be read"));
            }
            let before = std::mem::replace(&mut self.values[at], Layered::new(String::new(), Source::Fixed));
            self.values[at] = before.under(Some(value), Source::GlobalOptions);
        }
        Ok(())
    }

    /// Every setting with its layers.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Setting, &Layered<String>)> {
        SETTINGS.iter().zip(&self.values)
    }

    /// A setting's text, by its argument.
    fn text(&self, argument: &str) -> &str {
        let found = self.iter().find(|(setting, _)| setting.argument == argument);
        found.map_or("", |(_, layers)| layers.value.as_str())
    }

    fn is_on(&self, argument: &str) -> bool {
        truth(self.text(argument)).unwrap_or_default()
    }

    /// The settings that may be logged, as JSON; what is empty is left out.
    pub fn logged(&self) -> Value {
        let shown = self.iter().filter(|(setting, _)| !setting.is_hidden);
        let members = shown
            .filter_map(|(setting, layers)| Some((setting.name.to_owned(), setting.json(&layers.value)?)));
        Value::Object(members.collect::<Map<_, _>>())
    }

    /// The options of a launch request.
    pub fn options(&self) -> Options {
        let text = |argument| self.text(argument).to_owned();
        let mode =
            serde_json::from_value(json!(self.text("provision-mode"))).unwrap_or(ProvisionMode::Scriptless);
        Options {
            cluster_name: text("cluster-name"),
            cluster_endpoint: text("cluster-endpoint"),
            kubelet_bootstrap_token: Secret::new(text("kubelet-bootstrap-token")),
            ssh_public_key: text("ssh-public-key"),
            linux_admin_username: text("linux-admin-username"),
            network_plugin: text("network-plugin"),
            network_plugin_mode: text("network-plugin-mode"),
            network_policy: text("network-policy"),
            network_dataplane: text("network-dataplane"),
            dns_service_ip: text("dns-service-ip"),
            vnet_guid: text("vnet-guid"),
            vnet_subnet_id: text("vnet-subnet-id"),
            kubelet_identity_client_id: text("kubelet-identity-client-id"),
            node_identities: items(self.text("node-identities")).map(str::to_owned).collect(),
            node_resource_group: text("node-resource-group"),
            vm_memory_overhead_percent: self.text("vm-memory-overhead-percent").parse().unwrap_or(0.075),
            use_sig: self.is_on("use-sig"),
            sig_subscription_id: text("sig-subscription-id"),
            node_os_disk_encryption_set_id: text("node-osdisk-diskencryptionset-id"),
            additional_tags: pairs(self.text("additional-tags")).unwrap_or_default().into_iter().collect(),
            provision_mode: mode,
            node_bootstrapping_server_url: text("nodebootstrapping-server-url"),
            aks_machines_pool_name: text("aks-machines-pool-name"),
            ..Options::default()
        }
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        for (setting, layers) in SETTINGS.iter().zip(&mut self.values) {
            if setting.is_hidden {
                layers.value.zeroize();
                layers.overridden.iter_mut().for_each(|lost| lost.value.zeroize());
            }
        }
    }
}

/// Hidden settings are masked.
impl fmt::Debug for Settings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(setting, layers): (&'static Setting, &Layered<String>)| {
            let value =
                if setting.is_hidden { Secret::<String>::MASK.to_owned() } else { layers.value.clone() };
            (setting.argument, value)
        };
        out.debug_map().entries(self.iter().map(shown)).finish()
    }
}

impl Setting {
    /// Whether a text is a value of this setting.
    fn reads(&self, text: &str) -> bool {
        match self.kind {
            Kind::Text | Kind::List => true,
            Kind::Bool => truth(text).is_some(),
            Kind::Fraction => text.parse::<f64>().is_ok(),
            Kind::Number => text.parse::<i64>().is_ok(),
            Kind::Duration => GoDuration::parse(text).is_some(),
            Kind::Pairs => pairs(text).is_some(),
        }
    }

    /// The value as JSON; `None` for an empty one.
    fn json(&self, text: &str) -> Option<Value> {
        match self.kind {
            Kind::Text => Some(json!(text)).filter(|_| !text.is_empty()),
            Kind::Bool => truth(text).filter(|on| *on).map(Value::Bool),
            Kind::Fraction => {
                text.parse::<f64>().ok().filter(|number| *number != 0.0).map(|number| json!(number))
            }
            Kind::Number => {
                text.parse::<i64>().ok().filter(|number| *number != 0).map(|number| json!(number))
            }
            Kind::Duration => {
                let nanoseconds = GoDuration::parse(text).map(GoDuration::nanoseconds);
                nanoseconds.filter(|nanoseconds| *nanoseconds != 0).map(|nanoseconds| json!(nanoseconds))
            }
            Kind::List => Some(json!(items(text).collect::<Vec<_>>())).filter(|_| !text.is_empty()),
            Kind::Pairs => {
                let pairs: BTreeMap<_, _> = pairs(text)?.into_iter().collect();
                Some(json!(pairs)).filter(|_| !text.is_empty())
            }
        }
    }
}

/// A truth, in the spellings that Go knows.
fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(move |_| !text.is_empty())
}

fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pair = |item: &str| item.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    items(text).map(pair).collect()
}
