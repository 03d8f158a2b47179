//! What can be seen on the machine itself: its record, its configuration, its files, its units, kubelet's credential.

use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_apply::{Holdings, NodeCredential, credential_of_node, note};
use slipway_contract::Severity;
use slipway_flex::goal::Mark;
use slipway_flex::keep::{
    ConfigSeen, CredentialSeen, Joined, NodeSeen, Observation, RECORD, Record, Status, digest,
};
use slipway_flex::upgrade;
use slipway_host::{Entry, EntryKind, Host, os_text, unix_seconds};
use slipway_model::GoDuration;

use crate::log::Level;

pub(super) const KUBECONFIG: &str = "/var/lib/kubelet/kubeconfig";
/// The units by which a node stands, in the order in which they start.
const UNITS: [&str; 2] = ["containerd.service", "kubelet.service"];
/// What kubelet goes on with by itself.
const KUBELETS: [&str; 2] = [KUBECONFIG, "/var/lib/kubelet/pki"];

pub(super) struct Eye<'a> {
    host: &'a dyn Host,
    config: PathBuf,
    read: Option<Read>,
    holdings: Option<Holdings>,
    record: Option<Record>,
}

/// A configuration as it was last read.
struct Read {
    /// How its file looked then.
    file: Option<Entry>,
    digest: String,
    usable: Result<Wishes, String>,
}

/// What a configuration says that matters here.
struct Wishes {
    /// Whether what changed is repaired.
    repairs: bool,
    /// Which version of Kubernetes, if it says so.
    kubernetes: Option<String>,
    /// How often Azure is asked what it wants, where the machine is known in an agent pool.
    asks_azure: Option<Duration>,
    /// From which level on lines are logged.
    logs: Level,
}

impl<'a> Eye<'a> {
    pub(super) fn new(host: &'a dyn Host, config: &Path) -> Self {
        Self { host, config: config.to_owned(), read: None, holdings: None, record: None }
    }

    /// Somebody may have changed what was left: the record is read again.
    pub(super) fn forget(&mut self) {
        self.holdings = None;
    }

    /// What is there now is what was wanted.
    pub(super) fn settle(&mut self) {
        let host = self.host;
        let settled = self.open().is_some_and(|holdings| holdings.settle(host).is_ok());
        if !settled {
            // What cannot be looked at is looked at again.
            self.holdings = None;
        }
    }

    /// Whether there is a Node to ask for.
    pub(super) fn has_node(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.joined() == Joined::Done)
    }

    /// How often Azure is asked what it wants of this machine, where it is to be asked.
    pub(super) fn asks_azure(&self) -> Option<Duration> {
        self.read.as_ref()?.usable.as_ref().ok()?.asks_azure.filter(|_| self.has_node())
    }

    /// From which level on the configuration wants lines to be logged, if it can be used.
    pub(super) fn logs(&self) -> Option<Level> {
        Some(self.read.as_ref()?.usable.as_ref().ok()?.logs)
    }

    /// Everything but the Node and what Azure wants.
    pub(super) fn look(&mut self, status: &mut Status) -> Observation {
        self.record = note(self.host, RECORD).ok().flatten().and_then(|text| Record::parse(&text).ok());
        let joined = match self.record.as_ref().map_or(Joined::Never, Record::joined) {
            Joined::Done if matches!(note(self.host, upgrade::RECORD), Ok(Some(_))) => Joined::Upgrading,
            joined => joined,
        };
        let config = self.config();
        let wishes = self.read.as_ref().and_then(|read| read.usable.as_ref().ok());
        let repairs = wishes.is_none_or(|wishes| wishes.repairs);
        let newer = wishes.and_then(|wishes| wishes.kubernetes.clone());
        let newer = newer.filter(|version| self.record.as_ref().is_some_and(|record| record.lacks(version)));
        let strayed = if joined == Joined::Done { self.strayed() } else { Vec::new() };
        let credential = self.credential();
        let mut stopped = Vec::new();
        for unit in UNITS {
            // A unit that is not there is a file that is gone; a manager that does not answer says nothing.
            let Some(state) = self.host.unit(unit).ok().filter(|state| state.exists) else { continue };
            status.units.insert(unit.to_owned(), state.runs());
            if !state.runs() && joined == Joined::Done {
                stopped.push(unit);
            }
        }
        if let Some(record) = &self.record {
            status.cluster.clone_from(&record.cluster);
            status.identity.clone_from(&record.identity);
            status.kubernetes.clone_from(&record.kubernetes);
            status.node.name.clone_from(&record.node);
        }
        status.credential_until = match credential {
            CredentialSeen::Until(second) => Some(second),
            _ => None,
        };
        status.drift.clone_from(&strayed);
        Observation {
            joined,
            repairs,
            config,
            newer,
            strayed,
            stopped,
            credential,
            node: NodeSeen::Unasked,
            mark: Mark::None,
            goal: None,
        }
    }

    fn config(&mut self) -> ConfigSeen {
        let file = self.host.entry(&self.config).ok().flatten();
        // What a link leads to can change while the link does not.
        let same = file.is_some_and(|file| file.kind == EntryKind::File);
        let read = match self.read.take() {
            Some(read) if same && read.file == file => read,
            _ => self.read_config(file),
        };
        let applied = self.record.as_ref().and_then(|record| record.applied.as_ref());
        let seen = match &read.usable {
            Err(why) => ConfigSeen::Unusable(why.clone()),
            Ok(_) if applied.is_some_and(|applied| *applied != read.digest) => ConfigSeen::Changed,
            Ok(_) => ConfigSeen::Same,
        };
        self.read = Some(read);
        seen
    }

    fn read_config(&self, file: Option<Entry>) -> Read {
        let text = match slipway_host::read(&self.config) {
            Ok(text) => text,
            Err(error) => return Read { file, digest: String::new(), usable: Err(os_text(&error)) },
        };
        let reading = slipway_flex::read(&text, &host_name());
        let wishes = reading.config.map(|config| Wishes {
            repairs: config.agent.repairs_drift,
            asks_azure: config.registers().then(|| interval(config.agent.reconcile_interval)),
            logs: Level::named(&config.agent.log_level),
            kubernetes: config.versions.kubernetes,
        });
        let usable = wishes.ok_or_else(|| {
            let errors = reading.issues.iter().filter(|issue| issue.severity == Severity::Error);
            let first = errors.map(|issue| format!("{}: {}", issue.path, issue.message)).next();
            first.unwrap_or_else(|| "it is no configuration".to_owned())
        });
        Read { file, digest: digest(&text), usable }
    }

    fn open(&mut self) -> Option<&mut Holdings> {
        if self.holdings.is_none() {
            self.holdings = Holdings::open(self.host, &KUBELETS).ok();
        }
        self.holdings.as_mut()
    }

    fn strayed(&mut self) -> Vec<String> {
        let host = self.host;
        let strayed = self.open().and_then(|holdings| holdings.look(host).ok()).unwrap_or_default();
        strayed.iter().map(|it| format!("{}: {}", it.path.display(), it.how)).collect()
    }

    fn credential(&self) -> CredentialSeen {
        let now = u64::try_from(unix_seconds()).unwrap_or_default();
        match credential_of_node(self.host, Path::new(KUBECONFIG)) {
            NodeCredential::Missing => CredentialSeen::Missing,
            NodeCredential::Program => CredentialSeen::Program,
            NodeCredential::Certificate(it) if it.has_expired_at(now) => CredentialSeen::Expired,
            NodeCredential::Certificate(it) if !it.is_valid_at(now) => CredentialSeen::Early,
            NodeCredential::Certificate(it) => CredentialSeen::Until(it.not_after),
        }
    }
}

fn interval(said: GoDuration) -> Duration {
    Duration::from_nanos(said.nanoseconds().try_into().unwrap_or_default())
}

fn host_name() -> String {
    slipway_host::read_text(Path::new("/proc/sys/kernel/hostname")).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests;
