//! What the boothook does on a machine.

use slipway_contract::custom_data::Form;

use super::machine::{Booted, Machine, PROGRAM};
use super::{
    CONTRACT_FILE, FEATURES, FEATURES_FILE, accented, boothook_script, contract, document, same_contract,
};

pub(super) const SLIPWAY: &str = "/opt/azure/containers/slipway";
pub(super) const LAUNCHER: &str = "/opt/azure/containers/aks-node-controller-launcher.sh";
pub(super) const PRELOAD: &str = "/opt/azure/containers/provision_preload.sh";
pub(super) const LOG: &str = "/var/log/azure/aks-node-controller.output";

pub(super) fn started(program: &str) -> String {
    format!("{program}, umask 0000, stdin /dev/null")
}

fn script() -> String {
    boothook_script(&document(&contract(), Form::Boothook, None))
}

fn assert_clean(booted: &Booted) {
    assert!(booted.success, "{}", booted.output);
    assert_eq!(booted.output, "");
    assert!(!booted.held, "a background program held cloud-init's pipes");
    same_contract(&booted.files[CONTRACT_FILE].1, &contract());
    assert_eq!(booted.files[CONTRACT_FILE].0, 0o600);
    assert_eq!(booted.text(FEATURES_FILE), FEATURES);
    assert_eq!(booted.files[FEATURES_FILE].0, 0o600);
    let temporary: Vec<_> =
        booted.files.keys().filter(|path| path.contains(".json.") || path.contains(".sh.")).collect();
    assert!(temporary.is_empty(), "{temporary:?}");
}

#[test]
fn an_image_with_slipway_runs_slipway_boot_even_when_it_has_a_launcher() {
    let booted = Machine::new("slipway")
        .program(SLIPWAY, PROGRAM)
        .program(LAUNCHER, PROGRAM)
        .program(PRELOAD, PROGRAM)
        .expecting(2)
        .boot(&script());
    assert_clean(&booted);
    assert_eq!(booted.started(), [started(&format!("{PRELOAD} ")), started(&format!("{SLIPWAY} boot"))]);
    assert_eq!(booted.text(LOG), "output\n");
    assert_eq!(
        booted.text("/opt/syslog"),
        "-t aks-boothook start\n-t aks-boothook launching aks-node-controller\n"
    );
}

#[test]
fn an_older_image_runs_its_launcher() {
    let booted = Machine::new("launcher").program(LAUNCHER, PROGRAM).boot(&script());
    assert_clean(&booted);
    assert_eq!(booted.started(), [started(&format!("{LAUNCHER} "))]);
}

#[test]
fn an_image_without_a_launcher_starts_the_unit_and_does_not_wait() {
    let booted = Machine::new("unit").boot(&script());
    assert_clean(&booted);
    assert_eq!(booted.started(), ["systemctl start --no-block aks-node-controller.service"]);
}

#[test]
fn a_machine_that_was_provisioned_does_not_run_the_launcher_again() {
    let machine = Machine::new("guard").program(LAUNCHER, PROGRAM).expecting(0);
    let booted = machine.setup("touch /opt/azure/containers/provision.complete").boot(&script());
    assert_clean(&booted);
    assert!(booted.started().is_empty());
    assert!(booted.text("/opt/syslog").ends_with("provisioned already\n"));
}

#[test]
fn slipway_itself_decides_what_a_later_boot_is_for() {
    let machine = Machine::new("later").program(SLIPWAY, PROGRAM).boots(2).expecting(2);
    let booted = machine.setup("touch /opt/azure/containers/provision.complete").boot(&script());
    assert_eq!(booted.started(), vec![started(&format!("{SLIPWAY} boot")); 2]);
    assert_eq!(booted.text(LOG), "output\noutput\n");
}

#[test]
fn files_are_private_from_their_first_byte_until_they_have_their_names() {
    let machine = Machine::new("modes").boots(2).expecting(2);
    // A file that a hand or an earlier image left open is replaced, not written into.
    let booted = machine
        .setup(&format!("mkdir -p /opt/azure/containers; (umask 0; echo >{CONTRACT_FILE})"))
        .boot(&script());
    assert_clean(&booted);
    assert_eq!(booted.text("/opt/modes"), "write 600\nrename 600\n".repeat(4));
}

#[test]
fn features_outside_ascii_arrive_as_they_are() {
    let script = boothook_script(&document(&accented(), Form::Boothook, None));
    assert!(script.is_ascii());
    let booted = Machine::new("accents").boot(&script);
    assert_eq!(booted.files[FEATURES_FILE], (0o600, "A=é 😀 \u{1b}\n".as_bytes().to_vec()));
}

#[test]
fn a_disk_that_is_full_fails_the_boot_and_leaves_the_old_file() {
    let machine = Machine::new("full").tool("cat", "exit 1").expecting(0);
    let booted =
        machine.setup(&format!("mkdir -p /opt/azure/containers; echo old >{CONTRACT_FILE}")).boot(&script());
    assert!(!booted.success);
    assert_eq!(booted.text(CONTRACT_FILE), "old\n");
    assert!(booted.started().is_empty());
}

#[test]
fn syslog_is_not_needed() {
    let booted =
        Machine::new("no-logger").tool("logger", "exit 1").program(LAUNCHER, PROGRAM).boot(&script());
    assert_clean(&booted);
    assert_eq!(booted.started(), [started(&format!("{LAUNCHER} "))]);
}
