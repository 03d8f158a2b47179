//! A kubeconfig, as far as it leads to an API server.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slipway_kubernetes::{ApiServer, Credential};
use slipway_model::Secret;

use super::{text, yaml};
use crate::failure::Failure;
use crate::files;

/// Where an API server is, and whom to trust there.
pub(crate) struct Cluster {
    pub(crate) server: String,
    pub(crate) ca_pem: Vec<u8>,
}

/// The cluster of a kubeconfig's current context, whoever its user is.
pub(crate) fn cluster(path: &Path) -> Result<Cluster, Failure> {
    read(path, |document, beside| Context::current(document, beside)?.server())
}

/// The cluster of a kubeconfig that came from elsewhere; it names no files.
pub(crate) fn cluster_of(kubeconfig: &Secret<String>) -> Result<Cluster, Failure> {
    let refused =
        |problem: String| Failure::input("bad-kubeconfig", "cannot use the cluster's kubeconfig", problem);
    let document = yaml::parse(kubeconfig.expose()).map_err(refused)?;
    let found = Context::current(&document, Path::new(".")).and_then(|context| context.server());
    found.map_err(|problem| match problem {
        Problem::Said(problem) => refused(problem),
        Problem::File(failure) => failure,
    })
}

/// Where an API server is, whom to trust there, and who we are.
pub(super) struct Kubeconfig {
    pub(super) server: String,
    pub(super) ca_pem: Vec<u8>,
    credential: Credential,
}

/// What the document of a kubeconfig leads to.
fn read<T>(path: &Path, of: impl FnOnce(&Value, &Path) -> Result<T, Problem>) -> Result<T, Failure> {
    let input = files::read(path)?;
    let refused =
        |problem: String| Failure::input("bad-kubeconfig", format!("cannot use {}", input.name), problem);
    let document = yaml::parse(text(&input)?).map_err(refused)?;
    let beside = path.parent().unwrap_or(Path::new("."));
    of(&document, beside).map_err(|problem| match problem {
        Problem::Said(problem) => refused(problem),
        Problem::File(failure) => failure,
    })
}

impl Kubeconfig {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        read(path, Self::of)
    }

    pub(super) fn api_server(&self) -> Result<ApiServer, Failure> {
        ApiServer::new(&self.server, &self.ca_pem, self.credential.clone(), None)
            .map_err(|error| Failure::input("bad-kubeconfig", "cannot reach the cluster", error))
    }

    fn of(document: &Value, beside: &Path) -> Result<Self, Problem> {
        let context = Context::current(document, beside)?;
        let Cluster { server, ca_pem } = context.server()?;
        Ok(Self { server, ca_pem, credential: context.entry("users", "user")?.credential()? })
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
        for (member, why) in [
            ("insecure-skip-tls-verify", "an API server that is not verified could hand out any certificate"),
            ("proxy-url", "proxies to the API server are not used here"),
            ("tls-server-name", "the server is verified by its address"),
        ] {
            if cluster.members[member].as_bool().unwrap_or(!cluster.members[member].is_null()) {
                return Err(Problem::Said(format!("{member} is not supported: {why}")));
            }
        }
        let server = cluster.members["server"].as_str().ok_or_else(|| said("the cluster has no server"))?;
        let ca_pem = cluster
            .bytes("certificate-authority")?
            .ok_or_else(|| said("the cluster has no certificate-authority"))?;
        Ok(Cluster { server: server.to_owned(), ca_pem })
    }
}

enum Problem {
    Said(String),
    File(Failure),
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

impl Entry<'_> {
    /// What `NAME-data` holds, or the file of `NAME`.
    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let inline = format!("{name}-data");
        if let Some(data) = self.members[&inline].as_str().filter(|data| !data.is_empty()) {
            let decoded = BASE64_STANDARD.decode(data.replace(['\n', '\r', ' '], ""));
            return decoded
                .map(Some)
                .map_err(|error| Problem::Said(format!("{inline} is not base64: {error}")));
        }
        self.file(name)
    }

    fn file(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let Some(path) = self.members[name].as_str().filter(|path| !path.is_empty()) else { return Ok(None) };
        let path: PathBuf = self.beside.join(path);
        files::read(&path).map(|input| Some(input.text)).map_err(Problem::File)
    }

    fn credential(&self) -> Result<Credential, Problem> {
        let utf8 = |bytes: Vec<u8>, what: &str| {
            String::from_utf8(bytes).map_err(|_| Problem::Said(format!("{what} is not text")))
        };
        if let Some(token) = self.members["token"].as_str().filter(|token| !token.is_empty()) {
            return Ok(Credential::Token(Secret::from(token)));
        }
        if let Some(token) = self.file("tokenFile")? {
            return Ok(Credential::Token(Secret::new(utf8(token, "tokenFile")?)));
        }
        match (self.bytes("client-certificate")?, self.bytes("client-key")?) {
            (Some(chain), Some(key)) => Ok(Credential::Certificate {
                chain_pem: utf8(chain, "client-certificate")?,
                key_pem: Secret::new(utf8(key, "client-key")?),
            }),
            _ if !self.members["exec"].is_null() => Err(said(
                "the user gets its credential from a program (exec), which is not run here; \
                 use a token: kubectl create token, or az aks get-credentials --admin",
            )),
            _ => Err(said("the user has neither a token nor a client certificate with its key")),
        }
    }
}
