//! Azure Arc on a machine: what its agent leaves there, without the agent.

use std::fs;
use std::io;

use crate::azure::{Azure, HIMDS, Himds, Keys, TOKENS};
use crate::error::At as _;
use crate::space::on_network_of;
use crate::{Error, Machine};

/// Who may read the keys for the machine's tokens.
const GROUP: &str = "himds";

/// Gives a machine the identity service of an Arc machine, which need not be connected yet. It lasts until it is dropped
/// or the machine ends; a machine that has booted again needs it again.
pub fn serve_identity(azure: &Azure, machine: &Machine, id: &str) -> Result<Himds, Error> {
    machine.run("groupadd", &["--system", "--force", GROUP])?;
    let keys = Keys { machine: id.to_owned(), directory: machine.path(TOKENS), group: group(machine)? };
    let leader = machine.leader().ok_or_else(|| {
        Error::refused(format!("{} is off", machine.name), "boot it before it gets an identity service")
    })?;
    on_network_of(leader, || azure.himds(HIMDS, keys))?.at("serve identities on", machine.name.as_ref())
}

/// Lets a machine trust an authority, given as PEM, as its owner would.
pub fn trust(machine: &Machine, authority: &str) -> Result<(), Error> {
    machine.put("/usr/local/share/ca-certificates/lab.crt", 0o644, authority.as_bytes())?;
    machine.run("update-ca-certificates", &[]).map(drop)
}

/// The number of the group in the machine.
fn group(machine: &Machine) -> Result<Option<u32>, Error> {
    let path = machine.path("/etc/group");
    let text = fs::read_to_string(&path).at("read", &path)?;
    let number = text.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() == Some(GROUP) { fields.nth(1)?.parse().ok() } else { None }
    });
    number.map(Some).ok_or(io::ErrorKind::NotFound).map_err(io::Error::from).at("find the group in", &path)
}
