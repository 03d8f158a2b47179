//! The network, as the node that is being made uses it.

use slipway_apply::Network;
use slipway_fetch::ProxySettings;
use slipway_host::Host;
use slipway_model::{Node, Secret, Sources};

use crate::failure::Failure;

/// The way out of this machine: through the node's proxy, trusting what the node will trust.
pub(crate) fn network<'a>(host: &'a dyn Host, node: &Node) -> Result<Network<'a>, Failure> {
    let mut of = Sources::none();
    let proxy = &node.network.proxy;
    let (http, https) = (of.read(&proxy.http), of.read(&proxy.https));
    let address =
        |address: &Option<Secret<String>>| address.as_ref().map_or_else(|| Secret::from(""), Clone::clone);
    let settings = match (http, https) {
        (None, None) => None,
        (http, https) => {
            let bypass = of.read(&proxy.bypass).join(",");
            let settings = ProxySettings::new(address(http).expose(), address(https).expose(), &bypass);
            Some(settings.map_err(|error| Failure::input("bad-proxy", "cannot use the proxy", error))?)
        }
    };
    let mut authorities = String::new();
    for certificate in of.read(&node.system.certificates).iter().chain(of.read(&proxy.certificate)) {
        authorities.push_str(certificate.trim_end());
        authorities.push('\n');
    }
    Ok(Network::new(host, settings, authorities.into_bytes()))
}
