//! The way to the cluster, walked as far as it goes.

use std::path::Path;

use jiff::Timestamp;
use slipway_fetch::{Backoff, Call, Client, HttpError, Patience, ProxySettings, Trust, Url};
use slipway_host::Host;
use slipway_kubernetes::{Access, ApiError, ApiServer};

use super::super::{ActiveNode, CredentialSeen, ServerSeen, Unreached};

/// What identifies a machine to a cluster, as kubelet reports it; empty where the machine does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MachineName {
    machine: String,
    board: String,
}

/// What identifies this machine.
pub fn machine_name(host: &dyn Host) -> MachineName {
    let line = |path: &str| {
        host.read(Path::new(path))
            .map(|text| String::from_utf8_lossy(&text).trim().to_owned())
            .unwrap_or_default()
    };
    MachineName { machine: line("/etc/machine-id"), board: line("/sys/class/dmi/id/product_uuid") }
}

impl MachineName {
    /// Whether a machine with this id, on a board with that one, may be it. What either side does not say is no difference.
    pub fn is(&self, machine: &str, board: &str) -> bool {
        let differ =
            |one: &str, other: &str| !one.is_empty() && !other.is_empty() && !one.eq_ignore_ascii_case(other);
        !differ(&self.machine, machine) && !differ(&self.board, board)
    }
}

/// Asks an API server for nothing in particular: any answer is one. What may pass is tried again.
pub fn server(
    address: &str,
    ca_pem: &str,
    proxy: Option<&ProxySettings>,
    patience: Patience<'_>,
) -> ServerSeen {
    let name = address.trim_start_matches("https://").to_owned();
    let asked = || -> Result<Option<i64>, Unreached> {
        let odd = |problem: &dyn std::fmt::Display| Unreached::Answer(problem.to_string());
        let url = Url::parse(&format!("{address}/livez")).map_err(|error| odd(&error))?;
        let client = Client::new(&Trust::Only(ca_pem.as_bytes().to_vec()), None, proxy.cloned())
            .map_err(|error| Unreached::Authority(error.to_string()))?;
        let answer = calling(&client, &url, patience)?;
        Ok(answer.field("date").and_then(seconds))
    };
    ServerSeen { answer: asked(), name }
}

/// Whether a registry is there, whatever it answers to somebody whom it does not know.
pub fn registry(name: &str, client: &Client, patience: Patience<'_>) -> Result<(), String> {
    let url = Url::parse(&format!("https://{name}/v2/")).map_err(|error| error.to_string())?;
    client.call(&Call::get(&url), patience).map(drop).map_err(|error| error.to_string())
}

/// Whether a place answers at all.
pub fn reachable(address: &str, client: &Client, patience: Patience<'_>) -> Result<(), String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    let call = Call { method: "HEAD", ..Call::get(&url) };
    let answer = client.call(&call, patience).map_err(|error| error.to_string())?;
    match answer.status() {
        200..400 => Ok(()),
        status => Err(format!("it answers with status {status}")),
    }
}

fn calling<'p>(
    client: &Client,
    url: &Url,
    patience: Patience<'p>,
) -> Result<slipway_fetch::Response<'p>, Unreached> {
    let mut backoff = Backoff::default();
    loop {
        match client.call(&Call::get(url), patience) {
            Ok(answer) => return Ok(answer),
            Err(error) if error.is_transient() && patience.sleep(backoff.pause(None)).is_ok() => {}
            Err(error) => return Err(unreached(&error)),
        }
    }
}

fn unreached(error: &HttpError) -> Unreached {
    match error {
        HttpError::NameUnresolved { problem, .. } => Unreached::Name(problem.clone()),
        HttpError::Untrusted { problem, by_date: true, .. } => Unreached::Date(problem.clone()),
        HttpError::Untrusted { problem, .. } => Unreached::Authority(problem.clone()),
        HttpError::Tls { .. } | HttpError::Unreadable { .. } => Unreached::Answer(error.to_string()),
        _ => Unreached::Connection(error.to_string()),
    }
}

/// The seconds of a time as HTTP writes it.
fn seconds(date: &str) -> Option<i64> {
    let parsed = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(date);
    parsed.ok().map(Timestamp::as_second)
}

/// Whether a bootstrap token may ask for a node's certificate.
pub fn bootstrap_access(server: &ApiServer, patience: Patience<'_>) -> Option<CredentialSeen> {
    let access = Access {
        verb: "create",
        group: "certificates.k8s.io",
        resource: "certificatesigningrequests",
        name: "",
    };
    asked(server, access, "ask for a certificate", patience)
}

/// Whether an identity may be a node.
pub fn node_access(server: &ApiServer, patience: Patience<'_>) -> Option<CredentialSeen> {
    asked(
        server,
        Access { verb: "create", group: "", resource: "nodes", name: "" },
        "register a node",
        patience,
    )
}

/// What the server says to a credential; nothing where it said nothing about it.
fn asked(
    server: &ApiServer,
    access: Access<'_>,
    what: &'static str,
    patience: Patience<'_>,
) -> Option<CredentialSeen> {
    match server.may(access, patience) {
        Ok(true) => Some(CredentialSeen::Accepted),
        Ok(false) | Err(ApiError::Forbidden { .. }) => Some(CredentialSeen::Forbidden { what }),
        Err(error @ ApiError::Unauthorized { .. }) => Some(CredentialSeen::Unknown(error.to_string())),
        Err(_) => None,
    }
}

/// Who is at work under a name; `None` where the credential may not know.
pub fn active(
    server: &ApiServer,
    name: &str,
    this: &MachineName,
    patience: Patience<'_>,
) -> Option<Option<ActiveNode>> {
    let node = server.node(name, patience).ok()?;
    Some(node.map(|node| {
        let heard = node.ready.as_ref().and_then(|ready| ready.heard.parse::<Timestamp>().ok());
        let address = node.addresses.first().map_or("an unknown address", |(_, address)| address);
        ActiveNode {
            ready: node.is_ready(),
            heard: heard.map(|heard| slipway_host::unix_seconds() - heard.as_second()),
            same_machine: this.is(&node.machine_id, &node.system_uuid),
            address: address.to_owned(),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_known_by_its_own_id_and_by_its_boards() {
        let this = MachineName { machine: "aa".into(), board: "B-1".into() };
        for (machine, board, same) in [
            ("aa", "b-1", true),
            ("aa", "", true),
            ("", "", true),
            ("ab", "b-1", false),
            ("aa", "b-2", false),
        ] {
            assert_eq!(this.is(machine, board), same, "{machine} {board}");
        }
    }

    #[test]
    fn the_date_of_an_answer_is_a_time() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("yesterday"), None);
    }
}
