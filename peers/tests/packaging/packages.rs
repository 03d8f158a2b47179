//! What the packages bring, and that they take it away again.

use std::collections::BTreeSet;
use std::process::Command;

use crate::machine::Machine;
use crate::machine::printed;
use crate::packages;

const NODE_CONTROLLER: &str = "/opt/azure/containers/aks-node-controller";

fn install(machine: &Machine) {
    let deb = machine.bring(&packages().deb);
    machine.shell(&format!("dpkg --no-triggers --install {deb}"));
}

#[test]
fn the_deb_installs_runs_under_every_name_and_leaves_nothing() {
    let machine = Machine::new();
    let before = machine.listing();
    install(&machine);
    let version = machine.shell("slipway version");
    let package = printed(Command::new("dpkg-deb").arg("--field").arg(&packages().deb).arg("Version"));
    assert_eq!(version, package.trim());
    for name in [NODE_CONTROLLER, "/usr/bin/aks-node-controller", "/opt/azure/containers/slipway"] {
        assert_eq!(machine.shell(&format!("{name} version 2>/dev/null")), version, "{name}");
        assert_eq!(machine.shell(&format!("readlink {name}")), "/usr/bin/slipway");
    }
    assert_eq!(machine.shell("aks-flex-node version | sed -n 's/^Version: //p'"), version);
    assert_eq!(machine.shell("readlink /usr/bin/aks-flex-node"), "/usr/bin/slipway");
    for (path, expected) in [
        ("/usr/bin/slipway", "755 root:root regular file"),
        ("/usr/bin/slipwayd", "755 root:root regular file"),
        ("/opt/azure/containers", "755 root:root directory"),
        ("/usr/lib/systemd/system", "755 root:root directory"),
        ("/usr/lib/systemd/system/aks-node-controller.service", "644 root:root regular file"),
        ("/usr/lib/systemd/system/aks-node-controller.path", "644 root:root regular file"),
        ("/usr/lib/systemd/system/aks-flex-node@.service", "644 root:root regular file"),
        ("/usr/share/man/man1/slipway-boot.1", "644 root:root regular file"),
        ("/usr/share/bash-completion/completions/slipway", "644 root:root regular file"),
        ("/usr/share/zsh/site-functions/_slipway", "644 root:root regular file"),
        ("/usr/share/fish/vendor_completions.d/slipway.fish", "644 root:root regular file"),
        ("/usr/share/doc/slipway/copyright", "644 root:root regular file"),
        ("/usr/share/doc/slipway/CHANGELOG.md", "644 root:root regular file"),
    ] {
        assert_eq!(machine.shell(&format!("stat -c '%a %U:%G %F' {path}")), expected, "{path}");
    }
    machine.shell("bash -n /usr/share/bash-completion/completions/slipway && dpkg --verify slipway");
    machine.shell("dpkg --no-triggers --purge slipway");
    machine.assert_unchanged(&before);
}

#[test]
fn the_binary_of_an_image_comes_back_when_slipway_goes() {
    let machine = Machine::new();
    machine.shell("mkdir -p /opt/azure/containers");
    machine.shell(&format!("echo own >{NODE_CONTROLLER} && chmod 700 {NODE_CONTROLLER}"));
    let before = machine.listing();
    install(&machine);
    assert_eq!(machine.shell(&format!("cat {NODE_CONTROLLER}.before-slipway")), "own");
    install(&machine);
    assert_eq!(
        machine.shell(&format!("readlink {NODE_CONTROLLER}; cat {NODE_CONTROLLER}.before-slipway")),
        "/usr/bin/slipway\nown"
    );
    machine.shell("dpkg --no-triggers --remove slipway");
    assert_eq!(machine.shell(&format!("cat {NODE_CONTROLLER}")), "own");
    machine.assert_unchanged(&before);
}

#[test]
fn a_hotfix_package_may_bring_its_binary_under_its_name() {
    let machine = Machine::new();
    install(&machine);
    machine.shell(
        "mkdir -p /tmp/hotfix/DEBIAN /tmp/hotfix/usr/bin
         printf 'Package: aks-node-controller\\nVersion: 202601.15.1\\nArchitecture: all\\nMaintainer: x <x@example.com>\\nDescription: x\\n' >/tmp/hotfix/DEBIAN/control
         printf '#!/bin/sh\\necho hotfix\\n' >/tmp/hotfix/usr/bin/aks-node-controller
         chmod 755 /tmp/hotfix/usr/bin/aks-node-controller
         dpkg-deb --build --root-owner-group /tmp/hotfix /tmp/hotfix.deb
         dpkg --no-triggers --install /tmp/hotfix.deb",
    );
    assert_eq!(machine.shell("aks-node-controller"), "hotfix");
    assert_eq!(
        machine.shell("slipway version"),
        machine.shell(&format!("{NODE_CONTROLLER} version 2>/dev/null"))
    );
    install(&machine);
    machine.shell("dpkg --no-triggers --remove slipway");
    assert_eq!(machine.shell("aks-node-controller"), "hotfix", "it is not ours to remove");
}

#[test]
fn the_rpm_brings_the_same_files_and_takes_them_away() {
    let rpm = &packages().rpm;
    let query = "[%{FILEMODES:perms} %{FILENAMES}\n]";
    let brought = printed(Command::new("rpm").args(["-qp", "--qf", query]).arg(rpm));
    let tar = "dpkg-deb --fsys-tarfile \"$1\" | tar -t";
    let deb = printed(Command::new("sh").args(["-c", tar, "sh"]).arg(&packages().deb));
    let files = |text: &str, skip: usize| -> BTreeSet<String> {
        let lines = text.lines().filter(|line| !line.starts_with('d') && !line.ends_with('/'));
        lines.map(|line| line[skip..].to_owned()).collect()
    };
    assert_eq!(files(&brought, "-rw-r--r-- ".len()), files(&deb, ".".len()));

    let machine = Machine::new();
    let before = machine.listing();
    let inside = machine.bring(rpm);
    // The database of packages here is dpkg's, so what the package needs cannot be found by rpm.
    machine.shell(&format!("rpm --install --nodeps --force-debian {inside}"));
    let version = machine.shell("slipway version");
    assert_eq!(machine.shell(&format!("{NODE_CONTROLLER} version 2>/dev/null")), version);
    machine.shell("rpm --verify --nodeps slipway");
    machine.shell("rpm --erase --nodeps --force-debian slipway");
    machine.assert_unchanged(&before);
}
