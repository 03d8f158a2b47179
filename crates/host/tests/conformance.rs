//! The machine in memory does what the kernel does: the same operations, the same outcomes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Debug;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host, Machine, Modified, Recorded};
use slipway_model::Attributes;

/// A host on which every outcome is written down.
struct Trial<'a> {
    host: &'a dyn Host,
    outcomes: Vec<String>,
}

impl Trial<'_> {
    fn note<T: Debug>(&mut self, operation: &str, outcome: io::Result<T>) {
        let outcome = match outcome {
            Ok(value) => format!("{value:?}"),
            Err(error) => format!("{:?} {:?}", error.kind(), error.raw_os_error()),
        };
        self.outcomes.push(format!("{operation}: {outcome}"));
    }

    fn write(&mut self, path: &str, content: &str) {
        let written = self.host.create(Path::new(path), ours(0o640)).and_then(|mut writer| {
            writer.write_all(content.as_bytes())?;
            writer.sync()
        });
        self.note(&format!("write {path}"), written);
    }

    fn append(&mut self, path: &str, content: &str) {
        let written = self
            .host
            .append(Path::new(path), ours(0o600))
            .and_then(|mut writer| writer.write_all(content.as_bytes()));
        self.note(&format!("append {path}"), written);
    }

    fn directory(&mut self, path: &str) {
        self.note(&format!("directory {path}"), self.host.make_directory(Path::new(path), ours(0o750)));
    }

    fn link(&mut self, path: &str, target: &str) {
        self.note(&format!("link {path} {target}"), self.host.make_link(Path::new(path), Path::new(target)));
    }

    fn rename(&mut self, from: &str, to: &str) {
        self.note(&format!("rename {from} {to}"), self.host.rename(Path::new(from), Path::new(to)));
    }

    fn remove(&mut self, path: &str) {
        self.note(&format!("remove {path}"), self.host.remove(Path::new(path)));
    }

    fn remove_directory(&mut self, path: &str) {
        self.note(&format!("remove directory {path}"), self.host.remove_directory(Path::new(path)));
    }

    fn modes(&mut self, path: &str, mode: u32) {
        self.note(&format!("mode {path}"), self.host.set_attributes(Path::new(path), ours(mode)));
    }

    fn times(&mut self, path: &str) {
        let modified = Modified { seconds: 1_700_000_000, nanoseconds: 123 };
        self.note(&format!("times {path}"), self.host.set_modified(Path::new(path), modified));
        let seen = self.host.entry(Path::new(path)).map(|entry| entry.map(|entry| entry.modified));
        self.note(&format!("times of {path}"), seen);
    }

    /// Everything that can be asked about a path.
    fn look(&mut self, path: &str) {
        let at = Path::new(path);
        // A directory's size is the file system's own affair, as are who owns a link or the root.
        let entry = self.host.entry(at).map(|entry| {
            entry.map(|entry| {
                let size = if entry.kind == EntryKind::Directory { 0 } else { entry.size };
                let owned = entry.kind != EntryKind::Link && path != "/";
                (entry.kind, owned.then_some(entry.attributes), size)
            })
        });
        self.note(&format!("entry {path}"), entry);
        self.note(&format!("read {path}"), self.host.read(at));
        for (from, length) in [(2, 3), (4, 1000), (1000, 1)] {
            self.note(&format!("read part of {path}"), self.host.read_part(at, from, length));
        }
        self.note(&format!("read link {path}"), self.host.read_link(at));
        self.note(&format!("list {path}"), self.host.list(at));
    }
}

/// Who owns what the tests make: whoever runs them.
fn ours(mode: u32) -> Attributes {
    let own = fs::metadata("/proc/self").unwrap();
    Attributes { mode, uid: own.uid(), gid: own.gid() }
}

/// Runs a script on both, and compares.
fn same_on_both(name: &str, script: fn(&mut Trial<'_>)) {
    let area: PathBuf =
        std::env::temp_dir().join(format!("slipway-conformance-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&area);
    fs::create_dir_all(&area).unwrap();
    let machine = Machine::below(&area).unwrap();
    let recorded = Recorded::below();
    let [real, memory] = [&machine as &dyn Host, &recorded].map(|host| {
        let mut trial = Trial { host, outcomes: Vec::new() };
        script(&mut trial);
        trial.outcomes
    });
    fs::remove_dir_all(&area).unwrap();
    assert_eq!(real, memory);
    assert!(!real.is_empty());
}

#[test]
fn files_are_made_read_and_removed() {
    same_on_both("files", |trial| {
        trial.write("/file", "content");
        trial.look("/file");
        trial.write("/file", "again");
        trial.write("/missing/file", "x");
        trial.write("/file/below", "x");
        trial.look("/missing/file");
        trial.look("/file/below");
        trial.look("/missing");
        trial.modes("/file", 0o4755);
        trial.modes("/missing", 0o600);
        trial.times("/file");
        trial.times("/missing");
        trial.look("/file");
        trial.remove("/file");
        trial.remove("/file");
        trial.look("/file");
    });
}

#[test]
fn files_grow_at_their_end() {
    same_on_both("append", |trial| {
        trial.append("/log", "one\n");
        trial.append("/log", "two\n");
        trial.look("/log");
        trial.directory("/directory");
        trial.append("/directory", "x");
        trial.link("/link", "/log");
        trial.append("/link", "x");
        trial.append("/missing/log", "x");
        trial.append("/log/below", "x");
        trial.look("/log");
    });
}

#[test]
fn directories_are_made_listed_and_removed() {
    same_on_both("directories", |trial| {
        trial.directory("/a");
        trial.directory("/a");
        trial.directory("/b/c");
        trial.directory("/a/z");
        trial.write("/a/y", "");
        trial.directory("/a/y/x");
        trial.look("/a");
        trial.look("/");
        trial.remove("/a");
        trial.remove_directory("/a");
        trial.remove_directory("/a/y");
        trial.remove_directory("/missing");
        trial.remove_directory("/a/z");
        trial.remove("/a/y");
        trial.modes("/a", 0o1777);
        trial.times("/a");
        trial.look("/a");
        trial.remove_directory("/a");
        trial.look("/a");
        trial.remove("/");
        trial.directory("/");
        trial.remove("/..");
    });
}

#[test]
fn links_lead_where_they_point_inside() {
    same_on_both("links", |trial| {
        trial.directory("/etc");
        trial.write("/etc/file", "content");
        trial.link("/absolute", "/etc");
        trial.link("/etc/up", "../etc/file");
        trial.link("/out", "../../../etc");
        trial.link("/dangling", "/nowhere");
        trial.link("/self", "self");
        trial.link("/one", "two");
        trial.link("/two", "one");
        trial.link("/etc", "/x");
        for path in [
            "/absolute",
            "/absolute/file",
            "/etc/up",
            "/out/file",
            "/dangling",
            "/dangling/x",
            "/self",
            "/self/x",
            "/one/x",
            "/absolute/../etc/file",
            "/etc/file/..",
            "/etc/../../etc/up",
            "/etc/up/x",
        ] {
            trial.look(path);
        }
        trial.write("/dangling", "x");
        trial.write("/dangling/x", "x");
        trial.write("/out/new", "through a link");
        trial.write("/one/x", "x");
        trial.directory("/absolute");
        trial.directory("/absolute/sub");
        trial.modes("/absolute", 0o600);
        trial.times("/dangling");
        trial.look("/absolute");
        trial.look("/etc");
        trial.remove_directory("/absolute");
        trial.remove("/absolute");
        trial.look("/etc/new");
    });
}

#[test]
fn names_change_in_one_instant() {
    same_on_both("rename", |trial| {
        trial.write("/a", "a");
        trial.write("/b", "b");
        trial.rename("/a", "/b");
        trial.look("/a");
        trial.look("/b");
        trial.rename("/missing", "/b");
        trial.rename("/b", "/missing/b");
        trial.rename("/b", "/b");
        trial.rename("/b/x", "/c");
        trial.directory("/d");
        trial.directory("/e");
        trial.write("/e/file", "x");
        trial.rename("/b", "/d");
        trial.rename("/d", "/b");
        trial.rename("/d", "/e");
        trial.rename("/e", "/e/inside");
        trial.rename("/e/file", "/e");
        trial.rename("/d", "/d");
        trial.rename("/e", "/d");
        trial.look("/d");
        trial.look("/e");
        trial.link("/l", "/b");
        trial.rename("/l", "/m");
        trial.look("/m");
        trial.write("/new", "new");
        trial.rename("/new", "/m");
        trial.look("/m");
        trial.look("/b");
        trial.rename("/", "/x");
        trial.look("/");
    });
}
