//! The units under a real systemd: nothing is lost when the contract comes late, nothing runs twice.

use std::time::Duration;

use crate::machine::{Machine, eventually};
use crate::packages;

const CONFIG: &str = "/opt/azure/containers/aks-node-controller-config.json";
const COMMAND: &str = "/opt/azure/containers/aks-node-controller-nbc-cmd.sh";
const SERVICE: &str = "aks-node-controller.service";

/// A machine with the package and with both units enabled, whose node controller only writes its calls down.
fn machine() -> Machine {
    let machine = Machine::new();
    let deb = machine.bring(&packages().deb);
    machine.shell(&format!("dpkg --no-triggers --install {deb}"));
    machine.shell(
        "rm /opt/azure/containers/aks-node-controller
         printf '%s\\n' '#!/bin/sh' 'echo \"$@\" >>/var/calls' '. /var/script' >/opt/azure/containers/aks-node-controller
         chmod 755 /opt/azure/containers/aks-node-controller
         touch /var/script && rm -f /var/calls
         echo a-node >/etc/hostname",
    );
    machine
}

fn booted(mut machine: Machine) -> Machine {
    machine.shell("rm -rf /etc/systemd/system/*.wants");
    machine.boot();
    machine.shell("hostname a-node; systemctl enable --quiet aks-node-controller.path");
    // As a boot would: the units that are enabled, in their order.
    machine.shell("systemctl start paths.target aks-node-controller.path aks-node-controller.service");
    machine
}

fn calls(machine: &Machine) -> String {
    machine.shell("cat /var/calls 2>/dev/null || true")
}

fn state(machine: &Machine, unit: &str) -> String {
    machine.shell(&format!("systemctl show --property=ActiveState --value {unit}"))
}

fn awaited_state(machine: &Machine, unit: &str, wanted: &str) {
    eventually(&format!("{unit} {wanted}"), || (state(machine, unit) == wanted).then_some(()));
}

#[test]
fn the_units_are_valid_and_not_enabled_by_the_package() {
    let machine = machine();
    let verified =
        machine.run("systemd-analyze", &["verify", "--man=no", SERVICE, "aks-node-controller.path"]);
    assert!(
        verified.status.success() && verified.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&verified.stderr)
    );
    for unit in [SERVICE, "aks-node-controller.path"] {
        let enabled = machine.run("systemctl", &["--root=/", "is-enabled", unit]);
        assert_eq!(String::from_utf8_lossy(&enabled.stdout).trim(), "disabled", "{unit}");
    }
}

#[test]
fn a_contract_that_arrives_late_is_provisioned_once() {
    let machine = booted(machine());
    assert_eq!((state(&machine, SERVICE), calls(&machine)), ("inactive".to_owned(), String::new()));
    machine.shell(&format!("systemctl start {SERVICE}"));
    assert_eq!(state(&machine, SERVICE), "inactive", "a start without a contract is skipped");
    machine.shell(&format!("echo '{{}}' >{CONFIG}.new && mv {CONFIG}.new {CONFIG}"));
    awaited_state(&machine, SERVICE, "active");
    let expected = format!("provision --provision-config={CONFIG}");
    assert_eq!(calls(&machine), expected);
    machine.shell(&format!("systemctl start {SERVICE}; echo '{{ }}' >{CONFIG}; systemctl start {SERVICE}"));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(calls(&machine), expected, "a second start after success does nothing");
}

#[test]
fn a_command_that_is_there_before_the_units_is_provisioned() {
    let machine = machine();
    machine.shell(&format!("echo true >{COMMAND}"));
    let machine = booted(machine);
    awaited_state(&machine, SERVICE, "active");
    assert_eq!(calls(&machine), format!("provision --nbc-cmd={COMMAND}"));
}

#[test]
fn an_attempt_that_failed_is_not_repeated() {
    let machine = machine();
    machine.shell("echo 'touch /opt/azure/containers/provision.complete; exit 52' >/var/script");
    let machine = booted(machine);
    machine.shell(&format!("echo '{{}}' >{CONFIG}"));
    awaited_state(&machine, SERVICE, "failed");
    machine.shell(&format!("systemctl start {SERVICE}; chmod 600 {CONFIG}"));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(calls(&machine).lines().count(), 1);
    assert_eq!(state(&machine, "aks-node-controller.path"), "active", "the path unit does not spin");
    assert_eq!(machine.shell(&format!("systemctl show --property=ExecMainStatus --value {SERVICE}")), "52");
}

#[test]
fn stopping_the_unit_ends_provisioning() {
    let machine = machine();
    machine.shell("echo 'exec sleep 600' >/var/script");
    let machine = booted(machine);
    machine.shell(&format!("echo '{{}}' >{CONFIG}"));
    eventually("the call", || (!calls(&machine).is_empty()).then_some(()));
    machine.shell(&format!("systemctl stop {SERVICE} 2>/dev/null"));
    awaited_state(&machine, SERVICE, "failed");
    assert_eq!(calls(&machine).lines().count(), 1);
}
