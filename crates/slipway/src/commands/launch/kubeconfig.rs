//! A kubeconfig, as far as it leads to an API server.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slipway_kubernetes::{ApiServer, Credential, ExecCluster, ProxyError, ProxySettings};
use slipway_model::Secret;

use super::exec::Program;
use super::{text, yaml};
use crate::failure::Failure;
use crate::files;
use crate::surroundings::proxy_variable;

/// Where a kubeconfig keeps what is meant for the programs of its users.
const EXEC_EXTENSION: &str = "client.authentication.k8s.io/exec";

/// Where an API server is as nodes reach it, and whom to trust there.
pub(crate) struct Cluster {
    pub(crate) server: String,
    pub(crate) ca_pem: Vec<u8>,
}

/// The cluster of a kubeconfig's current context, whoever its user is.
pub(crate) fn cluster(path: &Path) -> Result<Cluster, Failure> {
    let input = files::read(path)?;
    let beside = path.parent().unwrap_or(Path::new("."));
    within(text(&input)?, &input.name, |document| Context::current(document, beside)?.of_nodes())
}

/// The cluster of a kubeconfig that came from elsewhere.
pub(crate) fn cluster_of(kubeconfig: &Secret<String>) -> Result<Cluster, Failure> {
    let beside = Path::new("/");
    within(kubeconfig.expose(), "the cluster's kubeconfig", |document| {
        Context::current(document, beside)?.of_nodes()
    })
}

/// What the document of a kubeconfig leads to.
fn within<T>(text: &str, name: &str, of: impl FnOnce(&Value) -> Result<T, Problem>) -> Result<T, Failure> {
    let refused = |problem: String| Failure::input("bad-kubeconfig", format!("cannot use {name}"), problem);
    let document = yaml::parse(text).map_err(refused)?;
    of(&document).map_err(|problem| match problem {
        Problem::Said(problem) => refused(problem),
        Problem::Told(failure) => failure,
    })
}

/// Where an API server is, whom to trust there, and who we are.
pub(crate) struct Kubeconfig {
    server: String,
    /// The name that the server is verified by, if not by its address.
    server_name: Option<String>,
    pub(super) ca_pem: Vec<u8>,
    proxy: Option<ProxySettings>,
    credential: Credential,
}

impl Kubeconfig {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let input = files::read(path)?;
        let beside = path.parent().unwrap_or(Path::new("."));
        within(text(&input)?, &input.name, |document| Self::of(document, beside))
    }

    pub(crate) fn api_server(&self) -> Result<ApiServer, Failure> {
        let server = ApiServer::new(&self.server, &self.ca_pem, self.credential.clone(), self.proxy.as_ref())
            .map_err(|error| Failure::input("bad-kubeconfig", "cannot reach the cluster", error))?;
        Ok(match &self.server_name {
            Some(name) => server.verified_as(name),
            None => server,
        })
    }

    /// The API server's address as nodes use it. They verify the server by its address; where that is not its name, the
    /// address is a way of this machine only.
    pub(super) fn endpoint_of_nodes(&self) -> Option<&str> {
        self.server_name.is_none().then_some(self.server.as_str())
    }

    fn of(document: &Value, beside: &Path) -> Result<Self, Problem> {
        let context = Context::current(document, beside)?;
        let (cluster, user) = (context.entry("clusters", "cluster")?, context.entry("users", "user")?);
        if user.text("as").is_some() {
            return Err(said(
                "the user acts as somebody else (as), which is not supported; use that user's own credential",
            ));
        }
        let Cluster { server, ca_pem } = context.server()?;
        let proxy = proxy(cluster.text("proxy-url")).map_err(|error| {
            Problem::Said(format!("the API server cannot be reached by the proxy: {error}"))
        })?;
        let told = ExecCluster {
            server: server.clone(),
            tls_server_name: cluster.text("tls-server-name").map(str::to_owned),
            certificate_authority_data: Some(BASE64_STANDARD.encode(&ca_pem)),
            proxy_url: cluster.text("proxy-url").map(str::to_owned),
            config: extension(cluster.members),
        };
        Ok(Self {
            server,
            server_name: told.tls_server_name.clone(),
            ca_pem,
            proxy,
            credential: user.credential(told)?,
        })
    }
}

/// The context that a kubeconfig speaks of.
struct Context<'a> {
    document: &'a Value,
    members: &'a Value,
    beside: &'a Path,
}

impl<'a> Context<'a> {
    fn current(document: &'a Value, beside: &'a Path) -> Result<Self, Problem> {
        let current = document["current-context"].as_str().unwrap_or_default();
        if current.is_empty() {
            return Err(said("there is no current-context; choose one with kubectl config use-context"));
        }
        Ok(Self { document, members: &named(document, "contexts", current)?["context"], beside })
    }

    /// The cluster or the user that it names.
    fn entry(&self, list: &str, kind: &str) -> Result<Entry<'a>, Problem> {
        let name = self.members[kind].as_str().unwrap_or_default();
        Ok(Entry { members: &named(self.document, list, name)?[kind], beside: self.beside })
    }

    fn server(&self) -> Result<Cluster, Problem> {
        let cluster = self.entry("clusters", "cluster")?;
        if cluster.members["insecure-skip-tls-verify"].as_bool().unwrap_or_default() {
            return Err(said(
                "insecure-skip-tls-verify is not supported: an API server that is not verified could hand out any certificate",
            ));
        }
        let server = cluster.text("server").ok_or_else(|| said("the cluster has no server"))?;
        let ca_pem = cluster
            .bytes("certificate-authority")?
            .ok_or_else(|| said("the cluster has no certificate-authority"))?;
        Ok(Cluster { server: server.to_owned(), ca_pem })
    }

    /// The server as nodes reach it: they have no other name for it than its address.
    fn of_nodes(&self) -> Result<Cluster, Problem> {
        if self.entry("clusters", "cluster")?.text("tls-server-name").is_some() {
            return Err(said(
                "the server is verified by tls-server-name, so its address is a way of this machine only; name the server that nodes reach",
            ));
        }
        self.server()
    }
}

/// The proxy that the kubeconfig names, else those of the environment, as kubectl has it.
fn proxy(named: Option<&str>) -> Result<Option<ProxySettings>, ProxyError> {
    if let Some(url) = named {
        return ProxySettings::always(url).map(Some);
    }
    let https = proxy_variable("HTTPS_PROXY");
    if https.is_empty() {
        return Ok(None);
    }
    ProxySettings::new("", &https, &proxy_variable("NO_PROXY")).map(Some)
}

/// What the cluster has for programs.
fn extension(cluster: &Value) -> Option<Value> {
    let mut extensions = cluster["extensions"].as_array().into_iter().flatten();
    extensions.find(|entry| entry["name"] == EXEC_EXTENSION).map(|entry| entry["extension"].clone())
}

/// Why a kubeconfig cannot be used: what it says, or a failure of its own of a file or program that it names.
enum Problem {
    Said(String),
    Told(Failure),
}

fn said(problem: &str) -> Problem {
    Problem::Said(problem.to_owned())
}

fn named<'v>(document: &'v Value, list: &str, name: &str) -> Result<&'v Value, Problem> {
    let mut items = document[list].as_array().into_iter().flatten();
    items
        .find(|item| item["name"] == name)
        .ok_or_else(|| Problem::Said(format!("{list} has no {name:?}, which the current context needs")))
}

/// A cluster or a user; its files are named relative to the kubeconfig.
struct Entry<'a> {
    members: &'a Value,
    beside: &'a Path,
}

impl<'a> Entry<'a> {
    /// A member that is not empty.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.members[name].as_str().filter(|text| !text.is_empty())
    }

    /// What `NAME-data` holds, or the file of `NAME`.
    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let inline = format!("{name}-data");
        if let Some(data) = self.text(&inline) {
            let decoded = BASE64_STANDARD.decode(data.replace(['\n', '\r', ' '], ""));
            return decoded
                .map(Some)
                .map_err(|error| Problem::Said(format!("{inline} is not base64: {error}")));
        }
        self.file(name)
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let Some(path) = self.text(name) else { return Ok(None) };
        let path: PathBuf = self.beside.join(path);
        files::read(&path).map(|input| Some(input.text)).map_err(Problem::Told)
    }

    /// Who we are: a token or a certificate, else what the user's program says.
    fn credential(&self, cluster: ExecCluster) -> Result<Credential, Problem> {
        let utf8 = |bytes: Vec<u8>, what: &str| {
            String::from_utf8(bytes).map_err(|_| Problem::Said(format!("{what} is not text")))
        };
        // A file is newer than what was written into the kubeconfig beside it.
        if let Some(token) = self.file("tokenFile")? {
            return Ok(Credential::Token(Secret::new(utf8(token, "tokenFile")?)));
        }
        if let Some(token) = self.text("token") {
            return Ok(Credential::Token(Secret::from(token)));
        }
        if let (Some(chain), Some(key)) = (self.bytes("client-certificate")?, self.bytes("client-key")?) {
            return Ok(Credential::Certificate {
                chain_pem: utf8(chain, "client-certificate")?,
                key_pem: Secret::new(utf8(key, "client-key")?),
            });
        }
        let exec = &self.members["exec"];
        if exec.is_null() {
            return Err(said(
                "the user has neither a token, nor a client certificate with its key, nor a program (exec)",
            ));
        }
        let program = Program::of(exec, self.beside, cluster).map_err(Problem::Said)?;
        program.credential().map_err(Problem::Told)
    }
}
