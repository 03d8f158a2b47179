use std::sync::Arc;

use rustls::ClientConfig;
use slipway_model::Secret;

use crate::HttpError;
use crate::dial::dial;
use crate::message::{Input, Response};
use crate::patience::Patience;
use crate::proxy::ProxySettings;
use crate::trust::{Identity, Trust, TrustError};
use crate::url::{Scheme, Url};
use crate::wire::Wire;

/// Makes calls: whom to trust, who we are, and which proxy leads there.
pub struct Client {
    tls: Arc<ClientConfig>,
    server_name: Option<String>,
    proxy: Option<ProxySettings>,
    proxy_tls: Option<Arc<ClientConfig>>,
}

/// One request.
pub struct Call<'a> {
    /// The method, such as `GET`.
    pub method: &'static str,
    /// Where to.
    pub url: &'a Url,
    /// Header fields besides those that every request has.
    pub fields: &'a [(&'static str, &'a str)],
    /// The value of the `Authorization` field; without it, the user and the password of the address are.
    pub authorization: Option<&'a Secret<String>>,
    /// The body; empty for none.
    pub body: &'a [u8],
}

impl<'a> Call<'a> {
    /// A plain GET.
    pub fn get(url: &'a Url) -> Self {
        Self { method: "GET", url, fields: &[], authorization: None, body: &[] }
    }
}

impl Client {
    /// A client; trust and identity are read here, once.
    pub fn new(
        trust: &Trust,
        identity: Option<&Identity>,
        proxy: Option<ProxySettings>,
    ) -> Result<Self, TrustError> {
        let proxy_tls = proxy.as_ref().filter(|proxy| proxy.needs_tls());
        let proxy_tls = proxy_tls.map(|proxy| proxy.trust().config(None)).transpose()?;
        Ok(Self {
            tls: Arc::new(trust.config(identity)?),
            server_name: None,
            proxy,
            proxy_tls: proxy_tls.map(Arc::new),
        })
    }

    /// The same, with servers verified by this name instead of by the host of their address.
    #[must_use]
    pub fn verifying(self, server_name: String) -> Self {
        Self { server_name: Some(server_name), ..self }
    }

    /// Makes a call and returns when the header of the answer is here. `patience` counts for the body too.
    pub fn call<'p>(&self, call: &Call<'_>, patience: Patience<'p>) -> Result<Response<'p>, HttpError> {
        let url = call.url;
        let proxy = self.proxy.as_ref().and_then(|settings| settings.for_url(url));
        let (mut wire, target) = match (proxy, url.scheme()) {
            (None, Scheme::Http) => (connect(url, patience)?, None),
            (Some(proxy), Scheme::Http) => {
                (self.connect_proxy(proxy, patience)?, Some(format!("http://{}", url.authority())))
            }
            (None, Scheme::Https) => (self.secure(connect(url, patience)?, url, patience)?, None),
            (Some(proxy), Scheme::Https) => (self.tunnel(proxy, url, patience)?, None),
        };
        let to_proxy = proxy.filter(|_| target.is_some()).and_then(Url::basic);
        wire.send(request(call, &target.unwrap_or_default(), to_proxy).expose(), patience)?;
        Response::read_from(Input::new(wire, patience), call.method)
    }

    fn secure(&self, wire: Wire, url: &Url, patience: Patience<'_>) -> Result<Wire, HttpError> {
        let name = self.server_name.as_deref().unwrap_or(url.host());
        wire.secured(Arc::clone(&self.tls), name, url.authority(), patience)
    }

    fn connect_proxy(&self, proxy: &Url, patience: Patience<'_>) -> Result<Wire, HttpError> {
        let wire = connect(proxy, patience)?;
        match (&self.proxy_tls, proxy.scheme()) {
            (Some(tls), Scheme::Https) => {
                wire.secured(Arc::clone(tls), proxy.host(), proxy.authority(), patience)
            }
            _ => Ok(wire),
        }
    }

    fn tunnel(&self, proxy: &Url, url: &Url, patience: Patience<'_>) -> Result<Wire, HttpError> {
        let mut wire = self.connect_proxy(proxy, patience)?;
        let authority = url.authority();
        let mut fields = vec![("Host", authority.as_str())];
        fields.extend(proxy.basic().map(|credential| ("Proxy-Authorization", credential.expose().as_str())));
        wire.send(message("CONNECT", &["", &authority], &fields, &[]).expose(), patience)?;
        let answer = Response::read_from(Input::new(wire, patience), "CONNECT")?;
        match answer.status() {
            200..300 => self.secure(answer.input.into_wire(), url, patience),
            status => Err(HttpError::ProxyRefused { proxy: proxy.authority(), host: authority, status }),
        }
    }
}

fn connect(url: &Url, patience: Patience<'_>) -> Result<Wire, HttpError> {
    Ok(Wire::plain(dial(url.host(), url.port(), patience)?, url.authority()))
}

/// A request; `proxy` is put before the path when the request goes to a proxy that will make it.
fn request(call: &Call<'_>, proxy: &str, to_proxy: Option<&Secret<String>>) -> Secret<Vec<u8>> {
    let host = call.url.host_header();
    let length = call.body.len().to_string();
    let mut fields = vec![
        ("Host", host.as_str()),
        ("User-Agent", concat!("slipway/", env!("CARGO_PKG_VERSION"))),
        ("Connection", "close"),
    ];
    fields.extend_from_slice(call.fields);
    let authorization = call.authorization.or(call.url.basic());
    fields.extend(authorization.map(|value| ("Authorization", value.expose().as_str())));
    fields.extend(to_proxy.map(|value| ("Proxy-Authorization", value.expose().as_str())));
    if !call.body.is_empty() {
        fields.push(("Content-Length", &length));
    }
    message(call.method, &[proxy, call.url.target()], &fields, call.body)
}

/// The bytes of a request, made in one piece so that no copy of a credential stays behind in a smaller one.
fn message(method: &str, target: &[&str], fields: &[(&str, &str)], body: &[u8]) -> Secret<Vec<u8>> {
    let fields_length: usize = fields.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    let target_length: usize = target.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(method.len() + target_length + 16 + fields_length + body.len());
    let mut put = |text: &str| bytes.extend_from_slice(text.as_bytes());
    put(method);
    put(" ");
    target.iter().copied().for_each(&mut put);
    put(" HTTP/1.1\r\n");
    for (name, value) in fields {
        [name, ": ", value, "\r\n"].into_iter().for_each(&mut put);
    }
    put("\r\n");
    bytes.extend_from_slice(body);
    Secret::new(bytes)
}
