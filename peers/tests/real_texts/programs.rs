//! The real programs: built from pinned modules below `peers/programs`, once, and kept in the user's cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

/// A program with a directory of its name below `peers/programs`.
pub(crate) struct Program {
    name: &'static str,
    /// The module whose version is the program's.
    module: &'static str,
    /// What is built there.
    package: &'static str,
    built: OnceLock<PathBuf>,
}

pub(crate) static CONTAINERD_1: Program = Program::new(
    "containerd-1",
    "github.com/containerd/containerd",
    "github.com/containerd/containerd/cmd/containerd",
);
pub(crate) static CONTAINERD_2: Program = Program::new(
    "containerd-2",
    "github.com/containerd/containerd/v2",
    "github.com/containerd/containerd/v2/cmd/containerd",
);
pub(crate) static COREDNS: Program = Program::new("coredns", "github.com/coredns/coredns", ".");
pub(crate) static KUBELET_CONFIG: Program = Program::new("kubelet-config", "k8s.io/kubernetes", ".");
pub(crate) static HELM: Program = Program::new("helm", "helm.sh/helm/v3", "helm.sh/helm/v3/cmd/helm");
pub(crate) static OBJECTS: Program = Program::new("objects", "k8s.io/api", ".");

impl Program {
    const fn new(name: &'static str, module: &'static str, package: &'static str) -> Self {
        Self { name, module, package, built: OnceLock::new() }
    }

    /// A command that runs the program.
    pub(crate) fn command(&self) -> Command {
        Command::new(self.path())
    }

    /// Where the program is; it is built if it is not there.
    pub(crate) fn path(&self) -> &Path {
        self.built.get_or_init(|| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(self.name);
            let kept = cache().join(self.edition(&source));
            if !kept.exists() {
                self.build(&source, &kept);
            }
            kept
        })
    }

    /// Name and version, and a digest of everything in the directory, so that what was built from something else is
    /// not taken for it.
    fn edition(&self, source: &Path) -> String {
        let mut files: Vec<_> = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let contents: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
        let modules = fs::read_to_string(source.join("go.mod")).unwrap();
        let mut lines = modules.lines().map(|line| line.trim_start().trim_start_matches("require "));
        let version = lines
            .find_map(|line| line.strip_prefix(self.module)?.strip_prefix(' ')?.split_whitespace().next())
            .unwrap();
        format!("{}-{version}-{}", self.name, digest(&contents.concat()))
    }

    /// Builds under another name and renames, so that no other run ever sees half a program.
    fn build(&self, source: &Path, kept: &Path) {
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        let unfinished = kept.with_extension(format!("{}.building", std::process::id()));
        let built = Command::new("go")
            .args(["build", "-trimpath", "-ldflags=-s -w", "-o"])
            .arg(&unfinished)
            .arg(self.package)
            .env("CGO_ENABLED", "0")
            .current_dir(source)
            .output()
            .unwrap_or_else(|error| {
                panic!("{} is built with Go 1.26 or later; run ./test, which installs it: {error}", self.name)
            });
        assert!(
            built.status.success(),
            "`go build` in peers/programs/{} failed; its modules come from the Go module proxy\n{}",
            self.name,
            String::from_utf8_lossy(&built.stderr)
        );
        fs::rename(&unfinished, kept).unwrap();
    }
}

/// Where programs are kept between runs, outside the tree.
fn cache() -> PathBuf {
    let caches = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| std::env::home_dir().map(|home| home.join(".cache")))
        .expect("XDG_CACHE_HOME or HOME says where built programs are kept");
    caches.join("slipway")
}

/// Writes a text where a program can read it; the same text is the same file.
pub(crate) fn file(extension: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real_texts");
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(format!("{}.{extension}", digest(text.as_bytes())));
    let unfinished = path.with_extension(format!("{:?}", std::thread::current().id()));
    fs::write(&unfinished, text).unwrap();
    fs::rename(&unfinished, &path).unwrap();
    path
}

fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(6).fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
}
