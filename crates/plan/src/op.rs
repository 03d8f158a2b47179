//! What steps are made of. An operation says what should be; how it is observed, done and undone is `apply`'s business.

use std::path::{Path, PathBuf};
use std::time::Duration;

use slipway_model::{Attributes, Secret, Sources, Verb};

use crate::edit::Change;

/// One operation, and where everything in it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Op {
    /// What should be.
    pub action: Action,
    /// Why.
    pub sources: Sources,
}

/// What an operation brings about.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A directory, and those above it (0755).
    Directory(Directory),
    /// A file with this content.
    File(File),
    /// A file of which only a part is ours.
    Edit(Edit),
    /// A symbolic link.
    Link(Link),
    /// Nothing at a path.
    Remove(Remove),
    /// A file under another name.
    Move(Move),
    /// A kernel setting, now; files make it last.
    Setting(Setting),
    /// A kernel module, now; files make it last.
    Module(&'static str),
    /// The service manager has read its unit files since they were last changed.
    ReloadUnits,
    /// A unit in a state.
    Unit(Unit),
    /// What a service leaves behind when it ends, so that a reset can remove it.
    Traces(Traces),
    /// A directory mounted over itself and shared, as kubelet's volumes need it.
    SharedMount(PathBuf),
    /// A key and a certificate that vouches for itself.
    SelfSigned(SelfSigned),
    /// A file from the network.
    Artifact(Artifact),
    /// A container image that the container runtime has.
    Image(Image),
    /// A swap area that the kernel does not use.
    SwapOff(PathBuf),
    /// A program that is the thing itself, run to its end.
    Program(Program),
    /// A question to the outside: it explains, and gates nothing.
    Probe(Probe),
    /// The node's first credential.
    TlsBootstrap(TlsBootstrap),
    /// Something that others bring about.
    Await(Await),
}

impl Action {
    /// The paths that an operation brings about or takes away.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Directory(directory) => vec![&directory.path],
            Self::File(file) => vec![&file.path],
            Self::Edit(edit) => vec![&edit.path],
            Self::Link(link) => vec![&link.path],
            Self::Remove(remove) => vec![&remove.path],
            Self::Move(moved) => vec![&moved.to],
            Self::Setting(setting) => vec![&setting.path],
            Self::SharedMount(path) => vec![path],
            Self::SelfSigned(pair) => vec![&pair.certificate, &pair.key],
            Self::Artifact(artifact) => artifact.members.iter().map(|(_, path)| path.as_path()).collect(),
            Self::TlsBootstrap(bootstrap) => vec![&bootstrap.kubeconfig],
            Self::Module(_)
            | Self::ReloadUnits
            | Self::Unit(_)
            | Self::Traces(_)
            | Self::Image(_)
            | Self::SwapOff(_)
            | Self::Program(_)
            | Self::Probe(_)
            | Self::Await(_) => Vec::new(),
        }
    }
}

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Where.
    pub path: PathBuf,
    /// Mode and owner.
    pub attributes: Attributes,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Where. The directories above it are made as needed, 0755.
    pub path: PathBuf,
    /// Mode and owner.
    pub attributes: Attributes,
    /// What is in it.
    pub content: Content,
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Anyone may see it.
    Plain(String),
    /// Only the file's readers may; the file is 0600.
    Secret(Secret<String>),
}

/// A change to a file that is not ours alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Where.
    pub path: PathBuf,
    /// Mode and owner, if it has to be made.
    pub attributes: Attributes,
    /// Whether a file that is there gets them, too.
    pub exact: bool,
    /// What changes.
    pub change: Change,
}

/// A symbolic link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where.
    pub path: PathBuf,
    /// What it points to.
    pub target: PathBuf,
}

/// Nothing at a path, whatever was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remove {
    /// Where.
    pub path: PathBuf,
}

/// A file that the image holds ready, under the name by which it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Where the image holds it; the first that exists counts. None existing is well where the destination exists.
    pub from: Vec<PathBuf>,
    /// Where it is used.
    pub to: PathBuf,
    /// The mode and owner that it gets.
    pub attributes: Attributes,
}

/// A kernel setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its file below `/proc/sys` or `/sys`.
    pub path: PathBuf,
    /// Its value.
    pub value: String,
    /// Whether a kernel without it is an error.
    pub required: bool,
}

/// A unit in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its full name, such as `kubelet.service`.
    pub name: String,
    /// What to do with it. `Restart` and `Reload` happen only if something that its step needs was changed since the
    /// unit was last started by us, or if it does not run.
    pub verb: Option<Verb>,
    /// Whether it starts at boot: its links are made or removed as its `[Install]` section says.
    pub enabled: Option<bool>,
    /// How long to wait for the job's end; without it the job is enqueued only.
    pub wait: Option<Duration>,
    /// Whether an image without the unit is an error.
    pub required: bool,
}

/// What a service leaves behind when it ends. What was there before it stays; so does all of it where the service ran
/// before Slipway came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traces {
    /// The service.
    pub unit: String,
    /// Where the container runtime listens whose pods are the service's.
    pub pods: Option<PathBuf>,
    /// Units that come with it.
    pub units: Vec<String>,
    /// Directories that it fills.
    pub directories: Vec<PathBuf>,
    /// Network links that it brings about.
    pub links: Vec<String>,
    /// How the names of its firewall chains begin.
    pub chains: Vec<String>,
    /// Kernel settings that it changes, and to what.
    pub settings: Vec<(PathBuf, String)>,
    /// Accounts whose expiry it changes.
    pub accounts: Vec<String>,
}

impl Traces {
    /// Of a service that leaves nothing.
    pub fn of(unit: &str) -> Self {
        Self {
            unit: unit.to_owned(),
            pods: None,
            units: Vec::new(),
            directories: Vec::new(),
            links: Vec::new(),
            chains: Vec::new(),
            settings: Vec::new(),
            accounts: Vec::new(),
        }
    }
}

/// A key and a certificate that vouches for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfSigned {
    /// Where the certificate is to be, PEM, 0644.
    pub certificate: PathBuf,
    /// Where the key is to be, PEM, 0600.
    pub key: PathBuf,
    /// Common name and subject alternative name.
    pub host: String,
    /// How long it is valid.
    pub days: u32,
}

/// A file from the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Where it comes from; may hold a signature that grants access.
    pub url: Secret<String>,
    /// The SHA-256 of what comes, if it is known.
    pub sha256: Option<String>,
    /// Where the image may hold the same file already: then nothing is fetched.
    pub cached: Option<PathBuf>,
    /// Which members of the archive go where; a plain file is its own only member, named `""`.
    pub members: Vec<(String, PathBuf)>,
    /// The mode and owner that they get.
    pub attributes: Attributes,
}

/// A container image from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its whole name.
    pub name: String,
    /// The archive that has it.
    pub archive: PathBuf,
    /// What the archive's bytes add up to.
    pub sha256: String,
    /// Where the container runtime listens.
    pub socket: PathBuf,
    /// Whether the runtime is there after a reset, so that the image has to be taken from it.
    pub outlived: bool,
}

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it reads from standard input.
    pub input: Option<Secret<String>>,
    /// How long it may take.
    pub within: Duration,
    /// Running it again changes nothing, so it runs in every attempt.
    pub repeatable: bool,
    /// The program and its arguments that take it back.
    pub undo: Option<(PathBuf, Vec<String>)>,
}

/// A question to the outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// Whether a host answers on a port.
    Reach {
        /// Its name or address.
        host: String,
        /// The port.
        port: u16,
    },
}

/// The node's first credential, asked for with a bootstrap token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsBootstrap {
    /// The API server, such as `https://host:443`.
    pub server: String,
    /// Where the cluster's CA is.
    pub ca: PathBuf,
    /// The name under which the node joins.
    pub node: String,
    /// What the node shows for a start.
    pub token: Secret<String>,
    /// Where kubelet looks for its credential.
    pub kubeconfig: PathBuf,
    /// Where kubelet keeps certificates.
    pub certificates: PathBuf,
}

/// Something that others bring about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Await {
    /// Something listens at a socket.
    Socket(PathBuf),
    /// The node is Ready, as the API server says to the node's own credential, or kubelet's health endpoint says where
    /// it may not ask.
    Ready {
        /// The API server.
        server: String,
        /// Where the cluster's CA is.
        ca: PathBuf,
        /// The node's name.
        node: String,
        /// The credential.
        kubeconfig: PathBuf,
    },
}
