//! The real outside: downloads, the API server, kubelet's health.

mod archive;
mod credential;

pub use credential::{NodeCredential, credential as credential_of_node, server as server_of_node};

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::Digest as _;
use slipway_fetch::{
    Call, Client, Download, FetchError, HttpError, ProxySettings, Sha256, Trust, TrustError, Url,
};
use slipway_host::{Host, Writer};
use slipway_kubernetes::{ApiError, ApiServer, ClientKey, Credential, WaitError, wait_kubelet_healthy};
use slipway_model::{Blame, ExitReason, Secret};
use slipway_plan::{Artifact, TlsBootstrap};

use self::archive::Unpacked;
use crate::attempt::Problem;
use crate::outside::{Outside, Patience, ReadyOrder};
use crate::tree::hexadecimal;

/// More than any archive of node binaries has.
const LARGEST: u64 = 4 << 30;

/// How much of a file that the image holds is read at once.
const PIECE: usize = 1 << 20;

/// kubelet's health endpoint, unless its configuration moves it.
const HEALTH: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 10248);

/// How often is looked whether kubelet has got its credential.
const GLANCE: Duration = Duration::from_millis(100);

/// How long is looked for the reason when the time is over.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// The network, as a node sees it.
pub struct Network<'a> {
    host: &'a dyn Host,
    proxy: Option<ProxySettings>,
    authorities: Vec<u8>,
}

impl<'a> Network<'a> {
    /// The network of a host, through these proxies, trusting these authorities (PEM) besides the system's.
    pub fn new(host: &'a dyn Host, proxy: Option<ProxySettings>, authorities: Vec<u8>) -> Self {
        Self { host, proxy, authorities }
    }

    /// The API server of a node's kubeconfig, asked as the node; `None` while there is nothing to ask it with.
    pub fn server_of_node(&self, kubeconfig: &Path) -> Option<Result<ApiServer, ApiError>> {
        credential::server_through(self.host, kubeconfig, self.proxy.as_ref())
    }

    fn server(&self, address: &str, ca: &[u8], credential: Credential) -> Result<ApiServer, ApiError> {
        ApiServer::new(address, ca, credential, self.proxy.as_ref())
    }

    /// Why nobody answers there; `None` where somebody does.
    fn silence(&self, url: &Url, patience: Patience<'_>) -> Result<Option<HttpError>, TrustError> {
        let client = Client::new(&Trust::Nobody, None, self.proxy.clone())?;
        Ok(match client.call(&Call::get(url), plain(patience)) {
            // Whom we do not trust, and what we cannot read, has answered.
            Ok(_)
            | Err(
                HttpError::Untrusted { .. }
                | HttpError::Tls { .. }
                | HttpError::Broken { .. }
                | HttpError::Unreadable { .. },
            ) => None,
            Err(error) => Some(error),
        })
    }

    /// Why kubelet has no credential when the time is over: nearly always because it cannot reach the API server.
    fn no_credential(&self, what: String, order: &ReadyOrder<'_>, patience: Patience<'_>) -> Problem {
        let last_look = Patience { until: Instant::now() + LAST_LOOK, ..patience };
        let server = Url::parse(order.server).ok().filter(|_| !(patience.stop)());
        let silence = server.and_then(|server| {
            let error = self.silence(&server, last_look).ok().flatten()?;
            let named = error.unresolved() == Some(server.host());
            Some((error, if named { ExitReason::ApiServerName } else { ExitReason::ApiServerUnreachable }))
        });
        if let Some((error, reason)) = silence {
            return Problem::new(what, format!("kubelet has got no credential: {error}")).reason(reason);
        }
        let found = format!("kubelet has got no credential: {} does not serve", order.kubeconfig.display());
        Problem::new(what, found).hint("`journalctl -u kubelet` says why")
    }

    /// Unpacks what the image holds; whether it was what was wanted.
    fn cached(&self, artifact: &Artifact, into: &mut Unpacked<'_>) -> io::Result<bool> {
        let Some(path) = &artifact.cached else { return Ok(false) };
        let Some(found) = self.host.entry(path)? else { return Ok(false) };
        let mut sum = sha2::Sha256::new();
        let mut from = 0;
        while from < found.size {
            let piece = self.host.read_part(path, from, PIECE)?;
            if piece.is_empty() {
                return Ok(false);
            }
            from += piece.len() as u64;
            sum.update(&piece);
            into.write_all(&piece)?;
        }
        Ok(artifact
            .sha256
            .as_deref()
            .is_none_or(|wanted| hexadecimal(&sum.finalize()).eq_ignore_ascii_case(wanted.trim())))
    }

    fn download(
        &self,
        artifact: &Artifact,
        into: &mut Unpacked<'_>,
        patience: Patience<'_>,
    ) -> Result<(), Problem> {
        let what = "the download";
        let url = Url::parse(artifact.url.expose())
            .map_err(|error| Problem::new(what, error.to_string()).blame(Blame::Input))?;
        let sha256 = match &artifact.sha256 {
            None => None,
            Some(text) => Some(Sha256::parse(text).ok_or_else(|| {
                Problem::new(url.to_string(), "its SHA-256 in the contract is not 64 hexadecimal digits")
                    .blame(Blame::Input)
            })?),
        };
        let trust = Trust::SystemAnd(self.authorities.clone());
        let client = Client::new(&trust, None, self.proxy.clone())
            .map_err(|error| Problem::new(url.to_string(), error.to_string()).blame(Blame::Machine))?;
        let download = Download { url, sha256, most: LARGEST };
        let fetched = slipway_fetch::fetch(&client, &download, into, plain(patience));
        fetched.map(|_| ()).map_err(|error| match &error {
            FetchError::Write { url, problem } if problem.raw_os_error().is_some() => {
                Problem::system(format!("writing what comes from {url}"), problem).blame(Blame::Machine)
            }
            // It is the archive that cannot be read.
            FetchError::Write { .. } => Problem::new(what, error.to_string()).blame(Blame::Input),
            _ => {
                let problem = Problem::new(what, error.to_string()).blame(error.blame());
                error.hint().into_iter().fold(problem, Problem::hint)
            }
        })
    }
}

impl Outside for Network<'_> {
    fn fetch(
        &self,
        artifact: &Artifact,
        open: &mut dyn FnMut(&Path) -> io::Result<Box<dyn Writer>>,
        patience: Patience<'_>,
    ) -> Result<(), Problem> {
        let local = |error: io::Error| Problem::system("the file that the image holds", &error);
        let mut unpacked = Unpacked::new(&artifact.members, open);
        let had = self.cached(artifact, &mut unpacked);
        match had.and_then(|had| if had { unpacked.finish().map(|()| had) } else { Ok(had) }) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            // It is not the system that complains but the archive that is broken: the network has another one.
            Err(error) if error.raw_os_error().is_none() => {}
            Err(error) => return Err(local(error)),
        }
        let mut unpacked = Unpacked::new(&artifact.members, open);
        self.download(artifact, &mut unpacked, patience)?;
        unpacked.finish().map_err(|error| Problem::system("the download", &error).blame(Blame::Input))
    }

    fn bootstrap(
        &self,
        order: &TlsBootstrap,
        ca: &[u8],
        key: &Secret<String>,
        patience: Patience<'_>,
    ) -> Result<String, Problem> {
        let what = || format!("credential of {}", order.node);
        let key = ClientKey::from_pem(key).map_err(|error| Problem::new(what(), error.to_string()))?;
        let server = self
            .server(&order.server, ca, Credential::Token(order.token.clone()))
            .map_err(|error| Problem::new(what(), error.to_string()).blame(error.blame()))?;
        let chain = server.bootstrap(&order.node, &key, plain(patience));
        chain.map_err(|error| {
            let problem = Problem::new(what(), error.to_string()).blame(error.blame());
            if patience.left().is_err() { problem.late() } else { problem }
        })
    }

    fn wait_ready(&self, order: &ReadyOrder<'_>, patience: Patience<'_>) -> Result<(), Problem> {
        let what = || format!("node {}", order.node);
        let late = |problem: Problem| if patience.left().is_err() { problem.late() } else { problem };
        let credential = loop {
            if let Some(credential) = credential::find(self.host, order.kubeconfig) {
                break credential;
            }
            if patience.sleep(GLANCE).is_err() {
                return Err(late(self.no_credential(what(), order, patience)));
            }
        };
        let ca = self
            .host
            .read(order.ca)
            .map_err(|error| Problem::system(order.ca.display().to_string(), &error))?;
        let seen = self
            .server(order.server, &ca, credential)
            .map_err(WaitError::from)
            .and_then(|server| server.wait_ready(order.node, plain(patience)));
        match seen {
            Ok(_) => Ok(()),
            Err(WaitError::Api(ApiError::Forbidden { .. } | ApiError::Unauthorized { .. })) => {
                let healthy = wait_kubelet_healthy(HEALTH, plain(patience));
                healthy.map_err(|error| late(Problem::new(what(), error.to_string()).blame(Blame::Machine)))
            }
            Err(error) => Err(late(Problem::new(what(), error.to_string()).blame(error.blame()))),
        }
    }

    fn reach(&self, host: &str, port: u16, patience: Patience<'_>) -> Result<String, Problem> {
        let what = format!("{host}:{port}");
        let unusable = |error: &dyn std::fmt::Display| Problem::new(what.as_str(), error.to_string());
        let url = Url::parse(&format!("https://{what}/")).map_err(|error| unusable(&error))?;
        let silence = self.silence(&url, patience).map_err(|error| unusable(&error))?;
        silence.map_or(Ok("answers".to_owned()), |error| Err(unusable(&error).blame(error.blame())))
    }
}

fn plain(patience: Patience<'_>) -> slipway_fetch::Patience<'_> {
    slipway_fetch::Patience::new(patience.until, patience.stop)
}
