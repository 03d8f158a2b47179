//! The node's first credential, laid out as kubelet keeps its own: it goes on from there by itself.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use slipway_host::{now, unix_seconds};
use slipway_kubernetes::kubeconfig::Cluster;
use slipway_kubernetes::{ClientCertificate, ClientKey};
use slipway_model::{Attributes, Secret};
use slipway_plan::TlsBootstrap;

use crate::attempt::{Effect, Problem};
use crate::home;
use crate::tree::{Edit, Wanted};
use crate::work::{Work, at};

pub(super) fn run(work: &Work<'_>, order: &TlsBootstrap) -> Result<Effect, Problem> {
    let current = order.certificates.join("kubelet-client-current.pem");
    if serves(work, order, &current) {
        forget_key(work)?;
        return Ok(Effect::Unchanged);
    }
    let ca = work.host().read(&order.ca).map_err(|error| at(&order.ca, &error))?;
    let key = key(work)?;
    let chain = work.site.outside.bootstrap(order, &ca, key.pem(), work.patience)?;
    let pem = Secret::new(format!("{chain}{}", key.pem().expose()));
    let dated = order.certificates.join(now().strftime("kubelet-client-%Y-%m-%d-%H-%M-%S.pem").to_string());
    let cluster = Cluster { server: &order.server, ca_file: &order.ca.to_string_lossy() };
    let kubeconfig = cluster.with_client_pem(&current.to_string_lossy());
    let file = |path: &Path, content: &str| Edit {
        path: Cow::Owned(path.to_owned()),
        wanted: Wanted::File {
            attributes: Attributes::root(0o600),
            content: Cow::Owned(content.as_bytes().to_vec()),
        },
        secret: true,
    };
    let link = Edit {
        path: Cow::Borrowed(current.as_path()),
        wanted: Wanted::Link(Cow::Borrowed(dated.as_path())),
        secret: false,
    };
    // kubelet takes the kubeconfig as the sign that there is a credential, so it comes last.
    let edits = vec![file(&dated, pem.expose()), link, file(&order.kubeconfig, &kubeconfig)];
    let effect = work.edit(edits)?;
    forget_key(work)?;
    Ok(effect)
}

/// Whether there is a credential that still serves this node.
fn serves(work: &Work<'_>, order: &TlsBootstrap, current: &Path) -> bool {
    let host = work.host();
    if !matches!(host.entry(&order.kubeconfig), Ok(Some(_))) {
        return false;
    }
    let Ok(pem) = host.read(current) else { return false };
    let pem = Secret::new(String::from_utf8(pem).unwrap_or_default());
    let Ok(certificate) = ClientCertificate::parse(pem.expose()) else { return false };
    let wanted = format!("system:node:{}", order.node);
    certificate.subject.split([',', '+']).any(|part| part.trim() == format!("CN={wanted}"))
        && !certificate.has_expired_at(u64::try_from(unix_seconds()).unwrap_or_default())
}

/// The key is kept until it has its certificate: another attempt goes on with the request of this one.
fn key(work: &Work<'_>) -> Result<ClientKey, Problem> {
    let path = PathBuf::from(home::BOOTSTRAP_KEY);
    if let Ok(pem) = work.host().read(&path)
        && let Ok(key) = ClientKey::from_pem(&Secret::new(String::from_utf8(pem).unwrap_or_default()))
    {
        return Ok(key);
    }
    let key = ClientKey::generate().map_err(|error| Problem::new("the node's key", error.to_string()))?;
    let content = key.pem().expose().as_bytes();
    crate::tree::put_file(work.host(), &path, Attributes::root(0o600), content, None)
        .map_err(|error| at(&path, &error))?;
    Ok(key)
}

fn forget_key(work: &Work<'_>) -> Result<(), Problem> {
    let path = Path::new(home::BOOTSTRAP_KEY);
    home::clear(work.host(), path).map_err(|error| at(path, &error))
}
