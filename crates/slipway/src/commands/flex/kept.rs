//! What the daemon finds of a join: which configuration it applied, whether it came to its end, and that it is over.

use std::path::{Path, PathBuf};

use slipway_apply::{keep_note, note};
use slipway_flex::FlexConfig;
use slipway_flex::config::ApiServer;
use slipway_flex::keep::{Joined, KnownCluster, Marks, RECORD, Record, digest};
use slipway_host::{Host, is_executable, os_text};
use slipway_model::Sourced;
use slipway_model::node::Keeper;

use crate::failure::Failure;
use crate::files;

/// The program of the daemon, which is installed beside this one.
const PROGRAM: &str = "slipwayd";

/// The configuration that is being applied.
pub(super) struct Asked {
    /// Where it is, from the root on.
    pub(super) path: PathBuf,
    /// What tells it from another one.
    digest: String,
}

impl Asked {
    /// Before it is understood, so that what changes meanwhile counts as changed.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = files::read(path).map(|input| input.text).unwrap_or_default();
        let path = std::path::absolute(path).map_err(|error| {
            Failure::machine("no-directory", "cannot tell where the configuration is", error)
        })?;
        Ok(Self { path, digest: digest(&text) })
    }
}

/// The service that keeps the node, where its program is installed.
pub(super) fn keeper(host: &dyn Host, config_file: &str) -> Sourced<Option<Keeper>> {
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    let program = beside.filter(|program| host.is_live() && is_executable(program));
    Sourced::fixed(program.map(|program| Keeper {
        program: program.to_string_lossy().into_owned(),
        config: config_file.to_owned(),
    }))
}

/// What the record of an earlier join says, if there is one.
pub(super) fn record(host: &dyn Host) -> Result<Option<Record>, Failure> {
    let text = note(host, RECORD).map_err(|error| unkept(&error))?;
    text.map(|text| Record::parse(&text)).transpose().map_err(|error| {
        Failure::machine("records-unreadable", "cannot read the record of an earlier join", error)
    })
}

/// Whether the machine is a node by our hand.
pub(super) fn is_done(host: &dyn Host) -> bool {
    record(host).is_ok_and(|record| record.is_some_and(|record| record.joined() == Joined::Done))
}

/// Whether an earlier join turned the owner's swap off.
pub(super) fn keeps_swap_off(host: &dyn Host) -> bool {
    record(host).is_ok_and(|record| record.is_some_and(|record| record.swap_off && !record.leaving))
}

/// Says that joining has begun.
pub(super) fn begin(
    host: &dyn Host,
    config: &FlexConfig,
    asked: &Asked,
    swap_off: bool,
) -> Result<Record, Failure> {
    // A record that cannot be read is written anew.
    let before = record(host).ok().flatten().filter(|record| !record.leaving);
    let record = Record {
        config: asked.path.to_string_lossy().into_owned(),
        cluster: config.cluster.to_string(),
        node: config.agent.node_name.clone(),
        identity: config.authentication().into_iter().map(str::to_owned).collect(),
        kubernetes: config.versions.kubernetes.clone().unwrap_or_default(),
        applied: before.as_ref().and_then(|record| record.applied.clone()),
        leaving: false,
        marks: before.and_then(|record| record.marks),
        swap_off,
        cluster_told: known(config),
    };
    keep_note(host, RECORD, &record.text()).map_err(|error| unkept(&error))?;
    Ok(record)
}

/// Where the cluster is, for a node that shows its own identity; others need a token with it, and that is a secret.
fn known(config: &FlexConfig) -> Option<KnownCluster> {
    match (&config.token, &config.server, &config.ca) {
        (None, Some(server), Some(ca)) => Some(KnownCluster { server: server.authority(), ca: ca.clone() }),
        _ => None,
    }
}

/// Takes where the cluster is from the record of an earlier join, where the configuration does not say it: files are put back
/// without asking Azure.
pub(super) fn recall(config: &mut FlexConfig, host: &dyn Host) {
    let earlier = record(host).ok().flatten().filter(|record| !record.leaving);
    if let Some(record) = earlier.filter(|record| record.cluster == config.cluster.to_string())
        && config.token.is_none()
        && let Some(known) = record.cluster_told
        && let Ok(server) = ApiServer::parse(&known.server)
    {
        config.give_cluster(server, known.ca);
    }
}

/// Whether another configuration is applied than last time.
pub(super) fn is_other(record: &Record, asked: &Asked) -> bool {
    record.applied.as_ref() != Some(&asked.digest)
}

/// Says that joining has come to its end, and which marks the Node has since.
pub(super) fn finish(
    host: &dyn Host,
    record: Record,
    asked: &Asked,
    marks: Option<Marks>,
) -> Result<(), Failure> {
    let marks = marks.or_else(|| record.marks.clone());
    if !is_other(&record, asked) && record.marks == marks {
        return Ok(());
    }
    let record = Record { applied: Some(asked.digest.clone()), marks, ..record };
    keep_note(host, RECORD, &record.text()).map_err(|error| unkept(&error))
}

/// Says which version of Kubernetes a machine has now, where it has a record.
pub(super) fn supplied(host: &dyn Host, kubernetes: &str) -> Result<(), Failure> {
    match record(host).ok().flatten() {
        Some(record) if record.kubernetes != kubernetes => {
            let record = Record { kubernetes: kubernetes.to_owned(), ..record };
            keep_note(host, RECORD, &record.text()).map_err(|error| unkept(&error))
        }
        _ => Ok(()),
    }
}

/// Whether the cluster has let the machine go, and only the machine itself is to be put back.
pub(super) fn is_leaving(host: &dyn Host) -> bool {
    record(host).is_ok_and(|record| record.is_some_and(|record| record.leaving))
}

/// Says that the machine leaves: whoever finds the record does not bring it back.
pub(super) fn leave(host: &dyn Host) -> Result<(), Failure> {
    let Some(record) = record(host).ok().flatten() else { return Ok(()) };
    let record = Record { leaving: true, ..record };
    keep_note(host, RECORD, &record.text()).map_err(|error| unkept(&error))
}

fn unkept(error: &std::io::Error) -> Failure {
    Failure::machine("no-record", "cannot keep a record below /var/lib/slipway", os_text(error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slipway_host::Recorded;
    use slipway_model::Secret;

    use super::*;

    const CLUSTER: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.ContainerService/managedClusters/aks-edge";

    /// The configuration of a machine whose cluster Azure knows.
    fn config() -> FlexConfig {
        let text =
            json!({"azure": {"managedIdentity": {}, "targetCluster": {"resourceId": CLUSTER}}}).to_string();
        slipway_flex::read(text.as_bytes(), "edge-01").config.unwrap()
    }

    #[test]
    fn where_the_cluster_is_stays_known_to_a_node_that_shows_its_own_identity() {
        let asked = Asked { path: "/c".into(), digest: "0a".to_owned() };
        let told = |token: Option<&str>| {
            let mut config = config();
            config.give_cluster(ApiServer::parse("api.example:6443").unwrap(), "PEM".to_owned());
            config.token = token.map(|token| slipway_flex::config::Kept::Here(Secret::from(token)));
            config
        };
        for (token, recalled) in [(None, true), (Some("abcdef.0123456789abcdef"), false)] {
            let host = Recorded::live();
            begin(&host, &told(token), &asked, false).unwrap();
            let mut again = config();
            recall(&mut again, &host);
            let server = again.server.as_ref().map(ApiServer::authority);
            assert_eq!(server.as_deref(), recalled.then_some("api.example:6443"), "{token:?}");
            assert_eq!(again.ca.as_deref(), recalled.then_some("PEM"), "{token:?}");
            leave(&host).unwrap();
            let mut gone = config();
            recall(&mut gone, &host);
            assert_eq!(gone.ca, None, "it leaves");
        }
    }
}
