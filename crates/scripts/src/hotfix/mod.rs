//! Hotfixes: a newer controller, or newer scripts, than the image has.
//!
//! [`check_hotfix`] asks the live-patching service which hotfix this image should have and notes the answer in the
//! [pointer file](Pointer). [`download_hotfix`] reads that file, applies script overrides, installs the package and
//! stages its binary beside the image's own. Both fail open: a node without its hotfix is better than no node.

mod check;
mod download;
mod overrides;
mod packages;
mod pointer;
mod staging;
mod target;
mod version;
mod write_files;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use check::{Outcome, check_hotfix};
pub use download::{DownloadFailure, download_hotfix};
pub use pointer::Pointer;
pub use version::{base, supersedes};

/// The package, and the program in it.
pub const PACKAGE: &str = "aks-node-controller";

/// Where the hotfix commands find things; by default where an AKS image has them.
#[derive(Debug, Clone)]
pub struct Places {
    /// The directory of the baked and the staged binary, the contract, the pointer and the overrides.
    pub containers: PathBuf,
    /// Says which distribution this is.
    pub os_release: PathBuf,
    /// The directory of apt's sources.
    pub apt_sources: PathBuf,
    /// Where the package puts its binary.
    pub installed: PathBuf,
    /// The directories in which package managers are looked for, as `PATH` lists them.
    pub search_path: OsString,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            containers: crate::paths::CONTAINERS.into(),
            os_release: "/etc/os-release".into(),
            apt_sources: "/etc/apt/sources.list.d".into(),
            installed: Path::new("/usr/bin").join(PACKAGE),
            search_path: std::env::var_os("PATH").unwrap_or_else(|| "/usr/sbin:/usr/bin:/sbin:/bin".into()),
        }
    }
}

impl Places {
    /// The image's own binary.
    pub fn baked(&self) -> PathBuf {
        self.containers.join(PACKAGE)
    }

    /// The binary that is preferred to it.
    pub fn staged(&self) -> PathBuf {
        self.containers.join("aks-node-controller-hotfix")
    }

    /// Which hotfix is wanted.
    pub fn pointer(&self) -> PathBuf {
        self.containers.join("aks-node-controller-hotfix.json")
    }

    /// Cloud-config whose files replace the image's scripts.
    pub fn overrides(&self) -> PathBuf {
        self.containers.join("nodecustomdata.yml")
    }

    /// The contract.
    pub fn contract(&self) -> PathBuf {
        self.containers.join("aks-node-controller-config.json")
    }

    /// The pre-rendered command.
    pub fn command(&self) -> PathBuf {
        self.containers.join("aks-node-controller-nbc-cmd.sh")
    }
}

/// Where the services are that are asked for hotfixes; by default where Azure has them.
#[derive(Debug, Clone)]
pub struct Services {
    /// The instance metadata service.
    pub metadata: SocketAddr,
    /// The live-patching service; without one it is found by the API server's name.
    pub live_patching: Option<SocketAddr>,
}

impl Default for Services {
    fn default() -> Self {
        Self { metadata: slipway_azure::imds::ADDRESS, live_patching: None }
    }
}

/// How often, and how long, a package manager is tried.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Attempts for each command.
    pub attempts: u32,
    /// Time for each attempt.
    pub limit: Duration,
    /// Time between attempts.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { attempts: 5, limit: Duration::from_mins(1), pause: Duration::from_secs(3) }
    }
}

/// An error about a path, as Go's `os` package words it.
fn path_error(action: &str, path: &Path, error: &std::io::Error) -> String {
    format!("{action} {}: {}", path.display(), slipway_host::os_text(error))
}
