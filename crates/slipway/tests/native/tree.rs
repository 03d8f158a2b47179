//! Everything below a root, and what a run changed of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Something at a path: all that a test can tell apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whose it is; the owner of the root counts as root.
    owner: String,
    mode: u32,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    Link(String),
    File(String),
}

impl Entry {
    /// Whether nobody but root can read it.
    pub(crate) fn is_roots_alone(&self) -> bool {
        self.mode == 0o600 && self.owner == "root"
    }
}

/// What is at each path.
pub(crate) type Tree = BTreeMap<String, Entry>;

/// What Slipway keeps for itself, and what agents collect: other tests look inside. The numbers in their names differ from
/// run to run.
const SUMMARISED: [&str; 2] = ["/var/lib/slipway/", "/var/log/"];
/// What was there before, in the order in which steps came to it: that differs too.
const BEFORE_IMAGES: &str = "/var/lib/slipway/ledger";

/// Everything below a root.
pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let owner = std::fs::metadata(root).unwrap();
    walk(root, root, (owner.uid(), owner.gid()), &mut tree);
    tree
}

fn walk(root: &Path, directory: &Path, own: (u32, u32), tree: &mut Tree) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let mut shown = format!("/{}", path.strip_prefix(root).unwrap().display());
        let is_summarised = SUMMARISED.iter().any(|above| shown.starts_with(above));
        let about = std::fs::symlink_metadata(&path).unwrap();
        let kind = if about.is_symlink() {
            Kind::Link(std::fs::read_link(&path).unwrap().display().to_string())
        } else if about.is_dir() {
            if shown != BEFORE_IMAGES {
                walk(root, &path, own, tree);
            }
            Kind::Directory
        } else if is_summarised {
            shown = without_numbers(&shown);
            Kind::File("(not shown)".to_owned())
        } else {
            Kind::File(String::from_utf8(std::fs::read(&path).unwrap()).unwrap())
        };
        let owner = if (about.uid(), about.gid()) == own {
            "root".to_owned()
        } else {
            format!("{}:{}", about.uid(), about.gid())
        };
        tree.insert(shown, Entry { owner, mode: about.permissions().mode() & 0o7777, kind });
    }
}

fn without_numbers(path: &str) -> String {
    let mut out = String::new();
    for character in path.chars() {
        match character {
            '0'..='9' if out.ends_with('N') => {}
            '0'..='9' => out.push('N'),
            other => out.push(other),
        }
    }
    out
}

/// What is new or different after a run. Directories that only hold what is new do not count.
pub(crate) fn changed<'t>(before: &Tree, after: &'t Tree) -> Vec<(&'t str, &'t Entry)> {
    let holds_more = |path: &str| {
        let below = format!("{path}/");
        after.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
    };
    after
        .iter()
        .filter(|(path, entry)| before.get(*path) != Some(entry))
        .filter(|(path, entry)| {
            entry.kind != Kind::Directory || entry.mode != 0o755 || entry.owner != "root" || !holds_more(path)
        })
        .map(|(path, entry)| (path.as_str(), entry))
        .collect()
}

/// What is gone after a run.
pub(crate) fn gone<'t>(before: &'t Tree, after: &Tree) -> Vec<&'t str> {
    before.keys().filter(|path| !after.contains_key(*path)).map(String::as_str).collect()
}

/// One path of a snapshot: what is there, where it comes from, and the text, indented.
pub(crate) fn paragraph(path: &str, entry: &Entry, citation: &str, shown: impl Fn(&str) -> String) -> String {
    let kind = match &entry.kind {
        Kind::Directory => "directory".to_owned(),
        Kind::Link(target) => format!("-> {target}"),
        Kind::File(_) => "file".to_owned(),
    };
    let mut out = match &entry.kind {
        Kind::Link(_) => format!("{path} {kind}  [{citation}]\n"),
        _ => format!("{path} {kind} {:04o} {}  [{citation}]\n", entry.mode, entry.owner),
    };
    if let Kind::File(text) = &entry.kind {
        for line in shown(text).lines() {
            writeln!(out, "{}", format!("    {line}").trim_end()).unwrap();
        }
    }
    out
}
