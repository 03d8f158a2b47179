//! Everything below a directory, to be compared and to be put there.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Things by their paths on the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, Thing>);

/// Something at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Thing {
    pub(crate) what: What,
    /// A link has none.
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    /// When its content changed, in seconds and nanoseconds; a directory's changes with what is in it.
    pub(crate) modified: Option<(i64, i64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Directory,
    Link(PathBuf),
    File(Vec<u8>),
}

impl Thing {
    pub(crate) fn new(what: What, mode: u32, owner: (u32, u32)) -> Self {
        Self { what, mode, owner, modified: None }
    }

    /// The same at whatever time.
    pub(crate) fn timeless(&self) -> Self {
        Self { modified: None, ..self.clone() }
    }
}

impl Tree {
    /// What is below a directory.
    pub(crate) fn read(root: &Path) -> Self {
        let mut tree = Self::default();
        tree.walk(root, root);
        tree
    }

    fn walk(&mut self, root: &Path, directory: &Path) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let about = fs::symlink_metadata(&path).unwrap();
            let (what, modified) = if about.is_dir() {
                (What::Directory, None)
            } else {
                let time = Some((about.mtime(), about.mtime_nsec()));
                let what = if about.is_symlink() {
                    What::Link(fs::read_link(&path).unwrap())
                } else {
                    What::File(fs::read(&path).unwrap())
                };
                (what, time)
            };
            let mode = if about.is_symlink() { 0 } else { about.mode() & 0o7777 };
            let shown = format!("/{}", path.strip_prefix(root).unwrap().display());
            self.0.insert(shown, Thing { what, mode, owner: (about.uid(), about.gid()), modified });
            if about.is_dir() {
                self.walk(root, &path);
            }
        }
    }

    /// Puts all of it below a directory; files get an old time.
    pub(crate) fn write(&self, root: &Path) {
        let old = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
        for (path, thing) in &self.0 {
            let path = root.join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match &thing.what {
                What::Directory => fs::create_dir_all(&path).unwrap(),
                What::Link(target) => symlink(target, &path).unwrap(),
                What::File(content) => {
                    fs::write(&path, content).unwrap();
                    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
                }
            }
            lchown(&path, Some(thing.owner.0), Some(thing.owner.1)).unwrap();
            if !matches!(thing.what, What::Link(_)) {
                fs::set_permissions(&path, Permissions::from_mode(thing.mode)).unwrap();
            }
        }
    }

    /// What a test may compare across attempts: no logs, no record, no times, and instead of a generated key or
    /// certificate that there is one.
    pub(crate) fn lasting(&self) -> Self {
        let kept = self.0.iter().filter(|(path, _)| !is_log(path) && !is_record(path));
        let same = |(path, thing): (&String, &Thing)| {
            let mut thing = thing.timeless();
            if let (What::File(content), true) = (&mut thing.what, is_generated(path))
                && content.starts_with(b"-----BEGIN ")
                && content.ends_with(b"-----\n")
            {
                *content = b"generated".to_vec();
            }
            (path.clone(), thing)
        };
        Self(kept.map(same).collect())
    }

    /// All but the logs, which a reset leaves.
    pub(crate) fn without_logs(&self) -> Self {
        Self(self.0.iter().filter(|(path, _)| !is_log(path)).map(|(p, t)| (p.clone(), t.clone())).collect())
    }

    /// How another tree differs from this one, in a few lines; `None` if it does not.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let mut lines = Vec::new();
        for (path, thing) in &self.0 {
            match other.0.get(path) {
                None => lines.push(format!("{path} is missing")),
                Some(now) if now != thing => {
                    lines.push(format!("{path} is {} instead of {}", now.told(), thing.told()));
                }
                Some(_) => {}
            }
        }
        let more = other.0.iter().filter(|(path, _)| !self.0.contains_key(*path));
        lines.extend(more.map(|(path, thing)| format!("{path} should not be there: {}", thing.told())));
        lines.truncate(6);
        (!lines.is_empty()).then(|| lines.join("\n    "))
    }
}

impl Thing {
    pub(crate) fn told(&self) -> String {
        let what = match &self.what {
            What::Directory => "a directory".to_owned(),
            What::Link(target) => format!("a link to {}", target.display()),
            What::File(content) => {
                let text = String::from_utf8_lossy(content);
                format!("{} bytes {:?}", content.len(), text.chars().take(60).collect::<String>())
            }
        };
        format!("{what} {:04o} {:?} {:?}", self.mode, self.owner, self.modified)
    }
}

fn is_log(path: &str) -> bool {
    path.starts_with("/var/log/azure")
}

fn is_record(path: &str) -> bool {
    path.starts_with("/var/lib/slipway")
}

/// The key and the certificate that every attempt on a new machine makes for itself.
pub(crate) fn is_generated(path: &str) -> bool {
    path.starts_with("/etc/kubernetes/certs/kubeletserver.")
}
