//! Kernel modules: what is loaded, what needs what, and what the administrator forbade.

mod rules;

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::system::{finit_module, uname};

use super::tree::Tree;
use crate::child::{Child, Exit};
use rules::Rules;

/// The kernel unpacks the file itself.
const COMPRESSED_FILE: i32 = 4;

/// Whether a module is loaded or built in.
pub(super) fn has(tree: &Tree, name: &str) -> io::Result<bool> {
    let name = kernel_name(name)?;
    let found = Path::new("/sys/module").join(&name);
    match tree.read(&found.join("initstate")) {
        Ok(state) => return Ok(state.trim_ascii() == b"live"),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // One that is built in has no state, and is there only if it has parameters.
        Err(_) if tree.entry(&found)?.is_some() => return Ok(true),
        Err(_) => {}
    }
    let built_in = index(tree, "modules.builtin")?;
    Ok(built_in.lines().any(|path| module_of(path) == name))
}

/// Loads a module after those that it needs.
pub(super) fn load(tree: &Tree, name: &str) -> io::Result<()> {
    if has(tree, name)? {
        return Ok(());
    }
    let name = kernel_name(name)?;
    let rules = Rules::of(tree)?;
    let index = index(tree, "modules.dep")?;
    let Some(files) = files_in_order(&index, &name) else {
        let reason = format!("kernel {} has no module {name}", release());
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    };
    for file in files {
        let module = module_of(file);
        if has(tree, &module)? {
            continue;
        }
        if let Some((command, place)) = rules.replacement(&module) {
            let reason =
                format!("module {module} is not to be loaded: {place} says 'install {module} {command}'");
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        insert(tree, &directory().join(file), &rules.options(&module)).map_err(|error| {
            io::Error::new(error.kind(), format!("module {module} cannot be loaded: {error}"))
        })?;
    }
    Ok(())
}

fn insert(tree: &Tree, file: &Path, options: &str) -> io::Result<()> {
    let is_compressed = file.extension().is_some_and(|extension| extension != "ko");
    let options = CString::new(options)?;
    let opened = tree.resolve(file, OFlags::RDONLY)?;
    match finit_module(&opened, &options, if is_compressed { COMPRESSED_FILE } else { 0 }) {
        // Somebody else was faster.
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        // Kernels before 5.17 do not know the flag, and later ones may be built without it.
        Err(Errno::INVAL | Errno::OPNOTSUPP) if is_compressed => unpack_and_insert(&module_of_path(file)),
        Err(error) => Err(error.into()),
    }
}

/// Lets kmod do it, where the kernel cannot read a compressed file.
fn unpack_and_insert(module: &str) -> io::Result<()> {
    let ended = Child::new("/sbin/modprobe", [module]).within(Duration::from_mins(1)).run()?;
    match ended.exit {
        Exit::Code(0) => Ok(()),
        _ => Err(io::Error::other(String::from_utf8_lossy(&ended.stderr).trim().to_owned())),
    }
}

/// The files of a module and of all that it needs, in the order in which they are to be loaded.
fn files_in_order<'a>(index: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let (file, needs) =
        index.lines().filter_map(|line| line.split_once(':')).find(|(file, _)| module_of(file) == name)?;
    // What a module needs is listed from the nearest to the farthest.
    Some(needs.split_whitespace().rev().chain([file]).collect())
}

fn release() -> String {
    uname().release().to_string_lossy().into_owned()
}

fn directory() -> PathBuf {
    Path::new("/lib/modules").join(release())
}

/// One of the files about all modules; a kernel without modules has none.
fn index(tree: &Tree, name: &str) -> io::Result<String> {
    match tree.read(&directory().join(name)) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

/// The name that the kernel has for a module: people and files also write hyphens.
fn kernel_name(name: &str) -> io::Result<String> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if name.is_empty() || !name.bytes().all(is_word) {
        let reason = format!("'{}' is not a name of a kernel module", name.escape_debug());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    Ok(name.replace('-', "_"))
}

/// The module that a file holds.
fn module_of(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.split(".ko").next().unwrap_or_default().replace('-', "_")
}

fn module_of_path(file: &Path) -> String {
    module_of(&file.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "kernel/net/bridge/bridge.ko.zst: kernel/net/802/stp.ko.zst kernel/net/llc/llc.ko.zst\n\
        kernel/net/802/stp.ko.zst: kernel/net/llc/llc.ko.zst\n\
        kernel/net/bridge/br_netfilter.ko: kernel/net/bridge/bridge.ko.zst\n\
        kernel/net/sched/act-x.ko.xz:\n";

    #[test]
    fn what_a_module_needs_comes_first() {
        let order = files_in_order(INDEX, "bridge").unwrap();
        assert_eq!(order.iter().map(|file| module_of(file)).collect::<Vec<_>>(), ["llc", "stp", "bridge"]);
        assert_eq!(files_in_order(INDEX, "act_x").unwrap(), ["kernel/net/sched/act-x.ko.xz"]);
        assert_eq!(files_in_order(INDEX, "br"), None);
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        assert_eq!(kernel_name("br-netfilter").unwrap(), "br_netfilter");
        for name in ["", "../x", "a b", "a/b", "a.ko"] {
            assert!(kernel_name(name).is_err(), "{name}");
        }
    }

    /// A root with this kernel's index of modules, and with a rule.
    fn with_root<T>(name: &str, test: impl FnOnce(&Tree) -> T) -> T {
        let area = std::env::temp_dir().join(format!("slipway-modules-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&area);
        let modules = format!("lib/modules/{}", release());
        for (path, text) in [
            (format!("{modules}/modules.dep"), INDEX),
            (format!("{modules}/modules.builtin"), "kernel/fs/over-lay/overlay-fs.ko\n"),
            ("etc/modprobe.d/cis.conf".to_owned(), "install llc /bin/false\n"),
            ("sys/module/loaded/initstate".to_owned(), "live\n"),
            ("sys/module/loading/initstate".to_owned(), "coming\n"),
            ("sys/module/with_parameters/parameters/one".to_owned(), "1\n"),
        ] {
            std::fs::create_dir_all(area.join(&path).parent().unwrap()).unwrap();
            std::fs::write(area.join(path), text).unwrap();
        }
        let result = test(&Tree::open(&area).unwrap());
        std::fs::remove_dir_all(area).unwrap();
        result
    }

    #[test]
    fn what_is_loaded_or_built_in_is_there() {
        let names = ["loaded", "loading", "with-parameters", "overlay_fs", "bridge"];
        let found = with_root("has", |tree| names.map(|name| has(tree, name).unwrap()));
        assert_eq!(found, [true, false, true, true, false]);
        with_root("load", |tree| load(tree, "overlay-fs").unwrap());
    }

    #[test]
    fn what_is_forbidden_or_unknown_is_refused_plainly() {
        let told = with_root("forbidden", |tree| load(tree, "bridge").unwrap_err());
        let expected =
            "module llc is not to be loaded: /etc/modprobe.d/cis.conf says 'install llc /bin/false'";
        assert_eq!((told.kind(), told.to_string().as_str()), (io::ErrorKind::PermissionDenied, expected));
        let told = with_root("unknown", |tree| load(tree, "no-such-module").unwrap_err());
        let expected = format!("kernel {} has no module no_such_module", release());
        assert_eq!((told.kind(), told.to_string()), (io::ErrorKind::NotFound, expected));
    }
}
