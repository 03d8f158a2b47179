//! The configuration as types.

use std::path::PathBuf;

use slipway_azure::arm::{KubeletWish, MachineGoal, MachineWish};
use slipway_contract::Issue;
use slipway_model::{GoDuration, Secret};

use super::api_server::ApiServer;
use super::arc::Arc;
use super::cloud::Arm;
use super::cluster_id::ClusterId;
use super::key::Key;
use super::rules::{TAINT, UNUSABLE, is_token, pem};
use super::values::{Value, Values};
use super::{Method, keys, methods, relations};
use crate::supply::Mirror;

/// A configuration that can be read, with every default in its place.
#[derive(Debug, Clone)]
pub struct FlexConfig {
    /// The cluster.
    pub cluster: ClusterId,
    /// The cluster's region; empty where it is not said.
    pub location: String,
    /// The subscription of what Azure keeps about the machine.
    pub subscription: String,
    /// The tenant; empty where it is not said.
    pub tenant: String,
    /// The cloud.
    pub arm: Arm,
    /// The agent pool that the machine is registered in.
    pub agent_pool: String,
    /// The machine in Azure Arc.
    pub arc: Arc,
    /// Who the machine is to Azure, if it is anybody.
    pub identity: Option<Identity>,
    /// The bootstrap token, if there is one.
    pub token: Option<Kept>,
    /// The API server, if it is known.
    pub server: Option<ApiServer>,
    /// The cluster's CA in PEM, if it is known.
    pub ca: Option<String>,
    /// The daemon's settings.
    pub agent: Agent,
    /// Which programs the node runs.
    pub versions: Versions,
    /// The bundle that everything is taken from, if it is not the network; a Go template of the Kubernetes version.
    pub offline_source: Option<String>,
    /// The signed list of releases, if it is said.
    pub manifest: Option<String>,
    /// The public key that vouches for it, as text or as a file, if it is said.
    pub release_key: Option<String>,
    /// Other places for the same files.
    pub mirrors: Vec<Mirror>,
    /// The way out.
    pub outward: Outward,
    pub(crate) values: Values,
    /// What can be read and cannot be made a node of.
    pub(crate) refused: Vec<Issue>,
}

/// The way out of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outward {
    /// The proxy for http.
    pub http_proxy: Option<Secret<String>>,
    /// The proxy for https.
    pub https_proxy: Option<Secret<String>>,
    /// What is reached without them.
    pub no_proxy: Vec<String>,
    /// Who is trusted besides the system's authorities, PEM.
    pub authorities: Option<String>,
}

/// Who a machine is to Azure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// Whom Azure Arc says it is.
    Arc,
    /// A managed identity of the VM's: the system's, or the one with this client id.
    Managed(Option<String>),
    /// A service principal.
    Principal {
        /// Its tenant.
        tenant: String,
        /// Its application id.
        client: String,
        /// How it proves itself.
        credential: PrincipalCredential,
    },
}

/// How a service principal proves itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrincipalCredential {
    /// By a secret.
    Secret(Kept),
    /// By the certificate and key in this PEM file.
    Certificate(PathBuf),
}

/// A secret, or the file that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// It stands in the configuration.
    Here(Secret<String>),
    /// It is the content of this file.
    In(PathBuf),
}

/// The daemon's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The node's name.
    pub node_name: String,
    /// `debug`, `info`, `warning` or `error`.
    pub log_level: String,
    /// Where `aks-flex-node` logs.
    pub log_dir: PathBuf,
    /// Who keeps the machine's desired state.
    pub machine_client: MachineClient,
    /// How often the desired state is looked at.
    pub reconcile_interval: GoDuration,
    /// Whether a node without its ARM machine is a failure.
    pub require_registration: bool,
    /// Whether what changed is repaired.
    pub repairs_drift: bool,
}

/// Who keeps the machine's desired state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MachineClient {
    /// Resource Manager, by way of this proxy if there is one.
    Arm(Option<String>),
    /// The API server, at this path.
    InCluster(String),
}

/// Which programs the node runs; what is not said is the installation's choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// Of Kubernetes.
    pub kubernetes: Option<String>,
    /// Of containerd.
    pub containerd: Option<String>,
    /// Of runc.
    pub runc: Option<String>,
    /// Of the network plugins.
    pub cni: Option<String>,
    /// The pause container's image.
    pub sandbox_image: Option<String>,
}

/// A text that was to be a bootstrap token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a bootstrap token: six characters, a dot, sixteen characters, a-z and 0-9")]
pub struct NotAToken;

impl FlexConfig {
    /// The values of a text without errors.
    pub(super) fn of(values: Values, hostname: &str) -> Option<Self> {
        let cluster = ClusterId::parse(values.text(keys::CLUSTER)?).ok()?;
        let arm = match values.text(keys::ENDPOINT) {
            Some(endpoint) => Arm::at(endpoint).ok()?,
            None => Arm::named(&values.words(keys::CLOUD)),
        };
        Some(Self {
            location: values.words(keys::CLUSTER_LOCATION),
            subscription: values.text(keys::SUBSCRIPTION).unwrap_or(&cluster.subscription).to_owned(),
            tenant: values.words(keys::TENANT),
            arm,
            agent_pool: values.words(keys::AGENT_POOL),
            arc: Arc::of(&values, &cluster, hostname),
            identity: identity(&values),
            token: kept(&values, keys::BOOTSTRAP_TOKEN, keys::TOKEN_FILE),
            server: values.text(keys::FQDN).and_then(|text| ApiServer::parse(text).ok()),
            ca: values.text(keys::CA).and_then(|text| pem(text).ok()),
            agent: agent(&values, hostname),
            versions: versions(&values),
            offline_source: values.text(keys::OFFLINE).map(str::to_owned),
            manifest: values.text(keys::MANIFEST).map(str::to_owned),
            release_key: values.text(keys::RELEASE_KEY).map(str::to_owned),
            mirrors: values
                .secrets(keys::MIRRORS)
                .iter()
                .filter_map(|mirror| mirror.expose().parse().ok())
                .collect(),
            outward: outward(&values),
            cluster,
            values,
            refused: Vec::new(),
        })
    }

    pub(super) fn refusing(self, refused: Vec<Issue>) -> Self {
        Self { refused, ..self }
    }

    /// Puts what a token's file held in its place.
    pub fn give_token(&mut self, text: &str) -> Result<(), NotAToken> {
        let token = text.trim();
        if !is_token(token) {
            return Err(NotAToken);
        }
        self.token = Some(Kept::Here(Secret::from(token)));
        Ok(())
    }

    /// Puts what Azure said about the cluster where the configuration says nothing.
    pub fn give_cluster(&mut self, server: ApiServer, ca_pem: String) {
        self.server.get_or_insert(server);
        self.ca.get_or_insert(ca_pem);
    }

    /// Whether the machine is to be known in its agent pool: the pool is named, or the registration is demanded.
    pub fn registers(&self) -> bool {
        let by_arm = matches!(self.agent.machine_client, MachineClient::Arm(None));
        let asked = self.agent.require_registration || self.values.is_set(keys::AGENT_POOL);
        by_arm && asked && self.identity.is_some()
    }

    /// What the resource that stands for the machine in its pool is to say.
    pub fn pool_machine(&self) -> MachineGoal {
        MachineGoal {
            kubernetes_version: self.versions.kubernetes.clone().unwrap_or_default(),
            max_pods: self.values.whole(keys::MAX_PODS).try_into().unwrap_or_default(),
            node_labels: self.labels(),
            node_taints: self.values.texts(keys::TAINTS).to_vec(),
        }
    }

    /// What the configuration says of the things that Azure may say of a machine.
    pub fn wish(&self) -> MachineWish {
        let number = |key| u32::try_from(self.values.whole(key)).ok();
        MachineWish {
            max_pods: number(keys::MAX_PODS),
            node_labels: Some(self.labels()),
            node_taints: Some(self.values.texts(keys::TAINTS).to_vec()),
            kubelet_config: KubeletWish {
                image_gc_high: number(keys::GC_HIGH),
                image_gc_low: number(keys::GC_LOW),
            },
        }
    }

    /// Puts what Azure says of a machine in the place of what the file says. What no node can be made of is refused when one
    /// is to be made.
    pub fn heed(&mut self, wish: &MachineWish) {
        let whole = |number: Option<u32>| number.map(|number| Value::Whole(number.into()));
        for (key, value) in [
            (keys::MAX_PODS, whole(wish.max_pods)),
            (keys::GC_HIGH, whole(wish.kubelet_config.image_gc_high)),
            (keys::GC_LOW, whole(wish.kubelet_config.image_gc_low)),
            (keys::LABELS, wish.node_labels.clone().map(Value::Map)),
            (keys::TAINTS, wish.node_taints.clone().map(Value::Texts)),
        ] {
            if let Some(value) = value {
                let at = self.values.place(key.path);
                self.values.set(key, value, at);
                self.refused.retain(|issue| !issue.path.starts_with(key.path));
            }
        }
        let mut unusable = relations::check(&self.values, &self.agent.node_name);
        unusable.retain(|issue| issue.reason == UNUSABLE && !self.refused.contains(issue));
        self.refused.extend(unusable);
        for text in self.values.texts(keys::TAINTS) {
            if let Err(message) = (TAINT.check)(text) {
                let path = keys::TAINTS.path.to_owned();
                let issue = Issue::new(TAINT.severity, TAINT.reason, path, 0, message);
                self.refused.push(issue.with_hint(TAINT.hint));
            }
        }
    }

    /// The names of the ways to authenticate that are configured.
    pub fn authentication(&self) -> Vec<&'static str> {
        methods(&self.values).into_iter().map(Method::name).collect()
    }
}

fn kept(values: &Values, here: &Key, file: &Key) -> Option<Kept> {
    let file = || values.text(file).map(|path| Kept::In(path.into()));
    values.secret(here).cloned().map(Kept::Here).or_else(file)
}

fn identity(values: &Values) -> Option<Identity> {
    let method = methods(values).into_iter().find(|method| *method != Method::Token)?;
    Some(match method {
        Method::Arc | Method::Token => Identity::Arc,
        Method::ManagedIdentity => Identity::Managed(values.text(keys::MI_CLIENT).map(str::to_owned)),
        Method::ServicePrincipal => Identity::Principal {
            tenant: values.words(keys::SP_TENANT),
            client: values.words(keys::SP_CLIENT),
            credential: match kept(values, keys::SP_SECRET, keys::SP_SECRET_FILE) {
                Some(secret) => PrincipalCredential::Secret(secret),
                None => PrincipalCredential::Certificate(values.words(keys::SP_CERTIFICATE).into()),
            },
        },
    })
}

fn outward(values: &Values) -> Outward {
    Outward {
        http_proxy: values.secret(keys::HTTP_PROXY).cloned(),
        https_proxy: values.secret(keys::HTTPS_PROXY).cloned(),
        no_proxy: values.texts(keys::NO_PROXY).to_vec(),
        authorities: values.text(keys::TRUSTED_CA).and_then(|text| pem(text).ok()),
    }
}

fn agent(values: &Values, hostname: &str) -> Agent {
    let url = values.text(keys::CLIENT_URL).map(str::to_owned);
    let in_cluster = values.text(keys::CLIENT_MODE) == Some("in-cluster");
    let interval = values.duration(keys::INTERVAL);
    Agent {
        node_name: values.text(keys::NODE_NAME_KEY).map_or_else(|| hostname.to_lowercase(), str::to_owned),
        log_level: values.words(keys::LOG_LEVEL),
        log_dir: values.words(keys::LOG_DIR).into(),
        machine_client: match (in_cluster, url) {
            (true, url) => MachineClient::InCluster(url.unwrap_or_default()),
            (false, url) => MachineClient::Arm(url),
        },
        // Zero is how Go writes that nothing was said.
        reconcile_interval: if interval == GoDuration::default() {
            GoDuration::of_nanoseconds(600_000_000_000)
        } else {
            interval
        },
        require_registration: values.switch(keys::REGISTRATION).unwrap_or_default(),
        repairs_drift: values.switch(keys::DRIFT).unwrap_or_default(),
    }
}

fn versions(values: &Values) -> Versions {
    let text = |key| values.text(key).map(str::to_owned);
    Versions {
        kubernetes: text(keys::KUBERNETES),
        containerd: text(keys::CONTAINERD),
        runc: text(keys::RUNC),
        cni: text(keys::CNI),
        sandbox_image: text(keys::SANDBOX),
    }
}
