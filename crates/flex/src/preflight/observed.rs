//! Everything that is looked at before a machine joins, as values.

use std::net::IpAddr;
use std::path::PathBuf;

use slipway_host::Space;
use slipway_model::Os;

/// What there is to see. `None` and empty lists where it could not be looked at, or there was nothing to look for.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// Whether this is a running machine, and not a directory that stands for one.
    pub live: bool,
    /// Whether an earlier attempt of ours is on record: what looks like another's may be our own.
    pub ours: bool,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// Whether we are root.
    pub root: Option<bool>,
    /// The operating system.
    pub os: Option<Os>,
    /// Whether systemd is what manages services.
    pub systemd: Option<bool>,
    /// How many processors there are.
    pub cpus: Option<u32>,
    /// How much memory there is.
    pub memory: Option<u64>,
    /// File systems that a node fills.
    pub disks: Vec<(PathBuf, Space)>,
    /// The swap areas that are in use.
    pub swaps: Option<Vec<String>>,
    /// Whether kubelet is told not to start beside swap; unknown is its own default, which is yes.
    pub fail_swap_on: Option<bool>,
    /// Whether `SELinux` enforces its policy.
    pub selinux: Option<bool>,
    /// The kernel's control groups.
    pub cgroups: Option<Cgroups>,
    /// Kernel modules that a node needs, and whether each is there or can be loaded.
    pub modules: Vec<(&'static str, bool)>,
    /// How the machine resolves names.
    pub resolver: Option<Resolver>,
    /// Firewalls that keep others from kubelet's port.
    pub firewalls: Option<Vec<Firewall>>,
    /// Container runtimes that are here already.
    pub runtimes: Option<Vec<RuntimeSeen>>,
    /// A kubelet that is here already.
    pub kubelet: Option<KubeletSeen>,
    /// Which of kubelet's ports are taken.
    pub ports: Option<Vec<u16>>,
    /// What an earlier cluster left.
    pub leftovers: Option<Vec<Leftover>>,
    /// Files with secrets of the configuration that others than their owner can read.
    pub open_secrets: Option<Vec<PathBuf>>,
    /// The name that the node is to have.
    pub node_name: Option<String>,
    /// The version of Kubernetes that is wanted, as major and minor.
    pub kubernetes: Option<(u32, u32)>,
    /// The API server.
    pub server: Option<ServerSeen>,
    /// What the API server says to the credential.
    pub credential: Option<CredentialSeen>,
    /// Who has the name already; the inner `None` is nobody.
    pub active: Option<Option<ActiveNode>>,
    /// Where programs come from, and why some of these places do not answer.
    pub sources: Vec<(String, Result<(), String>)>,
    /// The image of every pod, where a bundle is to bring all that the machine needs.
    pub sandbox: Option<SandboxSeen>,
    /// Permissions that are missing in Azure; an error where nobody could be asked.
    pub permissions: Option<Result<Vec<Unpermitted>, Unknown>>,
    /// The agent that makes the machine known to Azure Arc.
    pub arc: Option<ArcSeen>,
}

/// The kernel's control groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cgroups {
    /// Whether they are of version 2.
    pub unified: bool,
    /// The controllers that there are.
    pub controllers: Vec<String>,
}

/// How a machine resolves names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolver {
    /// The servers that `/etc/resolv.conf` names.
    pub servers: Vec<String>,
    /// Whether systemd-resolved has the file with the network's own servers.
    pub has_uplinks: bool,
}

impl Resolver {
    /// Whether the machine itself is the resolver: in a pod that is the pod.
    pub(super) fn is_this_machine(&self) -> bool {
        let own = |server: &String| server.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        self.servers.iter().any(own)
    }
}

/// A firewall that keeps others from kubelet's port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firewall {
    /// Its name, such as `ufw`.
    pub name: &'static str,
    /// The command that opens the port.
    pub opens: String,
}

/// A container runtime that is here already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeSeen {
    /// Its unit, such as `docker.service`.
    pub unit: &'static str,
    /// Whether it runs.
    pub runs: bool,
}

/// A kubelet that is here already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeletSeen {
    /// Where its program is, if it is anywhere.
    pub program: Option<PathBuf>,
    /// Whether its unit exists.
    pub unit: bool,
    /// Whether it runs.
    pub runs: bool,
}

/// Something that an earlier cluster left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leftover {
    /// A credential that kubelet would use.
    Credential(PathBuf),
    /// A cluster's authority, and whether it is the one that the machine is to join.
    Authority(PathBuf, bool),
    /// A pod that kubelet would run by itself.
    StaticPod(PathBuf),
}

/// The API server, as far as it could be reached without a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSeen {
    /// Host and port.
    pub name: String,
    /// The server's time in seconds since 1970, if it said it; or how far the way was open.
    pub answer: Result<Option<i64>, Unreached>,
}

/// Where the way to a server ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreached {
    /// Its name stands for no address.
    Name(String),
    /// Nobody answers there.
    Connection(String),
    /// Its certificate is not signed by the cluster's authority.
    Authority(String),
    /// Its certificate does not count now, by this machine's clock.
    Date(String),
    /// Something else speaks there.
    Answer(String),
}

/// What the API server says to a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialSeen {
    /// It is known, and may do what joining takes.
    Accepted,
    /// It is not known, or no longer.
    Unknown(String),
    /// It is known, and may not do this.
    Forbidden {
        /// What, in a few words.
        what: &'static str,
    },
    /// It cannot be had.
    Missing(Unknown),
}

/// A node that is at work under the wanted name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveNode {
    /// Whether it is Ready.
    pub ready: bool,
    /// How many seconds ago it last said so, if it did.
    pub heard: Option<i64>,
    /// Whether it is this machine.
    pub same_machine: bool,
    /// Its address, for people.
    pub address: String,
}

/// The image that every pod has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSeen {
    /// Its name.
    pub image: String,
    /// Where it would come from.
    pub from: SandboxFrom,
}

/// Where the image that every pod has would come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxFrom {
    /// It is on the machine, or in the bundle.
    Here,
    /// Its registry answers.
    Registry,
    /// From other places than its registry, by containerd's configuration in this directory; nobody asked them.
    Mirror(PathBuf),
    /// From nowhere: its registry does not answer, and why.
    Nowhere(String),
}

/// Why something could not be learned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What went wrong.
    pub problem: String,
    /// What to do.
    pub hint: String,
}

/// An action in Azure that is not allowed to whoever would do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpermitted {
    /// Who, in a few words.
    pub who: &'static str,
    /// The action.
    pub action: &'static str,
    /// Where.
    pub scope: String,
    /// Whether joining takes it; otherwise only leaving does.
    pub needed: bool,
}

/// The agent that makes the machine known to Azure Arc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArcSeen {
    /// It is there, and what is to be done can be done.
    Usable(String),
    /// It is not there.
    Absent,
    /// Something stands against it.
    Conflict {
        /// What.
        problem: String,
        /// What to do.
        hint: String,
    },
}
