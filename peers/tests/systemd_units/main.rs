//! Units of a real systemd, started, stopped and asked about without `systemctl`: over its private socket, and over
//! the bus where that is not there. Mounts and settings of the same machine.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the tests build, install and run, and fail by panicking"
)]

#[expect(dead_code, reason = "the tests of packages look at files too")]
#[path = "../packaging/machine.rs"]
mod machine;

use std::path::Path;
use std::time::{Duration, Instant};

use machine::{Machine, eventually};

const UNITS: &str = r"
cat >/run/systemd/system/good.service <<'END'
[Service]
ExecStart=/bin/sleep infinity
ExecReload=/bin/sh -c 'echo reloaded >>/run/reloads'
END
cat >/run/systemd/system/bad.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/false
END
cat >/run/systemd/system/needy.service <<'END'
[Unit]
Requires=bad.service
After=bad.service
[Service]
ExecStart=/bin/sleep infinity
END
cat >/run/systemd/system/slow.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sleep 600
END
cat >/run/systemd/system/waits.service <<'END'
[Unit]
After=inside.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
END
cat >/run/systemd/system/inside.service <<'END'
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/run/machine start waits.service
END
";

/// A booted machine with our client and some units on it.
struct Units(Machine);

impl Units {
    fn new() -> Self {
        let mut machine = Machine::new();
        machine.boot();
        let inside = machine.bring(Path::new(env!("CARGO_BIN_EXE_machine")));
        machine.shell(&format!("install -m 755 {inside} /run/machine; mkdir -p /run/systemd/system"));
        machine.shell(UNITS);
        Self(machine)
    }

    fn call(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.0.run("/run/machine", arguments);
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.success(), String::from_utf8(text).unwrap().trim().to_owned())
    }

    fn assert(&self, arguments: &[&str], succeeds: bool, answer: &str) {
        assert_eq!(self.call(arguments), (succeeds, answer.to_owned()), "{arguments:?}");
    }
}

fn everything_works(units: &Units) {
    units.assert(&["reload-units"], true, "reloaded");
    units.assert(&["start", "good.service", "20"], true, "active");
    let pid = units.0.shell("systemctl show --property=MainPID --value good.service");
    units.assert(&["start", "good.service", "20"], true, "active");
    units.assert(&["reload", "good.service", "20"], true, "active");
    assert_eq!(units.0.shell("cat /run/reloads; rm /run/reloads"), "reloaded");
    assert_eq!(units.0.shell("systemctl show --property=MainPID --value good.service"), pid);
    units.assert(&["restart", "good.service", "20"], true, "active");
    assert_ne!(units.0.shell("systemctl show --property=MainPID --value good.service"), pid);
    let (_, state) = units.call(&["unit", "good.service"]);
    let expected = ["exists: true", "active: \"active\"", "sub: \"running\"", "result: \"success\""];
    assert!(expected.iter().all(|line| state.contains(line)), "{state}");
    assert!(!state.contains("main_started: 0,") && !state.contains("became_active: 0,"), "{state}");
    units.assert(&["stop", "good.service", "20"], true, "inactive");
    units.assert(&["reload", "good.service", "20"], true, "inactive");

    let failed = "Other: the start of bad.service failed: see journalctl --unit=bad.service";
    units.assert(&["start", "bad.service", "20"], false, failed);
    let (_, state) = units.call(&["unit", "bad.service"]);
    assert!(state.contains("active: \"failed\"") && state.contains("result: \"exit-code\""), "{state}");
    let needy = "Other: the start of needy.service was not begun, because a unit that it needs failed: \
        see journalctl --unit=needy.service";
    units.assert(&["start", "needy.service", "20"], false, needy);
    units.assert(&["start", "none.service", "20"], false, "NotFound: Unit none.service not found.");
    let (_, state) = units.call(&["unit", "none.service"]);
    assert!(state.contains("exists: false"), "{state}");
    let (_, state) = units.call(&["unit", "basic.target"]);
    assert!(state.contains("active: \"active\""), "{state}");

    let start = Instant::now();
    let late = "TimedOut: the start of slow.service has not ended after 300ms";
    units.assert(&["start", "slow.service", "0.3"], false, late);
    assert!(start.elapsed() < Duration::from_secs(10));
    units.assert(&["stop", "slow.service", "20"], true, "inactive");
    assert!(units.call(&["start", "slow.service"]).0);
    eventually("the start", || units.call(&["unit", "slow.service"]).1.contains("activating").then_some(()));
    units.assert(&["stop", "slow.service", "20"], true, "inactive");

    let (_, moments) = units.call(&["boot"]);
    assert!(!moments.contains("userspace: 0,") && moments.contains("finished: "), "{moments}");

    // A job that is ordered after the unit that asks for it: who waited would wait for ever.
    units.assert(&["start", "inside.service", "20"], true, "active");
    eventually("waits.service", || {
        units.call(&["unit", "waits.service"]).1.contains("\"active\"").then_some(())
    });
    units.0.shell("systemctl stop inside.service waits.service; systemctl reset-failed");
}

#[test]
fn units_are_driven_over_the_private_socket_and_over_the_bus() {
    let units = Units::new();
    assert_eq!(
        units.0.shell("test ! -e /run/dbus/pid && test -S /run/systemd/private && echo private"),
        "private"
    );
    everything_works(&units);
    let busless = units.0.shell("systemctl is-active dbus.service || true");
    assert_eq!(busless, "inactive", "the private socket needs no bus");
    units.0.shell("systemctl start dbus.socket; mv /run/systemd/private /run/systemd/hidden");
    let bus = units.0.shell("busctl --version >/dev/null; test -S /run/dbus/system_bus_socket && echo bus");
    assert_eq!(bus, "bus");
    // systemctl of the tests goes over the bus as well now.
    everything_works(&units);
    assert_eq!(units.0.shell("systemctl is-active dbus.service"), "active");
}

#[test]
fn mounts_and_settings_are_made_and_taken_back() {
    let units = Units::new();
    units.0.shell("mkdir -p /var/from/deep /var/at; echo here >/var/from/file; ln -s /var/at /var/link");
    units.assert(&["bind", "/var/from", "/var/link"], true, "true");
    assert_eq!(units.0.shell("cat /var/at/file"), "here");
    let propagation = "grep ' /var/at ' /proc/self/mountinfo | grep -c shared: || true";
    units.0.shell("mount --make-private /var/at");
    assert_eq!(units.0.shell(propagation), "0");
    units.assert(&["share", "/var/at"], true, "true");
    assert_eq!(units.0.shell(propagation), "1");
    units.assert(&["unmount", "/var/at"], true, "false");
    assert_eq!(units.0.shell("ls /var/at"), "");
    assert!(!units.call(&["unmount", "/var/at"]).0, "what is not mounted cannot be unmounted");
    assert!(!units.call(&["bind", "/var/none", "/var/at"]).0);
    // The network of a container is its own, and so are its settings.
    units.0.shell("mount -o remount,rw,bind /proc/sys || mount -t proc proc /proc");
    units.assert(&["set", "/proc/sys/net/ipv4/ip_forward", "1"], true, "1");
    units.assert(&["set", "/proc/sys/net/ipv4/ip_forward", "0"], true, "0");
    assert!(!units.call(&["set", "/proc/sys/net/ipv4/ip_forward", "words"]).0);
}

#[test]
fn jobs_that_are_awaited_at_once_do_not_take_each_others_signals() {
    let units = Units::new();
    units.0.shell(
        "for n in 1 2 3 4 5 6 7 8; do
           printf '[Service]\\nType=oneshot\\nRemainAfterExit=yes\\nExecStart=/bin/sleep 0.%s\\n' $n \
             >/run/systemd/system/many$n.service
         done",
    );
    units.assert(&["reload-units"], true, "reloaded");
    let answers =
        units.0.shell("for n in 1 2 3 4 5 6 7 8; do /run/machine start many$n.service 20 & done; wait");
    assert_eq!(answers.lines().filter(|line| *line == "active").count(), 8, "{answers}");
}
