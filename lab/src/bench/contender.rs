//! Who is measured: what it needs on the machine beforehand, and the command whose start is time zero.

use std::process::Command;
use std::str::FromStr;

use super::Bench;
use super::processes::WRAPPER;
use crate::command::Run as _;
use crate::native::{CONTRACT, PROGRAM};
use crate::{Error, Lab, Machine, floor, native};

/// Where the shell around the command leaves how long the command was on a processor, and how it ended.
pub(super) const ENDED: &str = "/run/slipway-bench";

/// The shell stays until the command has ended. The command's processor time is that of the shell's children.
const SHELL: &str = r#""$@"; code=$?; { times; echo "$code"; } >/run/slipway-bench"#;

/// Something that makes a machine a node.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its name in the table.
    pub name: String,
    way: Way,
    start: Start,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Way {
    /// Every file is there; systemd starts the services.
    Floor,
    /// Slipway, on an image that it baked.
    Slipway,
    /// Slipway, on an image without anything of it.
    SlipwayUnbaked,
    /// A command line of the user.
    Command(String),
}

/// What runs already when the time begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Nothing.
    Cold,
    /// containerd.
    Warm,
}

impl Contender {
    /// kubelet's start alone: containerd runs.
    pub fn floor() -> Self {
        Self { name: "floor".to_owned(), way: Way::Floor, start: Start::Warm }
    }

    /// The start of containerd and kubelet.
    pub fn floor_cold() -> Self {
        Self { name: "floor-cold".to_owned(), way: Way::Floor, start: Start::Cold }
    }

    /// Slipway as on a node image: nothing runs.
    pub fn slipway() -> Self {
        Self { name: "slipway".to_owned(), way: Way::Slipway, start: Start::Cold }
    }

    /// Slipway where containerd runs, as it does for the floor.
    pub fn slipway_warm() -> Self {
        Self { name: "slipway-warm".to_owned(), way: Way::Slipway, start: Start::Warm }
    }

    /// Slipway on an image that it has not seen before.
    pub fn slipway_unbaked() -> Self {
        Self { name: "slipway-unbaked".to_owned(), way: Way::SlipwayUnbaked, start: Start::Cold }
    }

    /// The name of the floor from the same starting state.
    pub(super) fn floor_name(&self) -> &'static str {
        match self.start {
            Start::Cold => "floor-cold",
            Start::Warm => "floor",
        }
    }

    /// Whether this is Slipway, which tells its own times.
    pub(super) fn is_slipway(&self) -> bool {
        matches!(self.way, Way::Slipway | Way::SlipwayUnbaked)
    }

    /// Whether the machine's image was baked by Slipway.
    pub(super) fn is_baked(&self) -> bool {
        self.way == Way::Slipway
    }

    /// Brings a machine to where the time begins.
    pub(super) fn prepare(&self, lab: &Lab, machine: &Machine, bench: &Bench) -> Result<(), Error> {
        match &self.way {
            Way::Floor => floor::prepare(lab, machine)?,
            Way::Slipway | Way::SlipwayUnbaked | Way::Command(_) => {
                native::install(machine, &bench.slipway, &native::contract(&lab.cluster)?)?;
            }
        }
        if let (Way::Command(_), Some(files)) = (&self.way, &bench.files) {
            Command::new("cp").arg("--archive").arg(files.join(".")).arg(machine.path("/")).printed()?;
        }
        if self.start == Start::Warm {
            machine.run("systemctl", &["start", "containerd"])?;
        }
        Ok(())
    }

    /// Starts the command in a unit of its own, and does not wait for it.
    pub(super) fn start(&self, machine: &Machine) -> Result<(), Error> {
        let unit = ["--no-block", "--quiet", "--collect", "--unit=slipway-bench"];
        let shell = ["/bin/bash", "-c", SHELL, WRAPPER];
        let command: &[&str] = match (&self.way, self.start) {
            (Way::Floor, Start::Warm) => &["systemctl", "start", "kubelet"],
            (Way::Floor, Start::Cold) => &["systemctl", "start", "containerd", "kubelet"],
            (Way::Slipway | Way::SlipwayUnbaked, _) => {
                &[PROGRAM, "provision", "--provision-config", CONTRACT]
            }
            (Way::Command(line), _) => &["/bin/sh", "-c", line],
        };
        machine.run("systemd-run", &[&unit[..], &shell, command].concat()).map(drop)
    }
}

impl FromStr for Contender {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = text.split_once('=').filter(|(name, line)| !name.is_empty() && !line.is_empty());
        let (name, line) = named.ok_or("a contender is NAME=COMMAND")?;
        Ok(Self { name: name.to_owned(), way: Way::Command(line.to_owned()), start: Start::Cold })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contender_is_a_name_and_a_command_that_may_hold_anything() {
        let peer: Contender = "peer=run --a=b".parse().unwrap();
        assert_eq!((peer.name.as_str(), &peer.way), ("peer", &Way::Command("run --a=b".to_owned())));
        for odd in ["peer", "=x", "peer="] {
            assert!(odd.parse::<Contender>().is_err(), "{odd}");
        }
    }

    #[test]
    fn everybody_is_compared_with_the_floor_from_the_same_starting_state() {
        assert_eq!(Contender::slipway().floor_name(), Contender::floor_cold().name);
        assert_eq!(Contender::slipway_warm().floor_name(), Contender::floor().name);
    }
}
