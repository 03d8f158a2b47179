//! Checks of the way to the cluster, and of who the node is to be there.

use super::{
    ActiveNode, CredentialSeen, Finding, Observed, SandboxFrom, SandboxSeen, ServerSeen, Unknown, Unreached,
};

/// The longest name of a node: it is a label's value, too, in `kubernetes.io/hostname`.
const LONGEST_NAME: usize = 63;
/// Certificates are issued with a beginning this long before now.
const MOST_SKEW: i64 = 300;
/// A clock that is off by this makes logs hard to read.
const SOME_SKEW: i64 = 30;
/// kubelet says at least every five minutes that it is well.
const RECENT: i64 = 600;

pub(super) fn node_name(seen: &Observed) -> Vec<Finding> {
    let Some(name) = &seen.node_name else { return Vec::new() };
    let advice = "agent.nodeName gives the node another name: a-z, 0-9, - and . in between, 63 at most";
    let word = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !part.is_empty() && !part.starts_with('-') && !part.ends_with('-') && part.bytes().all(plain)
    };
    if name.is_empty() || !name.split('.').all(word) {
        return vec![Finding::blocks(format!("{name:?} cannot be a node's name"), advice)];
    }
    if name.len() > LONGEST_NAME {
        let message = format!("{name} has {} letters, and a node's name {LONGEST_NAME} at most", name.len());
        return vec![Finding::blocks(message, advice)];
    }
    if name == "localhost" || name.starts_with("localhost.") {
        return vec![Finding::blocks(format!("{name} is every machine's name"), advice)];
    }
    Vec::new()
}

pub(super) fn sources(seen: &Observed) -> Vec<Finding> {
    let silent = seen.sources.iter().filter_map(|(name, answer)| Some((name, answer.as_ref().err()?)));
    silent
        .map(|(name, problem)| {
            Finding::blocks(
                format!("{name}: {problem}"),
                "see whether this machine reaches it; --mirror names another place, --bundle needs none",
            )
        })
        .collect()
}

pub(super) fn sandbox_image(seen: &Observed) -> Vec<Finding> {
    let Some(SandboxSeen { image, from }) = &seen.sandbox else { return Vec::new() };
    let advice = format!(
        "make the bundle with --image {image}=ARCHIVE, or say in components.sandboxImage which image it has instead"
    );
    match from {
        SandboxFrom::Here | SandboxFrom::Registry => Vec::new(),
        SandboxFrom::Mirror(directory) => {
            let message = format!(
                "{image}, which every pod has, is not in the bundle; it would come from where {} says",
                directory.display()
            );
            vec![Finding::warns(message, advice)]
        }
        SandboxFrom::Nowhere(problem) => {
            let message = format!(
                "{image}, which every pod has, is not in the bundle, and its registry does not answer: {problem}"
            );
            vec![Finding::blocks(message, advice)]
        }
    }
}

fn unreached(seen: &Observed) -> Option<(&str, &Unreached)> {
    seen.server.as_ref().and_then(|server| Some((server.name.as_str(), server.answer.as_ref().err()?)))
}

/// Whether the way was open beyond the resolver.
pub(super) fn is_resolved(seen: &Observed) -> bool {
    seen.server.is_some() && !matches!(unreached(seen), Some((_, Unreached::Name(_))))
}

/// Whether somebody answered at the server's address.
pub(super) fn is_connected(seen: &Observed) -> bool {
    is_resolved(seen) && !matches!(unreached(seen), Some((_, Unreached::Connection(_))))
}

pub(super) fn name_resolution(seen: &Observed) -> Vec<Finding> {
    match unreached(seen) {
        Some((name, Unreached::Name(problem))) => vec![Finding::blocks(
            format!("{name}: {problem}"),
            "check /etc/resolv.conf and, for a private cluster, the link of its DNS zone to this network",
        )],
        _ => Vec::new(),
    }
}

pub(super) fn api_server(seen: &Observed) -> Vec<Finding> {
    match unreached(seen) {
        Some((name, Unreached::Connection(problem))) => vec![Finding::blocks(
            format!("{name}: {problem}"),
            "see that no firewall is in between, and that the cluster runs and lets this network's addresses in",
        )],
        Some((name, Unreached::Answer(problem))) => vec![Finding::blocks(
            format!("{name}: {problem}"),
            "see whether something else answers there, such as a proxy",
        )],
        _ => Vec::new(),
    }
}

pub(super) fn authority(seen: &Observed) -> Vec<Finding> {
    match unreached(seen) {
        Some((name, Unreached::Authority(problem))) => vec![Finding::blocks(
            format!("the certificate of {name} is not trusted: {problem}"),
            "node.kubelet.caCertData is another cluster's CA or an old one, this machine's clock is wrong, or something sits in \
             between and opens TLS",
        )],
        Some((name, Unreached::Date(problem))) => vec![Finding::blocks(
            format!("the certificate of {name} does not count now: {problem}"),
            "compare this machine's clock (`date -u`) with the time, and let chrony or systemd-timesyncd set it; if it is right, \
             the API server needs a new certificate",
        )],
        _ => Vec::new(),
    }
}

/// By how many seconds this machine's clock is ahead of the server's.
pub(super) fn skew(seen: &Observed) -> Option<i64> {
    let ServerSeen { answer: Ok(Some(time)), .. } = seen.server.as_ref()? else { return None };
    Some(seen.now - time)
}

pub(super) fn clock(seen: &Observed) -> Vec<Finding> {
    let Some(skew) = skew(seen) else { return Vec::new() };
    let (by, way) = (skew.unsigned_abs(), if skew > 0 { "ahead of" } else { "behind" });
    let message = format!("it is {by} s {way} the API server's");
    let advice = "let chrony or systemd-timesyncd set it";
    match skew.abs() {
        much if much > MOST_SKEW => {
            vec![Finding::blocks(message, format!("certificates and tokens would not count: {advice}"))]
        }
        some if some > SOME_SKEW => vec![Finding::warns(message, advice)],
        _ => Vec::new(),
    }
}

pub(super) fn credential(seen: &Observed) -> Vec<Finding> {
    match &seen.credential {
        None | Some(CredentialSeen::Accepted) => Vec::new(),
        Some(CredentialSeen::Unknown(problem)) => vec![Finding::blocks(
            problem.as_str(),
            "a bootstrap token ends after a day unless it was made for longer: make a new one; an identity of Azure's has to be \
             of the cluster's tenant",
        )],
        Some(CredentialSeen::Forbidden { what }) => vec![Finding::blocks(
            format!("it is known, and may not {what}"),
            "a bootstrap token has to be of the group system:bootstrappers; an identity needs a role in the cluster, such as Azure \
             Kubernetes Service RBAC Cluster Admin",
        )],
        Some(CredentialSeen::Missing(Unknown { problem, hint })) => {
            vec![Finding::blocks(problem.as_str(), hint.as_str())]
        }
    }
}

pub(super) fn active_node(seen: &Observed) -> Vec<Finding> {
    let Some(Some(node)) = &seen.active else { return Vec::new() };
    let name = seen.node_name.as_deref().unwrap_or_default();
    match node {
        ActiveNode { same_machine: true, .. } => Vec::new(),
        ActiveNode { ready: true, heard, address, .. } if heard.is_none_or(|ago| ago < RECENT) => {
            vec![Finding::blocks(
                format!("{name} is a Ready node on another machine, at {address}"),
                "give this one another name in agent.nodeName, or let the other leave first",
            )]
        }
        ActiveNode { .. } => vec![Finding::fine(
            format!("{name} was a node on another machine, which is no longer heard of"),
            "its Node is taken over",
        )],
    }
}
