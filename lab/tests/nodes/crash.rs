//! Provisioning that is killed, or loses its power, comes to the same end when it runs again.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use slipway_lab::{Ending, Machine, native};

use crate::scene::{Scene, kill, scene, slipway};

/// An undisturbed attempt is over after this long, with a busy machine.
const LONGEST_ATTEMPT: Duration = Duration::from_millis(2500);

/// Moments to interrupt an attempt at: random, and the same again for the same seed.
pub(crate) struct Moments(u64);

impl Moments {
    /// The seed is `SLIPWAY_LAB_SEED`, or else the time; it is printed.
    pub(crate) fn new() -> Self {
        let given = env::var("SLIPWAY_LAB_SEED").ok().and_then(|seed| seed.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let seed = given.unwrap_or_else(now);
        eprintln!("SLIPWAY_LAB_SEED={seed}");
        Self(seed)
    }

    /// Small moments come more often than large ones: early on there is more to interrupt.
    pub(crate) fn next(&mut self) -> Duration {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let [first, second, ..] = bits.to_le_bytes();
        LONGEST_ATTEMPT * u32::from(first) / 256 * u32::from(second) / 256
    }
}

/// How often something is interrupted: in the full run, at more moments.
pub(crate) fn rounds() -> u32 {
    if is_full() { 20 } else { 3 }
}

/// Whether this is the full run.
pub(crate) fn is_full() -> bool {
    env::var_os("SLIPWAY_LAB_FULL").is_some()
}

/// Paths with type, mode and owner of everything that provisioning is about, and the contents of what is not a key; what
/// belongs to one machine is made alike.
fn files(machine: &Machine) -> BTreeSet<String> {
    let alike = |text: &str| {
        let text = text.replace(&machine.address, "ADDRESS").replace(&machine.name, "NODE");
        match text.split_once("kubelet-client-2") {
            Some((before, after)) => {
                format!("{before}kubelet-client-DATE{}", after.get(22..).unwrap_or_default())
            }
            None => text,
        }
    };
    let find = r"find /etc /opt /usr/bin /usr/sbin /usr/local /var/lib -path /var/lib/containerd -prune -o -path /var/lib/slipway -prune -o -printf '%p %y %#m %U:%G %l\n'";
    let listed = machine.run("bash", &["-c", find]).unwrap();
    let mut found: BTreeSet<String> = listed.lines().map(alike).collect();
    for line in listed.lines() {
        let path = line.split(' ').next().unwrap();
        // Keys and certificates, a file with the node's addresses for pods, and what `chage` found when it last ran: it
        // runs once more where the machine boots once more.
        let own = [
            "/etc/kubernetes/certs/kubeletserver",
            "/etc/cni/net.d/10-containerd-net",
            "/etc/machine-id",
            "/etc/shadow-",
        ];
        if path.starts_with("/etc/") && !own.iter().any(|own| path.starts_with(own)) {
            let content = fs::read(machine.path(path)).unwrap_or_default();
            found.insert(format!("{path}: {}", alike(&String::from_utf8_lossy(&content))));
        }
    }
    found
}

/// Begins to provision a machine and leaves it to that for a while.
fn begin(scene: &Scene, machine: &Machine, moment: Duration) {
    native::install(machine, slipway(), &scene.contract()).unwrap();
    let unit = format!("--unit={}", native::UNIT);
    let command = [native::PROGRAM, "provision", "--provision-config", native::CONTRACT];
    machine.run("systemd-run", &[&["--quiet", "--collect", &unit], &command[..]].concat()).unwrap();
    thread::sleep(moment);
}

fn undisturbed(scene: &Scene, name: &str) -> BTreeSet<String> {
    let machine = scene.machine(name);
    scene.join(&machine, &scene.contract());
    files(&machine)
}

fn assert_alike(machine: &Machine, expected: &BTreeSet<String>, how: &str) {
    let found = files(machine);
    let differences: Vec<&String> = found.symmetric_difference(expected).collect();
    assert_eq!(differences, Vec::<&String>::new(), "{how}");
}

#[test]
fn an_attempt_killed_at_any_moment_is_made_up_for_by_the_next() {
    let scene = scene();
    let expected = undisturbed(scene, "unharmed");
    let mut moments = Moments::new();
    for round in 0..rounds() {
        let machine = scene.machine(&format!("killed{round}"));
        let moment = moments.next();
        begin(scene, &machine, moment);
        kill(&machine, native::UNIT);
        let how = format!("killed after {moment:?}");
        eprintln!("{how}: {}", last_line(&machine.run("slipway", &["status"]).unwrap_or_default()));
        scene.join(&machine, &scene.contract());
        assert_alike(&machine, &expected, &how);
    }
}

#[test]
fn a_machine_that_loses_power_halfway_becomes_a_node_after_it_boots_again() {
    let scene = scene();
    let expected = undisturbed(scene, "unhurt");
    let mut machine = scene.machine("powerless");
    let moment = Moments::new().next();
    begin(scene, &machine, moment);
    machine.reboot(Ending::PowerLoss).unwrap();
    scene.join(&machine, &scene.contract());
    assert_alike(&machine, &expected, &format!("without power after {moment:?}"));
}

fn last_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
