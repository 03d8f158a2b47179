//! Facts: read from a file, or gathered from the machine.

use std::path::Path;
use std::time::Duration;

use slipway_azure::imds;
use slipway_facts::{Fact, Gathered, gather};
use slipway_host::Host;
use slipway_model::{ExitReason, Facts};

use crate::failure::{Blame, Failure};
use crate::files;

/// How long the metadata service may take; machines that Azure did not make have none.
const METADATA: Duration = Duration::from_secs(5);
/// How long it may take where there is no node without it: at boot, the network may still be on its way.
const NEEDED_METADATA: Duration = Duration::from_mins(1);

/// Where facts come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Knowledge<'a> {
    /// A file has them.
    File(&'a Path),
    /// The machine is looked at; what cannot be found out is unknown.
    Machine,
    /// The machine is looked at, and becomes a node: without the metadata service's answer it would have another
    /// address and none of the VM's tags, and a node that has them already would lose them.
    Node,
    /// The machine is held against the node that it is to be, which is another one without that answer.
    Compared,
}

impl<'a> From<Option<&'a Path>> for Knowledge<'a> {
    fn from(file: Option<&'a Path>) -> Self {
        file.map_or(Self::Machine, Self::File)
    }
}

/// The facts in a file, or those of the machine.
pub(crate) fn facts(from: Knowledge<'_>, host: &dyn Host) -> Result<Facts, Failure> {
    match from {
        Knowledge::File(file) => parsed(file),
        Knowledge::Machine => Ok(gathered(host).facts),
        Knowledge::Node => needed(asked(host, NEEDED_METADATA), host),
        Knowledge::Compared => needed(gathered(host), host),
    }
}

/// The facts, if the metadata service has answered.
fn needed(gathered: Gathered, host: &dyn Host) -> Result<Facts, Failure> {
    let unknown = gathered.problems.iter().find(|problem| problem.fact == Fact::Imds);
    match unknown.filter(|_| host.is_live()) {
        None => Ok(gathered.facts),
        Some(problem) => Err(Failure {
            blame: Blame::Service,
            ..Failure::machine(
                ExitReason::Imds.reason(),
                "cannot ask the instance metadata service",
                &problem.reason,
            )
        }
        .with_hint("a machine that Azure did not make has none: slipway facts > FILE, then --facts FILE")),
    }
}

/// The facts in a file.
pub(crate) fn parsed(file: &Path) -> Result<Facts, Failure> {
    let input = files::read(file)?;
    let text = String::from_utf8_lossy(&input.text);
    Facts::parse(&text)
        .map_err(|error| Failure::input("bad-facts", format!("cannot use {}", input.name), error))
}

/// The facts of the machine, and why some are missing. Below a root nobody is asked but the files.
pub(crate) fn gathered(host: &dyn Host) -> Gathered {
    asked(host, METADATA)
}

fn asked(host: &dyn Host, metadata: Duration) -> Gathered {
    gather(host, &Fact::ALL, host.is_live().then_some(imds::ADDRESS), metadata)
}
