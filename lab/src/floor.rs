//! The floor: the least that makes a node Ready. Files written beforehand, a bootstrap kubeconfig, and kubelet's start.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::cluster::NAME;
use crate::image::PAUSE;
use crate::programs::KUBERNETES;
use crate::{Error, Lab, Machine};

/// Kubelet's unit, without anything before or around it.
const UNIT: &str = "[Unit]
After=containerd.service

[Service]
ExecStart=/opt/bin/kubelet --config /etc/default/kubeletconfig.json --kubeconfig /var/lib/kubelet/kubeconfig \
--bootstrap-kubeconfig /var/lib/kubelet/bootstrap-kubeconfig --v=2
";

/// When a node became Ready.
#[derive(Debug, Clone, Copy)]
pub struct Joined {
    /// From the start of the provisioning command to Ready at the API server.
    pub ready: Duration,
}

/// Makes a machine a node and waits until it is Ready.
pub fn provision(lab: &Lab, machine: &Machine) -> Result<Joined, Error> {
    prepare(lab, machine)?;
    machine.run("systemctl", &["restart", "containerd"])?;
    measured(lab, machine, || {
        let start = Instant::now();
        machine.run("systemctl", &["start", "kubelet"])?;
        Ok(start)
    })
}

/// Does the work, which says when it began, while nodes are watched.
pub fn measured(
    lab: &Lab,
    machine: &Machine,
    work: impl FnOnce() -> Result<Instant, Error>,
) -> Result<Joined, Error> {
    let (start, ready) = lab.cluster.until_ready(&lab.space, &machine.name, work)?;
    Ok(Joined { ready: ready.duration_since(start) })
}

/// Writes every file of a node, so that starting containerd and kubelet is all that is left to do.
pub fn prepare(lab: &Lab, machine: &Machine) -> Result<(), Error> {
    let containerd = containerd();
    machine.put("/etc/containerd/config.toml", 0o644, containerd.as_bytes())?;
    machine.put("/etc/cni/net.d/10-lab.conflist", 0o644, network().as_bytes())?;
    machine.put("/etc/kubernetes/certs/ca.crt", 0o644, lab.cluster.authority()?.as_bytes())?;
    machine.put(
        "/var/lib/kubelet/bootstrap-kubeconfig",
        0o600,
        bootstrap(&lab.cluster.token()?).as_bytes(),
    )?;
    machine.put("/etc/default/kubeletconfig.json", 0o600, kubelet().as_bytes())?;
    machine.put("/etc/systemd/system/kubelet.service", 0o644, UNIT.as_bytes())?;
    let versioned = format!("/opt/bin/kubelet-{KUBERNETES}");
    machine.run("ln", &["-sf", &versioned, "/opt/bin/kubelet"])?;
    machine.run("systemctl", &["daemon-reload"]).map(drop)
}

fn containerd() -> String {
    format!(
        "version = 3\n[plugins.'io.containerd.cri.v1.images'.pinned_images]\nsandbox = '{PAUSE}'\n\
         [plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dirs = ['/opt/cni/bin']\nconf_dir = '/etc/cni/net.d'\n"
    )
}

fn network() -> String {
    json!({
        "cniVersion": "0.4.0",
        "name": "lab",
        "plugins": [{
            "type": "bridge",
            "bridge": "cni0",
            "isGateway": true,
            "ipMasq": true,
            "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]},
        }],
    })
    .to_string()
}

fn bootstrap(token: &str) -> String {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "localcluster", "cluster": {
            "server": format!("https://{NAME}:443"),
            "certificate-authority": "/etc/kubernetes/certs/ca.crt",
        }}],
        "users": [{"name": "kubelet-bootstrap", "user": {"token": token}}],
        "contexts": [{"name": "bootstrap-context", "context": {"cluster": "localcluster", "user": "kubelet-bootstrap"}}],
        "current-context": "bootstrap-context",
    })
    .to_string()
}

fn kubelet() -> String {
    json!({
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": false},
            "webhook": {"enabled": true},
            "x509": {"clientCAFile": "/etc/kubernetes/certs/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "clusterDNS": ["10.0.0.10"],
        "clusterDomain": "cluster.local",
        "cgroupDriver": "cgroupfs",
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "failCgroupV1": false,
        "failSwapOn": false,
        "rotateCertificates": true,
    })
    .to_string()
}
