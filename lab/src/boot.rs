//! The whole boot path: a machine that gets custom data as Azure gives it, cloud-init in it, and the extension that
//! waits for the result.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::command::Run as _;
use crate::error::At as _;
use crate::{Error, Joined, Lab, Machine};

/// What the custom script extension runs on a node that provisions itself.
pub const EXTENSION: &str = "/opt/azure/containers/aks-node-controller provision-wait";

/// The lab gives a machine its name and its network before it boots, and a lab's image has neither an SSH server nor
/// languages; cloud-init has the rest to itself.
const SETTINGS: &str = "datasource_list: [NoCloud]\nnetwork: {config: disabled}\nmanage_etc_hosts: false\n\
                        locale: false\nssh_deletekeys: false\nssh_genkeytypes: []\nusers: []\n";
/// There is one place to look in, so nothing is searched for.
const IDENTIFY: &str = "datasource: NoCloud\n";

/// What a machine is created with.
#[derive(Debug, Clone)]
pub struct CustomData(pub Vec<u8>);

/// What the extension reported.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its exit code; none, if a signal ended it.
    pub code: Option<i32>,
    /// What it printed, which Azure shows as the extension's status.
    pub output: String,
}

impl CustomData {
    /// What is in a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        fs::read(path).at("read", path).map(Self)
    }

    /// What this build of Slipway makes of a contract.
    pub fn of(slipway: &Path, contract: &Value) -> Result<Self, Error> {
        let mut command = Command::new(slipway);
        command.args(["custom-data", "--encoding", "text", "-"]);
        Ok(Self(command.printed_from(contract.to_string().as_bytes())?.into_bytes()))
    }
}

/// Gives custom data to a machine that is not switched on yet: its next boot is the first of a new instance.
pub fn seed(machine: &Machine, data: &CustomData) -> Result<(), Error> {
    let directory = "/var/lib/cloud/seed/nocloud";
    let name = &machine.name;
    let instance = json!({"instance-id": format!("{name}-{}", machine.address), "local-hostname": name});
    // Custom data holds the contract, and the contract holds secrets.
    machine.put(&format!("{directory}/user-data"), 0o600, &data.0)?;
    machine.put(&format!("{directory}/meta-data"), 0o644, instance.to_string().as_bytes())?;
    machine.put("/etc/cloud/cloud.cfg.d/99-slipway-lab.cfg", 0o644, SETTINGS.as_bytes())?;
    machine.put("/etc/cloud/ds-identify.cfg", 0o644, IDENTIFY.as_bytes())?;
    machine.remove_file("/etc/cloud/cloud-init.disabled")
}

/// Waits for the result of a machine's provisioning as the custom script extension does.
pub fn extension(machine: &Machine) -> Result<Report, Error> {
    machine.wait_started()?;
    let output = machine.command("/bin/sh").args(["-c", EXTENSION]).output();
    let output = output.map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
    Ok(Report { code: output.status.code(), output: String::from_utf8_lossy(&output.stdout).into_owned() })
}

/// Switches a machine on that becomes a node by its custom data, and waits until it is Ready and the extension has
/// reported success.
pub fn join(lab: &Lab, machine: &mut Machine, data: &CustomData) -> Result<Joined, Error> {
    seed(machine, data)?;
    let name = machine.name.clone();
    let (start, ready) = lab.cluster.until_ready(&lab.space, &name, || {
        let start = Instant::now();
        machine.switch_on()?;
        let report = extension(machine)?;
        if report.code == Some(0) {
            return Ok(start);
        }
        let hint = format!("`cargo lab run {name} slipway result` explains it");
        Err(Error::refused(format!("the extension on {name} reported\n{}", report.output), hint))
    })?;
    Ok(Joined { ready: ready.duration_since(start) })
}
