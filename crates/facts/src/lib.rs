//! Finds out what a machine is.
//!
//! Comes in: a host, and where the metadata service is. Goes out: facts, why others are missing, and how long each
//! took. Never does: starting a program, writing, deciding what a fact means. A host below a root is asked about that
//! root only; nothing of the machine around it is looked at.
//!
//! Each fact is gathered in a thread of its own: the metadata service may take seconds, the rest are small files.

mod cached;
mod containerd;
mod dpkg;
mod go_build;
mod os_release;
mod sizes;
mod texts;

use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use slipway_azure::imds;
use slipway_host::Host;
use slipway_model::{Containerd, Facts};

/// Things that can be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The container runtime's version.
    Containerd,
    /// The image's component manifest.
    Components,
    /// The operating system.
    Os,
    /// The machine's name.
    Hostname,
    /// The instance document of the metadata service.
    Imds,
    /// The versions of Kubernetes programs on the image.
    Cached,
    /// How many processors there are.
    Cpus,
    /// How much memory there is.
    Memory,
    /// Whether the image has everything on it.
    GoldenImage,
}

impl Fact {
    /// Every fact, in the order of the facts file.
    pub const ALL: [Self; 9] = [
        Self::Containerd,
        Self::Components,
        Self::Os,
        Self::Hostname,
        Self::Imds,
        Self::Cached,
        Self::Cpus,
        Self::Memory,
        Self::GoldenImage,
    ];

    /// Its key in the facts file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Containerd => "containerd",
            Self::Components => "components",
            Self::Os => "os",
            Self::Hostname => "hostname",
            Self::Imds => "imds",
            Self::Cached => "cached",
            Self::Cpus => "cpus",
            Self::Memory => "memory_bytes",
            Self::GoldenImage => "golden_image",
        }
    }
}

/// What was found out.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// The facts; those that could not be had are absent.
    pub facts: Facts,
    /// Why they could not be had.
    pub problems: Vec<Problem>,
    /// How long each took.
    pub took: Vec<(Fact, Duration)>,
}

/// A fact that could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub fact: Fact,
    /// Why.
    pub reason: String,
}

/// Why a fact is missing, before anybody knows which one it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Missing {
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("{0}: {1}")]
    Content(String, &'static str),
    #[error(transparent)]
    Imds(#[from] imds::ImdsError),
    #[error("no metadata service is asked")]
    NotAsked,
}

/// Gathers the wanted facts. The metadata service, when there is one to ask, has until the deadline.
pub fn gather(host: &dyn Host, wanted: &[Fact], imds: Option<SocketAddr>, deadline: Duration) -> Gathered {
    let mut gathered = Gathered::default();
    thread::scope(|scope| {
        let running: Vec<_> = wanted
            .iter()
            .map(|fact| {
                let find = move || {
                    let start = Instant::now();
                    let mut facts = Facts::default();
                    let found = find(*fact, host, imds, deadline, &mut facts);
                    (facts, found, start.elapsed())
                };
                (*fact, scope.spawn(find))
            })
            .collect();
        for (fact, thread) in running {
            let Ok((facts, found, took)) = thread.join() else { continue };
            merge(&mut gathered.facts, facts);
            gathered.problems.extend(found.err().map(|reason| Problem { fact, reason: reason.to_string() }));
            gathered.took.push((fact, took));
        }
    });
    gathered
}

fn find(
    fact: Fact,
    host: &dyn Host,
    imds: Option<SocketAddr>,
    deadline: Duration,
    facts: &mut Facts,
) -> Result<(), Missing> {
    match fact {
        Fact::Containerd => facts.containerd = containerd::version(host)?,
        Fact::Components => facts.components = Some(texts::components(host)?),
        Fact::Os => facts.os = Some(os_release::os(host)?),
        Fact::Hostname => facts.hostname = Some(texts::hostname(host)?),
        Fact::Imds => {
            facts.imds = Some(imds::instance_document(imds.ok_or(Missing::NotAsked)?, deadline)?);
        }
        Fact::Cached => facts.cached = Some(cached::versions(host)?),
        Fact::Cpus => facts.cpus = Some(sizes::cpus(host)?),
        Fact::Memory => facts.memory_bytes = Some(sizes::memory_bytes(host)?),
        Fact::GoldenImage => facts.golden_image = Some(texts::is_golden(host)?),
    }
    Ok(())
}

/// Takes over what one thread found.
fn merge(all: &mut Facts, one: Facts) {
    if one.containerd != Containerd::Unknown {
        all.containerd = one.containerd;
    }
    all.components = one.components.or(all.components.take());
    all.os = one.os.or(all.os.take());
    all.hostname = one.hostname.or(all.hostname.take());
    all.imds = one.imds.or(all.imds.take());
    all.cached = one.cached.or(all.cached.take());
    all.cpus = one.cpus.or(all.cpus);
    all.memory_bytes = one.memory_bytes.or(all.memory_bytes);
    all.golden_image = one.golden_image.or(all.golden_image);
}

/// A small text file of the host.
pub(crate) fn text(host: &dyn Host, path: &str) -> Result<String, Missing> {
    let bytes = host.read(Path::new(path)).map_err(|error| Missing::File(path.to_owned(), error))?;
    String::from_utf8(bytes).map_err(|_| Missing::Content(path.to_owned(), "it is not UTF-8"))
}
