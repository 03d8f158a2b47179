//! What was there before: recorded, and durable, before it is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use slipway_host::{Host, Modified, Swap, Writer};
use slipway_model::{Attributes, Verb};

use crate::home;
use crate::lines::Lines;
use crate::tree::{There, look};

/// One thing that a reset takes back. Each kind is recorded before it happens, so it may also not have happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Entry {
    /// Directories that were made for the record itself.
    Home { made: Vec<PathBuf> },
    /// Something at a path is replaced. Only the first entry of a path says what was there.
    Path { path: PathBuf, was: Option<Was>, leaves: State },
    /// A directory's or a file's mode and owner change.
    Attributes { path: PathBuf, was: Attributes, leaves: Attributes },
    /// A file gets another name.
    Moved { from: PathBuf, to: PathBuf, attributes: Attributes, modified: Modified, size: u64 },
    /// A file comes from the network.
    Fetched { path: PathBuf, artifact: String, modified: Modified, size: u64 },
    /// A kernel setting changes.
    Setting { path: PathBuf, was: String, leaves: String },
    /// A unit is started, restarted or stopped.
    Unit { name: String, ran: bool, verb: Verb },
    /// A directory is mounted over itself.
    Mount { path: PathBuf },
    /// A service is about to come that leaves things behind.
    Traces {
        unit: String,
        places: Vec<Place>,
        pods: Option<PathBuf>,
        links: Vec<String>,
        chains: Vec<String>,
    },
    /// A container runtime that was there before gets an image.
    Image { socket: PathBuf, name: String },
    /// A swap area is turned off.
    Swap { swap: Swap },
    /// A program is run that another one takes back.
    Program { path: PathBuf, arguments: Vec<String> },
}

/// A directory before a service filled it: every path in it, or that it was not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) held: Option<Vec<PathBuf>>,
}

/// What was at a path, and where it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Was {
    pub(crate) state: State,
    pub(crate) modified: Option<Modified>,
    /// A link's owner; it has no mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<Attributes>,
    /// The file in the ledger that holds a copy of the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) copy: Option<String>,
    /// The name in the ledger under which the thing itself is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) aside: Option<String>,
}

/// What is at a path, as far as it has to be told from something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub(crate) enum State {
    Absent,
    Directory { attributes: Attributes },
    Link { target: PathBuf },
    File { attributes: Attributes, sha256: String },
    Other,
}

/// Whether a file came from the network by our hand.
pub fn has_brought(host: &dyn Host, path: &Path) -> io::Result<bool> {
    Ok(brought(host)?.contains(path))
}

/// The files that came from the network by our hand, whether they are still there or not.
pub fn brought(host: &dyn Host) -> io::Result<BTreeSet<PathBuf>> {
    if !home::exists(host)? {
        return Ok(BTreeSet::new());
    }
    let entries = Ledger::open(host)?.entries();
    let path = |entry| match entry {
        Entry::Fetched { path, .. } => Some(path),
        _ => None,
    };
    Ok(entries.into_iter().filter_map(path).collect())
}

pub(crate) struct Ledger {
    inner: Mutex<Inner>,
    /// A second way to the file, so that some wait for the disk while others record.
    disk: Mutex<Option<Box<dyn Writer>>>,
}

struct Inner {
    lines: Lines,
    entries: Vec<Entry>,
    /// What we left at each path so far, the last of it last.
    known: BTreeMap<PathBuf, Vec<State>>,
    next: u64,
    written: u64,
    synced: u64,
}

impl Ledger {
    /// What was recorded so far.
    pub(crate) fn open(host: &dyn Host) -> io::Result<Self> {
        let (lines, entries) = Lines::open::<Entry>(host, Path::new(home::ENTRIES))?;
        let mut known = BTreeMap::<PathBuf, Vec<State>>::new();
        // A name may be given and not in use yet, or in use by a copy whose entry a crash prevented.
        let mut names: Vec<String> = match host.list(Path::new(home::LEDGER)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            found => found?.iter().map(|name| name.to_string_lossy().into_owned()).collect(),
        };
        for entry in &entries {
            if let Entry::Path { path, leaves, was } = entry {
                known.entry(path.clone()).or_default().push(leaves.clone());
                names.extend(was.iter().filter_map(|was| was.aside.clone()));
            }
        }
        let next = names.iter().filter_map(|name| name.parse().ok()).max().map_or(1, |last: u64| last + 1);
        let inner = Inner { lines, entries, known, next, written: 0, synced: 0 };
        Ok(Self { inner: Mutex::new(inner), disk: Mutex::new(None) })
    }

    /// All entries, oldest first.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.inner().entries.clone()
    }

    /// Records that something at a path will be replaced, with a copy of what is there.
    pub(crate) fn replace(&self, host: &dyn Host, path: &Path, leaves: State) -> io::Result<()> {
        let mut inner = self.inner();
        let was = match inner.known.get(path) {
            Some(known) if known.last() == Some(&leaves) => return Ok(()),
            Some(_) => None,
            None => Some(inner.copied(host, path)?),
        };
        inner.append(host, Entry::Path { path: path.to_owned(), was, leaves })
    }

    /// Records that something at a path will go, and says where to move it; nowhere if it is not what was there before us.
    pub(crate) fn set_aside(&self, host: &dyn Host, path: &Path) -> io::Result<Option<PathBuf>> {
        let mut inner = self.inner();
        let name = if let Some(known) = inner.known.get(path) {
            if known.last() != Some(&State::Absent) {
                inner
                    .append(host, Entry::Path { path: path.to_owned(), was: None, leaves: State::Absent })?;
            }
            inner.waiting_aside(host, path)?
        } else {
            let name = inner.name();
            let was = Was {
                state: State::Other,
                modified: None,
                owner: None,
                copy: None,
                aside: Some(name.clone()),
            };
            inner
                .append(host, Entry::Path { path: path.to_owned(), was: Some(was), leaves: State::Absent })?;
            Some(name)
        };
        Ok(name.map(|name| Path::new(home::LEDGER).join(name)))
    }

    /// Records anything else.
    pub(crate) fn record(&self, host: &dyn Host, entry: Entry) -> io::Result<()> {
        let mut inner = self.inner();
        if inner.entries.contains(&entry) {
            return Ok(());
        }
        inner.append(host, entry)
    }

    /// Makes what was recorded so far durable. Steps that record while one waits for the disk are served together by the
    /// next wait. Only the record itself is written out: all that a busy node has in its memory would take seconds.
    pub(crate) fn settle(&self, host: &dyn Host) -> io::Result<()> {
        let wanted = self.inner().written;
        let mut disk = self.disk.lock().unwrap_or_else(PoisonError::into_inner);
        let written = {
            let inner = self.inner();
            if inner.synced >= wanted {
                return Ok(());
            }
            inner.written
        };
        let file = match &mut *disk {
            Some(file) => file,
            none => none.insert(host.append(Path::new(home::ENTRIES), Attributes::root(0o600))?),
        };
        file.sync()?;
        self.inner().synced = written;
        Ok(())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// A name for what is kept.
    fn name(&mut self) -> String {
        let name = self.next.to_string();
        self.next += 1;
        name
    }

    /// The name that an earlier attempt meant to move a thing to and did not come to.
    fn waiting_aside(&self, host: &dyn Host, path: &Path) -> io::Result<Option<String>> {
        let name = self.entries.iter().find_map(|entry| match entry {
            Entry::Path { path: other, was: Some(was), .. } if other == path => was.aside.clone(),
            _ => None,
        });
        match name {
            Some(name) if host.entry(&Path::new(home::LEDGER).join(&name))?.is_none() => Ok(Some(name)),
            _ => Ok(None),
        }
    }

    /// What is at a path; of a file, a copy is kept.
    fn copied(&mut self, host: &dyn Host, path: &Path) -> io::Result<Was> {
        let there = look(host, path)?;
        let mut was = Was { state: there.state(), modified: None, owner: None, copy: None, aside: None };
        match there {
            There::File { modified, content, .. } => {
                let name = self.name();
                let copy = Path::new(home::LEDGER).join(&name);
                let mut file = host.create(&copy, Attributes::root(0o600))?;
                file.write_all(&content)?;
                file.sync()?;
                (was.modified, was.copy) = (Some(modified), Some(name));
            }
            There::Link { attributes, modified, .. } => {
                (was.modified, was.owner) = (Some(modified), Some(attributes));
            }
            There::Absent | There::Directory { .. } | There::Other => {}
        }
        Ok(was)
    }

    fn append(&mut self, host: &dyn Host, entry: Entry) -> io::Result<()> {
        self.lines.append(host, &entry)?;
        if let Entry::Path { path, leaves, .. } = &entry {
            self.known.entry(path.clone()).or_default().push(leaves.clone());
        }
        self.entries.push(entry);
        self.written += 1;
        Ok(())
    }
}
