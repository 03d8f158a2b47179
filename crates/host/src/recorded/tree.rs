//! Files in memory that behave as the kernel's do.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use slipway_model::Attributes;

use crate::host::{Entry, EntryKind, Modified};

/// The kernel follows this many links on a way and no more.
const LINKS: usize = 40;

pub(super) type Outcome<T> = Result<T, Errno>;

/// A tree of files with its own clock, which goes on by a second with every change.
#[derive(Debug)]
pub(super) struct Tree {
    root: Node,
    clock: Clock,
}

/// Seconds that pass only when something happens, so that every run has the same times.
#[derive(Debug, Clone, Default)]
struct Clock(Arc<AtomicI64>);

impl Clock {
    fn tick(&self) -> Modified {
        Modified { seconds: self.0.fetch_add(1, Ordering::Relaxed) + 1, nanoseconds: 0 }
    }
}

#[derive(Debug)]
struct Node {
    attributes: Attributes,
    modified: Modified,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(Open),
    Directory(BTreeMap<OsString, Node>),
    Link(PathBuf),
}

/// A file's bytes, which those who write them share with the tree.
#[derive(Debug, Clone)]
pub(super) struct Open {
    bytes: Arc<Mutex<(Vec<u8>, Modified)>>,
    clock: Clock,
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, (Vec<u8>, Modified)> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self, bytes: &[u8]) {
        let mut file = self.lock();
        file.0.extend_from_slice(bytes);
        file.1 = self.clock.tick();
    }
}

impl Default for Tree {
    fn default() -> Self {
        let clock = Clock::default();
        let modified = clock.tick();
        let content = Content::Directory(BTreeMap::new());
        Self { root: Node { attributes: Attributes::root(0o755), modified, content }, clock }
    }
}

impl Tree {
    pub(super) fn entry(&self, path: &Path) -> Outcome<Option<Entry>> {
        let found = match parts(path)? {
            None => Ok(&self.root),
            Some((above, name)) => {
                self.directory(above).and_then(|names| names.get(name).ok_or(Errno::NOENT))
            }
        };
        match found {
            Ok(node) => Ok(Some(node.entry())),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn read(&self, path: &Path) -> Outcome<Vec<u8>> {
        match &self.at(&self.resolve(path)?)?.content {
            Content::File(file) => Ok(file.lock().0.clone()),
            Content::Directory(_) => Err(Errno::ISDIR),
            Content::Link(_) => Err(Errno::LOOP),
        }
    }

    pub(super) fn read_link(&self, path: &Path) -> Outcome<PathBuf> {
        match &self.node(path)?.content {
            Content::Link(target) => Ok(target.clone()),
            _ => Err(Errno::INVAL),
        }
    }

    pub(super) fn list(&self, path: &Path) -> Outcome<Vec<OsString>> {
        Ok(self.directory(path)?.keys().cloned().collect())
    }

    pub(super) fn create(&mut self, path: &Path, attributes: Attributes) -> Outcome<Open> {
        let clock = self.clock.clone();
        let open = Open { bytes: Arc::new(Mutex::new((Vec::new(), clock.tick()))), clock };
        self.add(path, attributes, Content::File(open.clone()))?;
        Ok(open)
    }

    pub(super) fn append(&mut self, path: &Path, attributes: Attributes) -> Outcome<Open> {
        match self.node(path).map(|node| &node.content) {
            Ok(Content::File(file)) => Ok(file.clone()),
            Ok(Content::Directory(_)) => Err(Errno::ISDIR),
            Ok(Content::Link(_)) => Err(Errno::LOOP),
            Err(Errno::NOENT) => self.create(path, attributes),
            Err(error) => Err(error),
        }
    }

    pub(super) fn make_directory(&mut self, path: &Path, attributes: Attributes) -> Outcome<()> {
        self.add(path, attributes, Content::Directory(BTreeMap::new()))
    }

    pub(super) fn make_link(&mut self, path: &Path, target: &Path) -> Outcome<()> {
        self.add(path, Attributes::root(0o777), Content::Link(target.to_owned()))
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> Outcome<()> {
        let (source, target) = (self.canonical(from)?, self.canonical(to)?);
        let moved_is_directory = matches!(self.at(&source)?.content, Content::Directory(_));
        if target.starts_with(&source) {
            return if target == source { Ok(()) } else { Err(Errno::INVAL) };
        }
        if source.starts_with(&target) {
            return Err(Errno::NOTEMPTY);
        }
        match self.at(&target).map(|node| &node.content) {
            Ok(Content::Directory(_)) if !moved_is_directory => return Err(Errno::ISDIR),
            Ok(Content::Directory(names)) if !names.is_empty() => return Err(Errno::NOTEMPTY),
            Ok(Content::File(_) | Content::Link(_)) if moved_is_directory => return Err(Errno::NOTDIR),
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
        let moved = self.take(&source)?;
        self.put(&target, moved)
    }

    pub(super) fn remove(&mut self, path: &Path) -> Outcome<()> {
        let place = self.canonical(path)?;
        match self.at(&place)?.content {
            Content::Directory(_) => Err(Errno::ISDIR),
            _ => self.take(&place).map(drop),
        }
    }

    pub(super) fn remove_directory(&mut self, path: &Path) -> Outcome<()> {
        let place = self.canonical(path)?;
        match &self.at(&place)?.content {
            Content::Directory(names) if names.is_empty() => self.take(&place).map(drop),
            Content::Directory(_) => Err(Errno::NOTEMPTY),
            _ => Err(Errno::NOTDIR),
        }
    }

    pub(super) fn set_attributes(&mut self, path: &Path, attributes: Attributes) -> Outcome<()> {
        let place = self.canonical(path)?;
        let node = self.at_mut(&place)?;
        let is_link = matches!(node.content, Content::Link(_));
        node.attributes = Attributes { mode: if is_link { 0o777 } else { attributes.mode }, ..attributes };
        Ok(())
    }

    pub(super) fn set_modified(&mut self, path: &Path, modified: Modified) -> Outcome<()> {
        let place = self.canonical(path)?;
        let node = self.at_mut(&place)?;
        node.modified = modified;
        if let Content::File(file) = &node.content {
            file.lock().1 = modified;
        }
        Ok(())
    }

    /// Where a path really is, links followed all the way: the names from the root.
    fn resolve(&self, path: &Path) -> Outcome<Vec<OsString>> {
        let mut ahead: Vec<OsString> = names(path).rev().collect();
        let mut way = Vec::new();
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            let Content::Directory(here) = &self.at(&way)?.content else { return Err(Errno::NOTDIR) };
            if name == ".." {
                way.pop();
                continue;
            }
            if let Content::Link(target) = &here.get(&name).ok_or(Errno::NOENT)?.content {
                links += 1;
                if links > LINKS {
                    return Err(Errno::LOOP);
                }
                if target.is_absolute() {
                    way.clear();
                }
                ahead.extend(names(target).rev());
            } else {
                way.push(name);
            }
        }
        Ok(way)
    }

    /// Where a path is, a link at its end not followed.
    fn canonical(&self, path: &Path) -> Outcome<Vec<OsString>> {
        let (above, name) = parts(path)?.ok_or(Errno::INVAL)?;
        let mut way = self.resolve(above)?;
        match self.at(&way)?.content {
            Content::Directory(_) => way.push(name.to_owned()),
            _ => return Err(Errno::NOTDIR),
        }
        Ok(way)
    }

    fn node(&self, path: &Path) -> Outcome<&Node> {
        self.at(&self.canonical(path)?)
    }

    fn directory(&self, path: &Path) -> Outcome<&BTreeMap<OsString, Node>> {
        match &self.at(&self.resolve(path)?)?.content {
            Content::Directory(names) => Ok(names),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn at(&self, way: &[OsString]) -> Outcome<&Node> {
        way.iter().try_fold(&self.root, |node, name| match &node.content {
            Content::Directory(names) => names.get(name).ok_or(Errno::NOENT),
            _ => Err(Errno::NOTDIR),
        })
    }

    fn at_mut(&mut self, way: &[OsString]) -> Outcome<&mut Node> {
        way.iter().try_fold(&mut self.root, |node, name| match &mut node.content {
            Content::Directory(names) => names.get_mut(name).ok_or(Errno::NOENT),
            _ => Err(Errno::NOTDIR),
        })
    }

    fn add(&mut self, path: &Path, attributes: Attributes, content: Content) -> Outcome<()> {
        let place = self.canonical(path)?;
        if self.at(&place).is_ok() {
            return Err(Errno::EXIST);
        }
        let modified = self.clock.tick();
        self.put(&place, Node { attributes, modified, content })
    }

    fn put(&mut self, place: &[OsString], node: Node) -> Outcome<()> {
        self.change(place, |names, name| {
            names.insert(name, node);
        })
    }

    fn take(&mut self, place: &[OsString]) -> Outcome<Node> {
        self.change(place, |names, name| names.remove(&name))?.ok_or(Errno::NOENT)
    }

    /// Changes what a directory holds, which changes its time.
    fn change<T>(
        &mut self,
        place: &[OsString],
        change: impl FnOnce(&mut BTreeMap<OsString, Node>, OsString) -> T,
    ) -> Outcome<T> {
        let modified = self.clock.tick();
        let (name, above) = place.split_last().ok_or(Errno::INVAL)?;
        let directory = self.at_mut(above)?;
        directory.modified = modified;
        match &mut directory.content {
            Content::Directory(names) => Ok(change(names, name.clone())),
            _ => Err(Errno::NOTDIR),
        }
    }
}

impl Node {
    fn entry(&self) -> Entry {
        let (kind, size, modified) = match &self.content {
            Content::File(file) => {
                let (bytes, modified) = &*file.lock();
                (EntryKind::File, bytes.len(), *modified)
            }
            Content::Directory(_) => (EntryKind::Directory, 0, self.modified),
            Content::Link(target) => (EntryKind::Link, target.as_os_str().len(), self.modified),
        };
        Entry { kind, attributes: self.attributes, size: size as u64, modified }
    }
}

/// The directory of a path and its last name; `None` for the root.
fn parts(path: &Path) -> Outcome<Option<(&Path, &OsStr)>> {
    match (path.parent(), path.file_name()) {
        _ if !path.is_absolute() => Err(Errno::INVAL),
        (Some(above), Some(name)) => Ok(Some((above, name))),
        (None, _) => Ok(None),
        (Some(_), None) => Err(Errno::INVAL),
    }
}

fn names(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    })
}
