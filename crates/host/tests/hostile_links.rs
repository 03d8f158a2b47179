//! Whatever links lie in a root, what is done through them is done inside it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use slipway_host::{Host, Machine};
use slipway_model::Attributes;

/// A root beside a directory that must stay as it is.
struct Area(PathBuf);

impl Area {
    fn new(name: &str) -> Self {
        let area = std::env::temp_dir().join(format!("slipway-hostile-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&area);
        for directory in ["root/etc", "root/deep/er", "outside"] {
            fs::create_dir_all(area.join(directory)).unwrap();
        }
        fs::write(area.join("outside/file"), "outside").unwrap();
        Self(area)
    }

    fn root(&self) -> PathBuf {
        self.0.join("root")
    }

    fn outside(&self) -> PathBuf {
        self.0.join("outside")
    }

    fn machine(&self) -> Machine {
        Machine::below(&self.root()).unwrap()
    }

    fn assert_outside_untouched(&self) {
        let names: Vec<_> =
            fs::read_dir(self.outside()).unwrap().map(|item| item.unwrap().file_name()).collect();
        assert_eq!(names, ["file"]);
        assert_eq!(fs::read_to_string(self.outside().join("file")).unwrap(), "outside");
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Who owns what the tests make: whoever runs them.
fn ours(mode: u32) -> Attributes {
    let own = fs::metadata("/proc/self").unwrap();
    Attributes { mode, uid: own.uid(), gid: own.gid() }
}

#[test]
fn links_out_of_the_root_lead_back_into_it() {
    let area = Area::new("out");
    let machine = area.machine();
    let outside = area.outside();
    let ways = [outside.clone(), "../../../../../../../..".into(), "/..".into(), "/".into()];
    for (number, way) in ways.iter().enumerate() {
        let link = format!("way{number}");
        symlink(way, area.root().join("deep").join(&link)).unwrap();
        let file = PathBuf::from(format!("/deep/{link}/made{number}"));
        if *way == outside {
            assert_eq!(
                machine.create(&file, ours(0o600)).err().unwrap().kind(),
                std::io::ErrorKind::NotFound
            );
            let read = machine.read(Path::new("/deep/way0/file"));
            assert_eq!(read.unwrap_err().kind(), std::io::ErrorKind::NotFound);
            continue;
        }
        machine.create(&file, ours(0o600)).unwrap().write_all(b"inside").unwrap();
        assert_eq!(fs::read(area.root().join(format!("made{number}"))).unwrap(), b"inside");
        machine.remove(&file).unwrap();
        assert_eq!(machine.entry(&file).unwrap(), None);
    }
    let dots = Path::new("/deep/../../../../../../../../etc/dots");
    machine.create(dots, ours(0o600)).unwrap();
    assert!(area.root().join("etc/dots").exists());
    area.assert_outside_untouched();
}

#[test]
fn a_link_to_etc_means_the_roots_own_etc() {
    let area = Area::new("etc");
    let machine = area.machine();
    symlink("/etc", area.root().join("deep/etc")).unwrap();
    machine.create(Path::new("/deep/etc/passwd"), ours(0o644)).unwrap();
    assert_eq!(machine.list(Path::new("/deep/etc")).unwrap(), ["passwd"]);
    assert!(area.root().join("etc/passwd").exists());
}

#[test]
fn a_link_at_the_end_is_never_written_through() {
    let area = Area::new("end");
    let machine = area.machine();
    let target = area.outside().join("file");
    symlink(&target, area.root().join("etc/link")).unwrap();
    let link = Path::new("/etc/link");
    let code = |error: std::io::Error| error.raw_os_error().unwrap();
    assert_eq!(code(machine.create(link, ours(0o600)).err().unwrap()), 17, "EEXIST");
    assert_eq!(code(machine.append(link, ours(0o600)).err().unwrap()), 40, "ELOOP");
    machine.set_attributes(link, ours(0o600)).unwrap();
    let before = fs::metadata(&target).unwrap();
    machine.set_modified(link, slipway_host::Modified { seconds: 1, nanoseconds: 2 }).unwrap();
    assert_eq!(fs::metadata(&target).unwrap().modified().unwrap(), before.modified().unwrap());
    assert_eq!(fs::metadata(&target).unwrap().mode(), before.mode());
    machine.create(Path::new("/etc/new"), ours(0o600)).unwrap().write_all(b"new").unwrap();
    machine.rename(Path::new("/etc/new"), link).unwrap();
    assert_eq!(fs::read(area.root().join("etc/link")).unwrap(), b"new");
    machine.remove(link).unwrap();
    area.assert_outside_untouched();
}

#[test]
fn loops_and_the_files_of_processes_are_refused() {
    let area = Area::new("loop");
    let machine = area.machine();
    symlink("b", area.root().join("a")).unwrap();
    symlink("a", area.root().join("b")).unwrap();
    let looped = machine.create(Path::new("/a/file"), ours(0o600)).err().unwrap();
    assert_eq!(looped.raw_os_error(), Some(40), "ELOOP");
    let magic = Machine::live().unwrap().read(Path::new("/proc/self/exe"));
    assert_eq!(magic.unwrap_err().raw_os_error(), Some(40), "ELOOP");
}

#[test]
fn a_file_has_its_exact_mode_before_its_first_byte_whatever_the_umask() {
    let area = Area::new("mode");
    let machine = area.machine();
    for mode in [0o600, 0o666, 0o777, 0o4755, 0o000] {
        let path = PathBuf::from(format!("/etc/{mode:o}"));
        let _writer = machine.create(&path, ours(mode)).unwrap();
        let found = fs::metadata(area.root().join(format!("etc/{mode:o}"))).unwrap();
        assert_eq!((found.permissions().mode() & 0o7777, found.len()), (mode, 0));
        assert_eq!(machine.entry(&path).unwrap().unwrap().attributes, ours(mode));
    }
    machine.make_directory(Path::new("/etc/wide"), ours(0o1777)).unwrap();
    assert_eq!(machine.entry(Path::new("/etc/wide")).unwrap().unwrap().attributes.mode, 0o1777);
    machine.sync().unwrap();
}

#[test]
fn a_path_must_be_absolute_and_a_root_has_no_running_system() {
    let area = Area::new("words");
    let machine = area.machine();
    let error = machine.read(Path::new("etc/passwd")).unwrap_err();
    assert_eq!(error.to_string(), "etc/passwd is not an absolute path");
    let error = machine.setting(Path::new("/proc/sys/vm/swappiness")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
}

#[test]
fn a_directory_that_turns_into_a_link_at_the_worst_moment_leads_nowhere_else() {
    let area = Area::new("race");
    let machine = area.machine();
    let root = area.root();
    fs::create_dir(root.join("real")).unwrap();
    symlink(area.outside(), root.join("link")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The name `way` is now the directory, now the link out.
            while !done.load(Ordering::Relaxed) {
                for what in ["real", "link"] {
                    fs::rename(root.join(what), root.join("way")).unwrap();
                    fs::rename(root.join("way"), root.join(what)).unwrap();
                }
            }
        });
        let mut made = 0;
        // On a busy machine the other thread may hardly run: what counts are moments in which the directory was there.
        for number in 0..500_000 {
            if number >= 5000 && made > 0 {
                break;
            }
            let path = PathBuf::from(format!("/deep/../way/{number}"));
            if let Ok(mut writer) = machine.create(&path, ours(0o600)) {
                writer.write_all(b"inside").unwrap();
                made += 1;
            }
            let _ = machine.set_attributes(&path, ours(0o644));
        }
        done.store(true, Ordering::Relaxed);
        assert!(made > 0, "the directory was never there");
    });
    area.assert_outside_untouched();
}
