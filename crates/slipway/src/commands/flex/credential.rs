//! The certificate that a node has got.

use std::path::Path;

use slipway_apply::{Network, NodeCredential, credential_of_node};
use slipway_host::{Host, unix_seconds};
use slipway_kubernetes::ApiServer;

use super::leave::KUBECONFIG;

/// The API server at this address, asked as the node of this name, where the machine has a certificate of it that counts now.
pub(super) fn own(host: &dyn Host, network: &Network<'_>, address: &str, node: &str) -> Option<ApiServer> {
    let kubeconfig = Path::new(KUBECONFIG);
    let NodeCredential::Certificate(certificate) = credential_of_node(host, kubeconfig) else { return None };
    let wanted = format!("CN=system:node:{node}");
    let is_its = certificate.subject.split([',', '+']).any(|part| part.trim() == wanted);
    let now = u64::try_from(unix_seconds()).unwrap_or_default();
    let names = String::from_utf8(host.read(kubeconfig).ok()?).is_ok_and(|text| text.contains(address));
    if !(is_its && names && certificate.is_valid_at(now)) {
        return None;
    }
    network.server_of_node(kubeconfig)?.ok()
}
