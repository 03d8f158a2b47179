//! `download-hotfix` with the real dnf and rpm, from a repository of signed packages in a directory.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the test sets a machine up and looks at what became of it"
)]

#[expect(unreachable_pub, reason = "a module of test programs")]
mod machine;

use machine::Machine;

const SPEC: &[u8] = b"Name: aks-node-controller
Version: %{wanted}
Release: 1.azl3
Summary: stand-in
License: MIT
BuildArch: noarch
AutoReqProv: no
%description
A stand-in.
%install
mkdir -p %{buildroot}/usr/bin
printf '#!/bin/sh\\n[ \"$1\" = version ] && echo %{wanted}\\n' >%{buildroot}/usr/bin/aks-node-controller
chmod 755 %{buildroot}/usr/bin/aks-node-controller
%files
/usr/bin/aks-node-controller
";

const REPOSITORY: &str = r#"
export HOME=/root GNUPGHOME=/srv/gnupg
mkdir -p -m 700 /srv/gnupg
mkdir -p /srv/repository /etc/yum.repos.d
gpg --batch --quiet --passphrase '' --quick-generate-key 'Test <test@example>' rsa2048 sign never
gpg --armor --export >/srv/repository.key
for version in 202601.15.1 202601.15.10; do
    rpmbuild -bb --define "wanted $version" --define '_topdir /srv/build' /srv/package.spec
done
mv /srv/build/RPMS/noarch/*.rpm /srv/repository
rpmsign --define '_gpg_name test@example' --define '__gpg /usr/bin/gpg' --addsign /srv/repository/*.rpm
createrepo_c --quiet /srv/repository
printf '[test]\nname=test\nbaseurl=file:///srv/repository\nenabled=1\ngpgcheck=1\ngpgkey=file:///srv/repository.key\n' \
    >/etc/yum.repos.d/test.repo
"#;

fn azure_linux(name: &str) -> Machine {
    let machine = Machine::new(name, &["dnf", "rpmbuild", "rpmsign", "createrepo_c"]);
    machine.put("/etc/os-release", b"NAME=\"Microsoft Azure Linux\"\nID=azurelinux\n", 0o644);
    let pointer = br#"{"hotfixes":{"202601.15":"202601.15.1"}}"#;
    machine.put("/opt/azure/containers/aks-node-controller-hotfix.json", pointer, 0o644);
    machine.put("/srv/package.spec", SPEC, 0o644);
    machine.must(REPOSITORY);
    machine
}

#[test]
fn the_version_that_was_asked_for_is_installed_and_staged() {
    for rules in ["peer", "ours"] {
        let machine = azure_linux(&format!("dnf-{rules}"));
        let output = machine.download(rules);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(machine.staged_version(), "202601.15.1", "{rules}");
        let query = "rpm --query --queryformat '%{VERSION}' aks-node-controller";
        assert_eq!(machine.must(query), "202601.15.1", "{rules}");
    }
}

#[test]
fn packages_that_are_signed_by_someone_else_are_refused_by_dnf_and_nothing_is_staged() {
    let machine = azure_linux("dnf-tampered");
    machine.must(
        "export GNUPGHOME=/srv/stranger; mkdir -m 700 /srv/stranger
         gpg --batch --quiet --passphrase '' --quick-generate-key 'Stranger <s@example>' rsa2048 sign never
         gpg --armor --export >/srv/repository.key",
    );
    let output = machine.download("ours");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.contains("dnf failed after 5 attempts"), "{log}");
    assert!(!machine.changed("/opt/azure/containers/aks-node-controller-hotfix").exists());
}
