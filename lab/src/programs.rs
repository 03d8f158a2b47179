//! The lab's programs: built from pinned Go modules below `lab/programs`, once, and kept in the store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::Run as _;
use crate::error::At as _;
use crate::needs::require_go;
use crate::store::{digest, kept};
use crate::{Error, Progress, Store};

/// The Kubernetes release of the lab's control plane, and of machines that ask for no other.
pub(crate) const KUBERNETES: &str = "1.34.3";
/// An older release that machines can have.
pub const EARLIER: &str = "1.33.4";

/// The release of a minor, such as 1.33.
pub fn release(minor: &str) -> Option<&'static str> {
    let is_of =
        |version: &&str| version.rsplit_once('.').is_some_and(|(of, _)| of == minor) || *version == minor;
    [KUBERNETES, EARLIER].into_iter().find(is_of)
}

/// The variable that names a directory with Kubernetes' programs.
const GIVEN: &str = "SLIPWAY_KUBE_BIN";

/// Programs that come from one Go module of ours.
struct Origin {
    /// The directory below `lab/programs`.
    directory: &'static str,
    /// Name of each program, and the package it is built from.
    builds: &'static [(&'static str, &'static str)],
    /// What the linker writes into them.
    link: &'static str,
    /// A variable that names a directory where these programs are already.
    given_by: Option<&'static str>,
}

const ORIGINS: [Origin; 4] = [
    Origin {
        directory: "kubernetes-1.34",
        builds: &[
            ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            ("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
            ("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
            ("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
            ("kubelet", "k8s.io/kubernetes/cmd/kubelet"),
        ],
        // A node without these reports v0.0.0.
        link: "-s -w -X k8s.io/component-base/version.gitVersion=v1.34.3 \
               -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34",
        given_by: Some(GIVEN),
    },
    Origin {
        directory: "containerd",
        builds: &[
            ("containerd", "github.com/containerd/containerd/v2/cmd/containerd"),
            ("containerd-shim-runc-v2", "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"),
            ("ctr", "github.com/containerd/containerd/v2/cmd/ctr"),
        ],
        link: "-s -w",
        given_by: None,
    },
    // Debian 12's own is 3.4, in which a watch without a resource version fails.
    Origin {
        directory: "etcd",
        builds: &[("etcd", "go.etcd.io/etcd/server/v3")],
        link: "-s -w",
        given_by: None,
    },
    Origin { directory: "pod", builds: &[("pod", ".")], link: "-s -w", given_by: None },
];

/// The DNS server of a node. It belongs to no image: a machine that is to have it gets it.
const DNS_SERVER: Origin =
    Origin { directory: "coredns", builds: &[("coredns", ".")], link: "-s -w", given_by: None };

/// What renders charts. Its module is shared with the tests that hold the chart against Kubernetes' types.
const HELM: Origin = Origin {
    directory: "helm",
    builds: &[("helm", "helm.sh/helm/v3/cmd/helm")],
    link: "-s -w",
    given_by: None,
};

/// The control plane is of one release; nodes of the one before join it, too. A machine that is to have it gets it.
const EARLIER_KUBELET: Origin = Origin {
    directory: "kubernetes-1.33",
    builds: &[("kubelet", "k8s.io/kubernetes/cmd/kubelet")],
    link: "-s -w -X k8s.io/component-base/version.gitVersion=v1.33.4 \
           -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=33",
    given_by: None,
};

/// Where each of the lab's programs is.
#[derive(Debug, Clone)]
pub struct Programs {
    directories: Vec<(&'static [(&'static str, &'static str)], PathBuf)>,
}

impl Programs {
    /// Finds the programs, and builds those that are not there.
    pub fn provide(store: &Store, progress: Progress) -> Result<Self, Error> {
        let provided = ORIGINS.iter().map(|origin| Ok((origin.builds, origin.provide(store, progress)?)));
        Ok(Self { directories: provided.collect::<Result<_, Error>>()? })
    }

    /// Whether the programs of Kubernetes are there without being built.
    pub(crate) fn are_given() -> bool {
        std::env::var_os(GIVEN).is_some()
    }

    /// Finds the DNS server of nodes that have one of their own, or builds it.
    pub fn dns_server(store: &Store, progress: Progress) -> Result<PathBuf, Error> {
        Ok(DNS_SERVER.provide(store, progress)?.join("coredns"))
    }

    /// Finds Helm, or builds it.
    pub fn helm(store: &Store, progress: Progress) -> Result<PathBuf, Error> {
        Ok(HELM.provide(store, progress)?.join("helm"))
    }

    /// Finds kubelet of the earlier release, or builds it.
    pub fn earlier_kubelet(store: &Store, progress: Progress) -> Result<PathBuf, Error> {
        Ok(EARLIER_KUBELET.provide(store, progress)?.join("kubelet"))
    }

    /// Finds Azure's own clients for Python, or installs them; gives the directory of the modules.
    pub fn azure_clients(store: &Store, progress: Progress) -> Result<PathBuf, Error> {
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/azure-clients/requirements.txt");
        let content = fs::read(&list).at("read", &list)?;
        let directory = store.programs().join(format!("azure-clients-{}", digest([content.as_slice()])));
        kept(&directory, |unfinished| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-compile", "--target"]).arg(unfinished);
            pip.arg("--requirement").arg(&list);
            progress.part("installing Azure's clients", || pip.printed()).map(drop)
        })
    }

    /// The path of a program.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let has = |builds: &&[(&str, &str)]| builds.iter().any(|(program, _)| *program == name);
        let directory = self.directories.iter().find(|(builds, _)| has(builds));
        directory.map_or_else(|| PathBuf::from(name), |(_, directory)| directory.join(name))
    }

    /// Names everything that the programs were made from. Those that were given may be others under the same path.
    pub(crate) fn edition(&self) -> String {
        let mut names: Vec<Vec<u8>> =
            self.directories.iter().map(|(_, path)| path.as_os_str().as_encoded_bytes().to_vec()).collect();
        if Self::are_given() {
            let programs =
                self.directories.iter().flat_map(|(builds, path)| builds.iter().map(|it| path.join(it.0)));
            let times = programs.map(|program| fs::metadata(program).and_then(|it| it.modified()).ok());
            names.push(format!("{:?}", times.collect::<Vec<_>>()).into_bytes());
        }
        digest(names.iter().map(Vec::as_slice))
    }
}

impl Origin {
    fn provide(&self, store: &Store, progress: Progress) -> Result<PathBuf, Error> {
        if let Some(given) = self.given_by.and_then(std::env::var_os).map(PathBuf::from) {
            return self.complete(given);
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(self.directory);
        let mut files: Vec<PathBuf> = fs::read_dir(&source)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
            .at("read", &source)?;
        files.sort();
        let contents: Vec<Vec<u8>> =
            files.iter().map(|file| fs::read(file).at("read", file)).collect::<Result<_, _>>()?;
        let inputs = contents.iter().map(Vec::as_slice).chain([self.link.as_bytes()]);
        let directory = store.programs().join(format!("{}-{}", self.directory, digest(inputs)));
        kept(&directory, |unfinished| {
            require_go(self.directory)?;
            let count = self.builds.len();
            for (index, (name, package)) in self.builds.iter().enumerate() {
                let title = format!("building {name} ({} of {count} in {})", index + 1, self.directory);
                progress.part(&title, || self.build(&source, package, &unfinished.join(name)))?;
            }
            Ok(())
        })
    }

    fn build(&self, source: &Path, package: &str, program: &Path) -> Result<String, Error> {
        Command::new("go")
            .args(["build", "-trimpath", "-ldflags", self.link, "-o"])
            .arg(program)
            .arg(package)
            .env("CGO_ENABLED", "0")
            .current_dir(source)
            .printed()
    }

    fn complete(&self, given: PathBuf) -> Result<PathBuf, Error> {
        let missing = self.builds.iter().find(|(name, _)| !given.join(name).exists());
        match missing {
            None => Ok(given),
            Some((name, _)) => Err(Error::refused(
                format!("{} has no {name}", given.display()),
                "SLIPWAY_KUBE_BIN names a directory with all five programs; without it they are built",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_found_by_its_minor_or_its_whole_version() {
        assert_eq!(release("1.34"), Some(KUBERNETES));
        assert_eq!(release("1.33"), Some(EARLIER));
        assert_eq!(release(EARLIER), Some(EARLIER));
        assert_eq!(release("1.3"), None);
        assert_eq!(release("1.35"), None);
    }

    #[test]
    fn a_directory_that_lacks_a_program_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let origin = &ORIGINS[0];
        for (name, _) in &origin.builds[1..] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        let missing = origin.complete(directory.path().to_owned()).unwrap_err().to_string();
        assert!(missing.contains("has no kube-apiserver\nhint: "), "{missing}");
        fs::write(directory.path().join("kube-apiserver"), "").unwrap();
        assert_eq!(origin.complete(directory.path().to_owned()).unwrap(), directory.path());
    }
}
