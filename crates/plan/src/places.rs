//! Paths that several subjects speak of, and the names of steps that they wait for.

use crate::step::StepId;

pub(crate) const CA: &str = "/etc/kubernetes/certs/ca.crt";
pub(crate) const CLIENT_CERTIFICATE: &str = "/etc/kubernetes/certs/client.crt";
pub(crate) const CLIENT_KEY: &str = "/etc/kubernetes/certs/client.key";
pub(crate) const SERVING_CERTIFICATE: &str = "/etc/kubernetes/certs/kubeletserver.crt";
pub(crate) const SERVING_KEY: &str = "/etc/kubernetes/certs/kubeletserver.key";
pub(crate) const AZURE_JSON: &str = "/etc/kubernetes/azure.json";
pub(crate) const CUSTOM_ENVIRONMENT: &str = "/etc/kubernetes/akscustom.json";
pub(crate) const KUBECONFIG: &str = "/var/lib/kubelet/kubeconfig";
pub(crate) const BOOTSTRAP_KUBECONFIG: &str = "/var/lib/kubelet/bootstrap-kubeconfig";
pub(crate) const CERTIFICATES: &str = "/var/lib/kubelet/pki";
pub(crate) const KUBELET_DROP_INS: &str = "/etc/systemd/system/kubelet.service.d";

pub(crate) const KUBERNETES_BINARIES: StepId = StepId("kubernetes-binaries");
pub(crate) const AZURE_CONFIG: StepId = StepId("azure-json");
pub(crate) const CLUSTER_CA: StepId = StepId("cluster-ca");
pub(crate) const KUBELET_UNIT: StepId = StepId("kubelet-unit");
pub(crate) const KUBELET_CONFIG: StepId = StepId("kubelet-config");
pub(crate) const KUBELET_CREDENTIALS: StepId = StepId("kubelet-credentials");
pub(crate) const FIREWALL: StepId = StepId("firewall");
pub(crate) const START_CONTAINERD: StepId = StepId("start-containerd");
pub(crate) const START_KUBELET: StepId = StepId("start-kubelet");
