//! From a configuration to the node that it asks for.

use std::collections::BTreeMap;
use std::time::Duration;

use slipway_model::node::{
    Binaries, Cluster, Component, CredentialPlugin, Download, HeldImage, Join, Kubelet, Kubernetes, Machine,
    Network, Proxy, Runtime, Setting, SettingValue, Supply, System,
};
use slipway_model::{Node, Source, Sourced};

use crate::config::{FlexConfig, Identity, Kept, Key, Outward, keys};

/// The label that tells Azure's controllers that the node is not theirs to delete.
pub(crate) const MANAGED: (&str, &str) = ("kubernetes.azure.com/managed", "false");
/// AKS's application in Entra: tokens for it open the cluster.
const AKS_APPLICATION: &str = "6dae42f8-4368-4678-94ff-3960e28e3630";
/// Where kubelet finds the program that asks for tokens.
const PROGRAM: &str = "/usr/local/bin/slipway";
const CLUSTER_CA: &str = "/etc/kubernetes/certs/ca.crt";
const SERVING_CERTIFICATE: &str = "/etc/kubernetes/certs/kubeletserver.crt";
const SERVING_KEY: &str = "/etc/kubernetes/certs/kubeletserver.key";
/// Where Kubernetes' archives are, unless it is said.
const ARCHIVES: &str = "https://dl.k8s.io/v%s/kubernetes-node-linux-%s.tar.gz";
/// How long joining may take.
const WITHIN: Duration = Duration::from_mins(15);
const DEFAULT_SANDBOX: &str = "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10";
/// containerd's family where nobody knows which one the machine has.
const DEFAULT_CONTAINERD: &str = "2.1.8";
/// Forward secrecy with authenticated encryption; nothing else is offered.
const CIPHERS: [&str; 6] = [
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
];

/// What a node needs that its configuration does not say.
#[derive(Debug, Clone, Copy)]
pub struct Provisions<'a> {
    /// The machine's architecture in Go's word, such as `amd64`.
    pub architecture: &'a str,
    /// Where the configuration is: kubelet's credential plugin reads it again.
    pub config_file: &'a str,
    /// What the machine is given; nothing for one that has all it needs.
    pub supplies: &'a [Supply],
    /// Container images that the machine holds in files.
    pub images: &'a [HeldImage],
    /// The resolver file for pods that use the machine's, where it is not the usual one.
    pub resolver: Option<&'static str>,
}

/// A key that keeps a configuration from becoming a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

impl FlexConfig {
    /// The node that the configuration asks for, or every key that stands against it.
    pub fn node(&self, provisions: Provisions<'_>) -> Result<Node, Vec<Refused>> {
        let refused = self.obstacles();
        if !refused.is_empty() {
            return Err(refused);
        }
        let node = Node {
            machine: Machine::Own,
            cluster: self.node_cluster(),
            join: self.node_join(provisions),
            kubelet: self.node_kubelet(provisions),
            binaries: self.node_binaries(provisions),
            runtime: self.node_runtime(provisions),
            network: self.node_network(),
            system: System { ssh: Sourced::fixed(true), ssh_keys: Sourced::fixed(true), ..System::default() },
            ..Node::default()
        };
        Ok(node)
    }

    fn obstacles(&self) -> Vec<Refused> {
        let mut refused: Vec<Refused> = self
            .refused
            .iter()
            .map(|issue| Refused {
                path: issue.path.clone(),
                reason: issue.message.clone(),
                hint: issue.hint.clone().unwrap_or_default(),
            })
            .collect();
        let mut refuse = |key: &Key, reason: &str, hint: &str| {
            refused.push(Refused { path: key.path.into(), reason: reason.into(), hint: hint.into() });
        };
        if self.versions.kubernetes.is_none() {
            refuse(keys::KUBERNETES, "the version of Kubernetes is not said", "such as 1.34.1");
        }
        if self.server.is_none() {
            refuse(keys::FQDN, "the API server is not known", "say it, or let Azure be asked for it");
        }
        if self.ca.is_none() {
            refuse(keys::CA, "the cluster's CA is not known", "say it, or let Azure be asked for it");
        }
        if matches!(self.token, Some(Kept::In(_))) {
            refuse(keys::TOKEN_FILE, "the token's file was not read", "make it readable");
        }
        refused
    }

    /// A value with its key as its source.
    fn sourced<T>(&self, key: &Key, value: T) -> Sourced<T> {
        Sourced::new(value, self.values.source(key))
    }

    fn node_cluster(&self) -> Cluster {
        let version = self.versions.kubernetes.as_deref().unwrap_or_default();
        let server = self.server.as_ref();
        Cluster {
            kubernetes: self.sourced(keys::KUBERNETES, Kubernetes::parse(version)),
            server: self.sourced(keys::FQDN, server.map(|it| it.host.clone()).unwrap_or_default()),
            port: self.sourced(keys::FQDN, server.map(|it| it.port)),
            ca: self.sourced(keys::CA, self.ca.clone().unwrap_or_default()),
            within: Sourced::fixed(WITHIN),
            ..Cluster::default()
        }
    }

    fn node_join(&self, provisions: Provisions<'_>) -> Join {
        let token = match &self.token {
            Some(Kept::Here(token)) => Some(token.clone()),
            Some(Kept::In(_)) | None => None,
        };
        let key = if self.values.is_set(keys::TOKEN_FILE) { keys::TOKEN_FILE } else { keys::BOOTSTRAP_TOKEN };
        let identity = match self.identity {
            Some(Identity::Managed(_)) => keys::MI_CLIENT,
            Some(Identity::Principal { .. }) => keys::SP_CLIENT,
            Some(Identity::Arc) | None => keys::ARC_ENABLED,
        };
        let told = |plugin: CredentialPlugin| {
            let mut arguments = plugin.arguments;
            arguments.extend(["--config".to_owned(), provisions.config_file.to_owned()]);
            CredentialPlugin { arguments, ..plugin }
        };
        Join {
            token: self.sourced(key, token),
            plugin: self.sourced(identity, plugin(self).map(told)),
            ..Join::default()
        }
    }

    fn node_binaries(&self, provisions: Provisions<'_>) -> Binaries {
        if !provisions.supplies.is_empty() {
            let supplies = self.sourced(keys::KUBERNETES, provisions.supplies.to_vec());
            return Binaries { supplies, ..Binaries::default() };
        }
        let version = self.versions.kubernetes.as_deref().unwrap_or_default();
        let version = version.strip_prefix('v').unwrap_or(version);
        let url = ARCHIVES.replacen("%s", version, 1).replacen("%s", provisions.architecture, 1);
        let download = Download { url: url.as_str().into(), sha256: None };
        let kubernetes_override = self.sourced(keys::KUBERNETES, Some(download));
        Binaries { kubernetes_override, ..Binaries::default() }
    }

    /// The image that every pod has.
    pub fn sandbox_image(&self) -> &str {
        self.versions.sandbox_image.as_deref().unwrap_or(DEFAULT_SANDBOX)
    }

    fn node_runtime(&self, provisions: Provisions<'_>) -> Runtime {
        let given = provisions.supplies.iter().find(|it| it.component == Component::Containerd);
        let containerd = given.map_or(DEFAULT_CONTAINERD, |supply| &supply.version);
        Runtime {
            version: self.sourced(
                keys::CONTAINERD,
                self.versions.containerd.as_deref().unwrap_or(containerd).to_owned(),
            ),
            sandbox_image: self.sourced(keys::SANDBOX, self.sandbox_image().to_owned()),
            cgroup_v2: Sourced::fixed(true),
            images: self.sourced(keys::OFFLINE, provisions.images.to_vec()),
            ..Runtime::default()
        }
    }

    fn node_network(&self) -> Network {
        let Outward { http_proxy, https_proxy, no_proxy, .. } = &self.outward;
        let proxy = Proxy {
            http: self.sourced(keys::HTTP_PROXY, http_proxy.clone()),
            https: self.sourced(keys::HTTPS_PROXY, https_proxy.clone()),
            bypass: self.sourced(keys::NO_PROXY, no_proxy.clone()),
            ..Proxy::default()
        };
        Network { proxy, ..Network::default() }
    }

    fn node_kubelet(&self, provisions: Provisions<'_>) -> Kubelet {
        Kubelet {
            flags: self.flags(),
            labels: self
                .labels()
                .into_iter()
                .map(|(name, value)| {
                    let source = if name == MANAGED.0 {
                        Sourced::fixed(value)
                    } else {
                        entry(keys::LABELS, &name, value)
                    };
                    (name, source)
                })
                .collect(),
            has_file: Sourced::fixed(true),
            settings: self.settings(provisions),
            ..Kubelet::default()
        }
    }

    fn flags(&self) -> BTreeMap<String, Sourced<String>> {
        let mut flags = BTreeMap::new();
        let mut flag = |name: &str, key: &Key, value: String| {
            flags.insert(name.to_owned(), self.sourced(key, value));
        };
        flag("--hostname-override", keys::NODE_NAME_KEY, self.agent.node_name.clone());
        flag("--v", keys::VERBOSITY, self.values.whole(keys::VERBOSITY).to_string());
        let taints = self.values.texts(keys::TAINTS);
        if !taints.is_empty() {
            flag("--register-with-taints", keys::TAINTS, taints.join(","));
        }
        for (name, key) in [
            ("--node-ip", keys::NODE_IP),
            ("--image-credential-provider-config", keys::PROVIDER_CONFIG),
            ("--image-credential-provider-bin-dir", keys::PROVIDER_PROGRAMS),
        ] {
            if let Some(value) = self.values.text(key) {
                flag(name, key, value.replace(' ', ""));
            }
        }
        flags
    }

    fn settings(&self, provisions: Provisions<'_>) -> Vec<Setting> {
        use SettingValue::{Number, Switch, Text, Texts};
        let owned = |texts: &[&str]| Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let text = |text: &str| Text(text.to_owned());
        let fixed = [
            ("kind", text("KubeletConfiguration")),
            ("apiVersion", text("kubelet.config.k8s.io/v1beta1")),
            ("authentication.anonymous.enabled", Switch(false)),
            ("authentication.webhook.enabled", Switch(true)),
            ("authentication.x509.clientCAFile", text(CLUSTER_CA)),
            ("authorization.mode", text("Webhook")),
            ("cgroupDriver", text("systemd")),
            ("clusterDomain", text("cluster.local")),
            // The owner's swap stays as it is; pods do not use it unless kubelet is told so.
            ("failSwapOn", Switch(false)),
            ("rotateCertificates", Switch(true)),
            ("staticPodPath", text("/etc/kubernetes/manifests")),
            ("tlsCertFile", text(SERVING_CERTIFICATE)),
            ("tlsPrivateKeyFile", text(SERVING_KEY)),
            ("tlsCipherSuites", owned(&CIPHERS)),
        ];
        let mut settings: Vec<Setting> = fixed
            .into_iter()
            .map(|(path, value)| Setting {
                path: path.split('.').map(str::to_owned).collect(),
                value: Sourced::fixed(value),
            })
            .collect();
        settings.extend(provisions.resolver.map(|path| Setting {
            path: vec!["resolvConf".to_owned()],
            value: Sourced::new(text(path), Source::Fact("resolver")),
        }));
        let dns = self.values.text(keys::DNS).unwrap_or_default();
        for (name, key, value) in [
            ("clusterDNS", keys::DNS, owned(&[dns])),
            ("maxPods", keys::MAX_PODS, Number(self.values.whole(keys::MAX_PODS))),
            ("imageGCHighThresholdPercent", keys::GC_HIGH, Number(self.values.whole(keys::GC_HIGH))),
            ("imageGCLowThresholdPercent", keys::GC_LOW, Number(self.values.whole(keys::GC_LOW))),
        ] {
            settings.push(Setting { path: vec![name.to_owned()], value: self.sourced(key, value) });
        }
        for (name, key) in [
            ("kubeReserved", keys::KUBE_RESERVED),
            ("systemReserved", keys::SYSTEM_RESERVED),
            ("evictionHard", keys::EVICTION),
        ] {
            for (what, value) in self.values.map(key) {
                let value = entry(key, &what, Text(value));
                settings.push(Setting { path: vec![name.to_owned(), what], value });
            }
        }
        settings
    }
}

/// A value of an object with its place in it as its source.
fn entry<T>(key: &Key, name: &str, value: T) -> Sourced<T> {
    Sourced::new(value, Source::Flex { key: format!("{}[{name}]", key.path).into(), set: true })
}

/// The program that kubelet asks for its credential, where there is no token to get a certificate with.
pub(crate) fn plugin(config: &FlexConfig) -> Option<CredentialPlugin> {
    if config.token.is_some() || config.identity.is_none() {
        return None;
    }
    let arguments = ["flex", "token", "--server-id", AKS_APPLICATION];
    Some(CredentialPlugin { program: PROGRAM.to_owned(), arguments: arguments.map(str::to_owned).into() })
}
