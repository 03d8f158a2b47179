//! What the commands work on: the machine, or a directory that stands for one.

use std::env;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use slipway_host::{Host, Machine, os_text};

use crate::cli::Place;
use crate::failure::Failure;

/// Gives the machine, or the directory that stands for one.
pub type Machines<'a> = dyn Fn(Option<&Path>) -> io::Result<Box<dyn Host>> + 'a;

/// How commands get at the machine. Tests give another one.
pub struct Surroundings<'a> {
    /// The machine, or the directory that stands for one.
    pub machine: &'a Machines<'a>,
    /// How many steps run at once; as many as the machine likes where it is not said.
    pub workers: Option<NonZeroUsize>,
    /// The version that the program says it is, and that hotfixes are compared with.
    pub version: &'a str,
}

impl Surroundings<'static> {
    /// The machine that this runs on.
    pub fn real() -> Self {
        Self { machine: &real_machine, workers: None, version: crate::VERSION }
    }
}

impl Surroundings<'_> {
    /// The machine at a place.
    pub(crate) fn host(&self, place: &Place) -> Result<Box<dyn Host>, Failure> {
        self.host_at(root(place).as_deref())
    }

    /// The machine, or the one that a directory stands for.
    pub(crate) fn host_at(&self, root: Option<&Path>) -> Result<Box<dyn Host>, Failure> {
        (self.machine)(root).map_err(|error| match root {
            Some(root) => {
                Failure::input("no-root", format!("cannot work below {}", root.display()), os_text(&error))
                    .with_hint("the directory has to exist")
            }
            None => Failure::machine("no-machine", "cannot work on this machine", os_text(&error)),
        })
    }
}

/// The directory that stands for the machine, where one does.
pub(crate) fn root(place: &Place) -> Option<PathBuf> {
    let said = env::var_os("SLIPWAY_ROOT").filter(|root| !root.is_empty()).map(PathBuf::from);
    place.root.clone().or(said)
}

/// What the environment says about proxies under a name such as `HTTPS_PROXY`: in small letters first, as other programs
/// have it; empty where it says nothing.
pub(crate) fn proxy_variable(name: &str) -> String {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    set(&name.to_lowercase()).or_else(|| set(name)).unwrap_or_default()
}

fn real_machine(root: Option<&Path>) -> io::Result<Box<dyn Host>> {
    Ok(match root {
        Some(root) => Box::new(Machine::below(root)?),
        None => Box::new(Machine::live()?),
    })
}
