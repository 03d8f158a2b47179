//! The control plane's programs and how they are started.

use std::path::Path;

use super::{NAME, PODS, SERVICES, audit, entra};
use crate::space::GATEWAY;

/// A program of the control plane.
pub(super) struct Component {
    pub(super) program: &'static str,
    pub(super) arguments: Vec<String>,
}

/// All of them, in the order in which they are started.
pub(super) fn components(files: &Path, data: &Path) -> [Component; 4] {
    let at = |name: &str| files.join(name).display().to_string();
    [etcd(data), api_server(&at), controller_manager(&at), scheduler(&at)]
}

fn etcd(data: &Path) -> Component {
    let client = "http://127.0.0.1:2379";
    let arguments = vec![
        format!("--data-dir={}", data.display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        "--listen-peer-urls=http://127.0.0.1:2380".to_owned(),
        // The data is in memory: there is nothing to make durable.
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
    ];
    Component { program: "etcd", arguments }
}

fn api_server(at: &impl Fn(&str) -> String) -> Component {
    let arguments = vec![
        "--etcd-servers=http://127.0.0.1:2379".to_owned(),
        format!("--advertise-address={GATEWAY}"),
        // The same port of other addresses is for Azure.
        format!("--bind-address={GATEWAY}"),
        "--secure-port=443".to_owned(),
        format!("--tls-cert-file={}", at("apiserver.crt")),
        format!("--tls-private-key-file={}", at("apiserver.key")),
        format!("--client-ca-file={}", at("ca.crt")),
        format!("--kubelet-client-certificate={}", at("kubelet-client.crt")),
        format!("--kubelet-client-key={}", at("kubelet-client.key")),
        "--kubelet-preferred-address-types=InternalIP".to_owned(),
        format!("--service-account-key-file={}", at("service-accounts.pub")),
        format!("--service-account-signing-key-file={}", at("service-accounts.key")),
        format!("--service-account-issuer=https://{NAME}"),
        format!("--service-cluster-ip-range={SERVICES}"),
        format!("--authorization-config={}", at(entra::AUTHORIZATION)),
        "--enable-admission-plugins=NodeRestriction".to_owned(),
        "--enable-bootstrap-token-auth".to_owned(),
        "--allow-privileged".to_owned(),
    ];
    let arguments =
        arguments.into_iter().chain(entra::trust(&at("ca.crt"))).chain(audit::arguments(at)).collect();
    Component { program: "kube-apiserver", arguments }
}

fn controller_manager(at: &impl Fn(&str) -> String) -> Component {
    let arguments = vec![
        format!("--kubeconfig={}", at("controller-manager.kubeconfig")),
        "--controllers=*,bootstrap-signer-controller,token-cleaner-controller".to_owned(),
        "--use-service-account-credentials".to_owned(),
        // Its own limits make a new cluster wait for seconds.
        "--kube-api-qps=200".to_owned(),
        "--kube-api-burst=400".to_owned(),
        format!("--cluster-signing-cert-file={}", at("ca.crt")),
        format!("--cluster-signing-key-file={}", at("ca.key")),
        format!("--root-ca-file={}", at("ca.crt")),
        format!("--service-account-private-key-file={}", at("service-accounts.key")),
        "--allocate-node-cidrs".to_owned(),
        format!("--cluster-cidr={PODS}"),
        "--leader-elect=false".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
    ];
    Component { program: "kube-controller-manager", arguments }
}

fn scheduler(at: &impl Fn(&str) -> String) -> Component {
    let arguments = vec![
        format!("--kubeconfig={}", at("scheduler.kubeconfig")),
        "--leader-elect=false".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
    ];
    Component { program: "kube-scheduler", arguments }
}
