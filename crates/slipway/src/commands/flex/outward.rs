//! The way out of a machine: its proxies and whom it trusts, by its configuration or else by the environment.

use std::path::Path;

use slipway_apply::Network;
use slipway_fetch::{Client, ProxySettings, Trust};
use slipway_flex::config;
use slipway_host::Host;
use slipway_model::Secret;

use crate::failure::Failure;
use crate::files;
use crate::surroundings::proxy_variable;

/// How servers are reached.
#[derive(Clone)]
pub(super) struct Outward {
    proxy: Option<ProxySettings>,
    /// Whom to trust besides the system's authorities, PEM.
    authorities: Vec<u8>,
}

impl Outward {
    /// As the environment has it, trusting what is in a file too.
    pub(super) fn of_environment(ca: Option<&Path>) -> Result<Self, Failure> {
        Self::new(&config::Outward::default(), ca)
    }

    /// As the configuration has it, and where it says nothing of proxies, as the environment does.
    pub(super) fn new(said: &config::Outward, ca: Option<&Path>) -> Result<Self, Failure> {
        let mut authorities = said.authorities.clone().unwrap_or_default().into_bytes();
        if let Some(file) = ca {
            authorities.push(b'\n');
            authorities.extend(files::read(file)?.text);
        }
        let text = |said: &Option<Secret<String>>| said.clone().unwrap_or_else(|| Secret::from(""));
        let (http, https, exempt) = if said.http_proxy.is_some() || said.https_proxy.is_some() {
            (text(&said.http_proxy), text(&said.https_proxy), said.no_proxy.join(","))
        } else {
            let variable = |name: &str| Secret::new(proxy_variable(name));
            (variable("HTTP_PROXY"), variable("HTTPS_PROXY"), proxy_variable("NO_PROXY"))
        };
        let proxy = if http.expose().is_empty() && https.expose().is_empty() {
            None
        } else {
            let settings = ProxySettings::new(http.expose(), https.expose(), &exempt);
            Some(settings.map_err(|error| {
                Failure::input("bad-proxy", "cannot use the proxy", error)
                    .with_hint("see networking.httpProxy and httpsProxy, or HTTP_PROXY and HTTPS_PROXY")
            })?)
        };
        Ok(Self { proxy, authorities })
    }

    /// Who makes calls this way.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        Client::new(&Trust::SystemAnd(self.authorities.clone()), None, self.proxy.clone())
            .map_err(|error| Failure::machine("no-trust", "cannot speak TLS", error))
    }

    /// The proxies on it, if there are any.
    pub(super) fn proxy(&self) -> Option<&ProxySettings> {
        self.proxy.as_ref()
    }

    /// The network by this way, as the node's host sees it.
    pub(super) fn network<'a>(&self, host: &'a dyn Host) -> Network<'a> {
        Network::new(host, self.proxy.clone(), self.authorities.clone())
    }
}
