//! Where the lab keeps things: outside the source tree, below the user's cache.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::error::At as _;

/// The lab's directory in the user's cache.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// The name of a lab: short, and fit for a path, a control group and a host name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabName(String);

impl Store {
    /// The user's own store, made if it is not there.
    pub fn open() -> Result<Self, Error> {
        let caches = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| std::env::home_dir().map(|home| home.join(".cache")))
            .ok_or_else(|| {
                Error::refused("there is no place for what the lab builds", "set HOME or XDG_CACHE_HOME")
            })?;
        let root = caches.join("slipway/lab");
        fs::create_dir_all(&root).at("make", &root)?;
        Ok(Self { root })
    }

    /// Where built programs are.
    pub fn programs(&self) -> PathBuf {
        self.root.join("programs")
    }

    /// Where the machines' images are.
    pub fn images(&self) -> PathBuf {
        self.root.join("images")
    }

    /// Where packages are kept between image builds.
    pub fn packages(&self) -> PathBuf {
        self.root.join("packages")
    }

    /// Where labs have their files.
    pub fn labs(&self) -> PathBuf {
        self.root.join("labs")
    }

    /// Every directory that a machine of some lab is a clone of.
    fn used(&self) -> BTreeSet<PathBuf> {
        let below = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|it| it.path());
        let machines = below(self.labs()).flat_map(|lab| below(lab.join("machines")));
        let lists = machines.filter_map(|machine| fs::read_to_string(machine.join("image")).ok());
        lists.flat_map(|list| list.split(':').map(PathBuf::from).collect::<Vec<_>>()).collect()
    }

    /// The right to start or end a lab, which one process has at a time, for as long as it holds this.
    pub(crate) fn turn(&self) -> Result<File, Error> {
        let labs = self.labs();
        fs::create_dir_all(&labs).at("make", &labs)?;
        let path = labs.join("turn");
        let turn = File::create(&path).at("make", &path)?;
        turn.lock().at("lock", &path)?;
        Ok(turn)
    }

    /// Where one lab has its files.
    pub fn lab(&self, name: &LabName) -> PathBuf {
        self.labs().join(&name.0)
    }
}

impl FromStr for LabName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if text.is_empty() || text.len() > 32 || !text.chars().all(fits) || text.starts_with('-') {
            return Err("a lab's name has 1 to 32 of a-z, 0-9 and -, and does not begin with -".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for LabName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A short digest that stands for these contents in the name of what is made from them.
pub(crate) fn digest<'a>(contents: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for content in contents {
        hash.update((content.len() as u64).to_be_bytes());
        hash.update(content);
    }
    hash.finalize().iter().take(6).fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
}

/// Makes a directory whole or not at all: it is filled under another name and renamed. Whoever else wants it waits.
pub(crate) fn kept(
    directory: &Path,
    fill: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<PathBuf, Error> {
    if !directory.exists() {
        make(directory, fill)?;
    }
    // When it was last used is what tells an old edition.
    let now = SystemTime::now();
    File::open(directory).and_then(|it| it.set_modified(now)).at("set the time of", directory)?;
    Ok(directory.to_owned())
}

fn make(directory: &Path, fill: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent).at("make", parent)?;
    }
    let beside = |end: &str| {
        let mut name = directory.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let (lock, unfinished) = (beside(".lock"), beside(".unfinished"));
    let holding = File::create(&lock).at("make", &lock)?;
    holding.lock().at("lock", &lock)?;
    if !directory.exists() {
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).at("remove", &unfinished)?;
        }
        fs::create_dir_all(&unfinished).at("make", &unfinished)?;
        fill(&unfinished)?;
        fs::rename(&unfinished, directory).at("rename to", directory)?;
    }
    // Who waits for this file, and who makes a new one, finds the directory.
    let _ = fs::remove_file(&lock);
    Ok(())
}

/// Removes images of a kind that nobody uses any more: none of these, of no machine, and of nobody lately, since
/// other copies of the source have editions of their own.
pub(crate) fn discard(store: &Store, kind: &str, current: &[String]) -> Result<(), Error> {
    discard_unused_for(Duration::from_hours(24), store, kind, current)
}

fn discard_unused_for(lately: Duration, store: &Store, kind: &str, current: &[String]) -> Result<(), Error> {
    let used = store.used();
    // Not when it was modified, which is copied with the directory.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let before = now.saturating_sub(lately).as_secs().cast_signed();
    for entry in fs::read_dir(store.images()).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let old = entry.metadata().is_ok_and(|it| it.ctime() < before);
        if name.starts_with(kind) && old && !current.contains(&name) && !used.contains(&path) {
            // An edition that could not be made has left its lock.
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.at("remove", &path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labs_name_is_fit_for_a_path_and_a_host_name() {
        for name in ["lab", "a", "join-2"] {
            assert_eq!(name.parse::<LabName>().unwrap().to_string(), name);
        }
        for name in ["", "-a", "a/b", "Lab", "..", "a.b", &"a".repeat(33)] {
            assert!(name.parse::<LabName>().is_err(), "{name}");
        }
    }

    #[test]
    fn old_editions_go_unless_a_machine_is_a_clone_of_them() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store { root: directory.path().to_owned() };
        for name in ["aks-1", "aks-2", "aks-3", "plain-1"] {
            fs::create_dir_all(store.images().join(name)).unwrap();
        }
        fs::write(store.images().join("aks-0.lock"), "").unwrap();
        let machine = store.labs().join("lab/machines/n1");
        fs::create_dir_all(&machine).unwrap();
        fs::write(machine.join("image"), format!("/x:{}", store.images().join("aks-2").display())).unwrap();
        let left = || {
            let mut left: Vec<_> =
                fs::read_dir(store.images()).unwrap().map(|it| it.unwrap().file_name()).collect();
            left.sort();
            left
        };
        let current = ["aks-3".to_owned()];
        discard(&store, "aks-", &current).unwrap();
        assert_eq!(left(), ["aks-0.lock", "aks-1", "aks-2", "aks-3", "plain-1"], "all of them are new");
        std::thread::sleep(Duration::from_millis(1100));
        discard_unused_for(Duration::ZERO, &store, "aks-", &current).unwrap();
        assert_eq!(left(), ["aks-2", "aks-3", "plain-1"]);
    }

    #[test]
    fn contents_that_join_to_the_same_bytes_have_different_digests() {
        assert_ne!(digest([&b"ab"[..], b"c"]), digest([&b"a"[..], b"bc"]));
    }

    #[test]
    fn what_several_want_at_once_is_made_once_and_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let wanted = scratch.path().join("below/wanted");
        let fill = |directory: &Path| {
            fs::create_dir(directory.join("first")).at("make", directory)?;
            std::thread::sleep(std::time::Duration::from_millis(20));
            fs::create_dir(directory.join("last")).at("make", directory)
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert!(kept(&wanted, fill).unwrap().join("last").exists()));
            }
        });
        let left = fs::read_dir(wanted.parent().unwrap()).unwrap();
        assert_eq!(left.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>(), ["wanted"]);
    }
}
