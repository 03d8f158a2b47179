//! `download-hotfix` with the real apt and dpkg, from a signed repository in a directory.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the test sets a machine up and looks at what became of it"
)]

#[expect(unreachable_pub, reason = "a module of test programs")]
mod machine;

use machine::Machine;

/// Two packages whose versions start alike, in a repository that is signed as Microsoft's is.
const REPOSITORY: &str = r#"
export GNUPGHOME=/srv/gnupg
mkdir -p -m 700 /srv/gnupg
mkdir -p /srv/repository
gpg --batch --quiet --passphrase '' --quick-generate-key 'Test <test@example>' rsa2048 sign never
gpg --export >/srv/repository.gpg
for version in 202601.15.1 202601.15.10; do
    tree=/srv/tree/$version
    mkdir -p "$tree/DEBIAN" "$tree/usr/bin"
    printf '#!/bin/sh\n[ "$1" = version ] && echo %s\n' "$version" >"$tree/usr/bin/aks-node-controller"
    chmod 755 "$tree/usr/bin/aks-node-controller"
    printf 'Package: aks-node-controller\nVersion: %s-ubuntu22.04u1\nArchitecture: all\nMaintainer: T <t@example>\nDescription: stand-in\n' \
        "$version" >"$tree/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$tree" "/srv/repository/aks-node-controller_${version}_all.deb"
done
cd /srv/repository
apt-ftparchive packages . >Packages
apt-ftparchive release . >/srv/Release
gpg --batch --yes --clearsign --output InRelease /srv/Release
echo 'deb [signed-by=/srv/repository.gpg] file:/srv/repository ./' >/etc/apt/sources.list.d/microsoft-prod.list
"#;

fn ubuntu(name: &str) -> Machine {
    ubuntu_with(name, REPOSITORY)
}

fn ubuntu_with(name: &str, repository: &str) -> Machine {
    let machine = Machine::new(name, &["apt-get", "apt-cache", "dpkg", "dpkg-deb", "apt-ftparchive"]);
    machine.put("/etc/os-release", b"NAME=\"Ubuntu\"\nID=ubuntu\n", 0o644);
    let pointer = br#"{"hotfixes":{"202601.15":"202601.15.1"}}"#;
    machine.put("/opt/azure/containers/aks-node-controller-hotfix.json", pointer, 0o644);
    machine.must(repository);
    machine
}

#[test]
fn the_version_that_was_asked_for_is_installed_and_staged() {
    let machine = ubuntu("apt-ours");
    let output = machine.download("ours");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{log}");
    assert!(log.contains("\"msg\":\"staged ANC hotfix\""), "{log}");
    assert_eq!(machine.staged_version(), "202601.15.1");
    let installed = machine.must("dpkg-query --show --showformat '${Version}' aks-node-controller");
    assert_eq!(installed, "202601.15.1-ubuntu22.04u1");
    // A second run finds it in place, and needs no repository for that.
    machine.must("rm -rf /srv/repository");
    let again = machine.download("ours");
    assert_eq!(again.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&again.stderr).contains("hotfix is staged already"));
    let baked = std::fs::read(machine.changed("/opt/azure/containers/aks-node-controller")).unwrap();
    assert_eq!(baked, b"the image's own");
}

#[test]
fn the_peers_rules_take_any_version_that_starts_like_it() {
    let machine = ubuntu("apt-peer");
    let output = machine.download("peer");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("aks-node-controller"),
        "apt's output is passed on"
    );
    assert_eq!(machine.staged_version(), "202601.15.10");
}

#[test]
fn a_repository_that_was_tampered_with_is_refused_by_apt_and_nothing_is_staged() {
    let machine = ubuntu("apt-tampered");
    machine.must("sed -i 's/stand-in/tampered/' /srv/repository/Packages");
    let output = machine.download("ours");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(100), "{log}");
    assert!(log.contains("\"attempt\":5,\"maxRetries\":5"), "{log}");
    assert!(
        log.contains("\"level\":\"ERROR\",\"msg\":\"aks-node-controller hotfix download failed\""),
        "{log}"
    );
    assert!(!machine.changed("/opt/azure/containers/aks-node-controller-hotfix").exists());
}

#[test]
fn a_package_with_another_program_in_it_is_not_staged() {
    let machine = ubuntu_with("apt-broken", &REPOSITORY.replace("echo %s", "echo not %s"));
    let output = machine.download("ours");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.contains(r#"reports version \"not 202601.15.1\", not 202601.15.1"#), "{log}");
    assert!(!machine.changed("/opt/azure/containers/aks-node-controller-hotfix").exists());
}
