//! Files below an opened root, which no path and no link leads out of.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Gid, Mode, OFlags, ResolveFlags, Stat, Timespec, Timestamps, UTIME_OMIT, Uid,
    chownat, fchmod, fchown, fstat, mkdirat, open, openat, openat2, readlinkat, renameat, statat, symlinkat,
    unlinkat, utimensat,
};
use rustix::io::Errno;

use super::written::Written;
use crate::host::{Entry, EntryKind, Modified, Writer};
use slipway_model::Attributes;

/// The kernel asks to try again when something was renamed while it walked over `..`.
const ATTEMPTS: usize = 64;

/// Absolute links count from the root, and nothing leads to the files that a process happens to have open.
const INSIDE: ResolveFlags = ResolveFlags::IN_ROOT.union(ResolveFlags::NO_MAGICLINKS);

/// A directory that is `/` to everything in it.
#[derive(Debug)]
pub(super) struct Tree {
    root: OwnedFd,
    written: Written,
}

/// The directory of a path, opened, and the name in it.
struct Place<'a> {
    directory: OwnedFd,
    name: &'a OsStr,
}

impl Tree {
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { root: open(root, flags, Mode::empty())?, written: Written::default() })
    }

    pub(super) fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        let found = match self.place(path) {
            Ok(Some(place)) => statat(&place.directory, place.name, AtFlags::SYMLINK_NOFOLLOW),
            Ok(None) => fstat(&self.root),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match found {
            Ok(found) => Ok(Some(entry(&found))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // A pipe that nobody writes to has an end at once instead of never.
        let file = File::from(self.resolve(path, OFlags::RDONLY | OFlags::NONBLOCK)?);
        let mut content = Vec::new();
        (&file).read_to_end(&mut content)?;
        Ok(content)
    }

    pub(super) fn read_part(&self, path: &Path, from: u64, length: usize) -> io::Result<Vec<u8>> {
        let file = File::from(self.resolve(path, OFlags::RDONLY | OFlags::NONBLOCK)?);
        let mut content = vec![0; length];
        let mut filled = 0;
        while filled < length {
            match file.read_at(&mut content[filled..], from.saturating_add(filled as u64)) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        content.truncate(filled);
        Ok(content)
    }

    pub(super) fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let place = self.named(path)?;
        let target = readlinkat(&place.directory, place.name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    pub(super) fn list(&self, directory: &Path) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for item in Dir::new(self.resolve(directory, OFlags::RDONLY | OFlags::DIRECTORY)?)? {
            let item = item?;
            let name = item.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    pub(super) fn create(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        let place = self.changing(path)?;
        Ok(Box::new(place.create(OFlags::empty(), attributes)?))
    }

    pub(super) fn append(&self, path: &Path, attributes: Attributes) -> io::Result<Box<dyn Writer>> {
        let place = self.changing(path)?;
        for _ in 0..ATTEMPTS {
            match place.open(OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => return Ok(Box::new(File::from(other?))),
            }
            match place.create(OFlags::APPEND, attributes) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return Ok(Box::new(other?)),
            }
        }
        Err(Errno::AGAIN.into())
    }

    pub(super) fn make_directory(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        let place = self.changing(path)?;
        // With its mode from the start as far as the umask lets it: whoever is killed after this leaves no directory
        // that is closed to others and looks finished.
        mkdirat(&place.directory, place.name, Mode::from_raw_mode(attributes.mode & 0o777) | Mode::RWXU)?;
        let made = place.open(OFlags::RDONLY | OFlags::DIRECTORY).and_then(|made| give(&made, attributes));
        if made.is_err() {
            // The error that matters is the first one.
            let _ = unlinkat(&place.directory, place.name, AtFlags::REMOVEDIR);
        }
        made
    }

    pub(super) fn make_link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let place = self.changing(path)?;
        Ok(symlinkat(target, &place.directory, place.name)?)
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.changing(from)?, self.changing(to)?);
        Ok(renameat(&from.directory, from.name, &to.directory, to.name)?)
    }

    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        let place = self.changing(path)?;
        Ok(unlinkat(&place.directory, place.name, AtFlags::empty())?)
    }

    pub(super) fn remove_directory(&self, path: &Path) -> io::Result<()> {
        let place = self.changing(path)?;
        Ok(unlinkat(&place.directory, place.name, AtFlags::REMOVEDIR)?)
    }

    pub(super) fn set_attributes(&self, path: &Path, attributes: Attributes) -> io::Result<()> {
        let place = self.changing(path)?;
        match place.open(OFlags::RDONLY | OFlags::NONBLOCK) {
            // A link has an owner, and no mode of its own.
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                let (uid, gid) = owner(attributes);
                Ok(chownat(&place.directory, place.name, uid, gid, AtFlags::SYMLINK_NOFOLLOW)?)
            }
            opened => give(&opened?, attributes),
        }
    }

    pub(super) fn set_modified(&self, path: &Path, modified: Modified) -> io::Result<()> {
        let place = self.changing(path)?;
        let times = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: modified.seconds, tv_nsec: modified.nanoseconds.into() },
        };
        Ok(utimensat(&place.directory, place.name, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.written.sync()
    }

    /// Opens what a path leads to, links followed.
    pub(super) fn resolve(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let inside = inside(path)?;
        for _ in 0..ATTEMPTS {
            match openat2(&self.root, inside, flags | OFlags::CLOEXEC, Mode::empty(), INSIDE) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::NOSYS) => {
                    let reason = "this kernel has no openat2: Slipway needs Linux 5.8 or later";
                    return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
                }
                other => return Ok(other?),
            }
        }
        Err(Errno::AGAIN.into())
    }

    /// Where a path is; `None` for the root itself.
    fn place<'a>(&self, path: &'a Path) -> io::Result<Option<Place<'a>>> {
        let Some(name) = path.file_name() else {
            return if inside(path)? == Path::new(".") { Ok(None) } else { Err(Errno::INVAL.into()) };
        };
        let above = path.parent().unwrap_or(Path::new("/"));
        let directory = self.resolve(above, OFlags::PATH | OFlags::DIRECTORY)?;
        Ok(Some(Place { directory, name }))
    }

    /// Where a path is that is not the root.
    fn named<'a>(&self, path: &'a Path) -> io::Result<Place<'a>> {
        self.place(path)?.ok_or_else(|| Errno::INVAL.into())
    }

    /// The same, for a change that [`Tree::sync`] is to make durable.
    fn changing<'a>(&self, path: &'a Path) -> io::Result<Place<'a>> {
        let place = self.named(path)?;
        self.written.note(&place.directory)?;
        Ok(place)
    }
}

impl Place<'_> {
    /// Opens what has the name, which may not be a link.
    fn open(&self, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.directory, self.name, flags, Mode::empty())?)
    }

    fn create(&self, flags: OFlags, attributes: Attributes) -> io::Result<File> {
        let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.directory, self.name, new | flags, Mode::RUSR | Mode::WUSR)?;
        if let Err(error) = give(&file, attributes) {
            // The error that matters is the first one.
            let _ = unlinkat(&self.directory, self.name, AtFlags::empty());
            return Err(error);
        }
        Ok(file.into())
    }
}

impl Writer for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::Write::write(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A path as seen from the root.
fn inside(path: &Path) -> io::Result<&Path> {
    let relative = path.strip_prefix("/").map_err(|_| {
        let reason = format!("{} is not an absolute path", path.display());
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    })?;
    Ok(if relative.as_os_str().is_empty() { Path::new(".") } else { relative })
}

fn entry(found: &Stat) -> Entry {
    let kind = match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    };
    Entry {
        kind,
        attributes: Attributes { mode: found.st_mode & 0o7777, uid: found.st_uid, gid: found.st_gid },
        size: u64::try_from(found.st_size).unwrap_or_default(),
        modified: Modified {
            seconds: found.st_mtime,
            nanoseconds: u32::try_from(found.st_mtime_nsec).unwrap_or_default(),
        },
    }
}

fn owner(attributes: Attributes) -> (Option<Uid>, Option<Gid>) {
    (Some(Uid::from_raw(attributes.uid)), Some(Gid::from_raw(attributes.gid)))
}

/// Gives an open file its owner, then its mode: a change of owner takes the set-user bits away.
fn give(file: &impl AsFd, attributes: Attributes) -> io::Result<()> {
    let found = fstat(file)?;
    if (found.st_uid, found.st_gid) != (attributes.uid, attributes.gid) {
        let (uid, gid) = owner(attributes);
        fchown(file, uid, gid)?;
    }
    Ok(fchmod(file, Mode::from_raw_mode(attributes.mode))?)
}
