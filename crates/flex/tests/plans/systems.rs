//! The systems that machines of somebody's own have: known by their os-release, planned for alike, left as they were.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use slipway_apply::{Options, Outside, Patience, Problem, ReadyOrder, ResetOptions, Unwatched, apply, reset};
use slipway_facts::{Fact, gather};
use slipway_flex::preflight::{CHECKS, Observed, Severity, examine, look};
use slipway_host::{EntryKind, Host, Recorded, UnitState, Writer};
use slipway_model::{Facts, Secret};
use slipway_plan::{Artifact, Plan, TlsBootstrap, plan};

use super::{debian, node, outline, with};

/// A system: what tells it, and what is peculiar to it.
struct System {
    id: &'static str,
    version: &'static str,
    os_release: &'static str,
    /// Files that it has besides.
    files: &'static [(&'static str, &'static str, u32)],
    /// The firewall that it has, closed to kubelet.
    firewall: Option<&'static str>,
    /// The resolver file for pods that use the machine's.
    resolver: Option<&'static str>,
}

const MODULES: &str = "kernel/fs/overlayfs/overlay.ko:\nkernel/net/bridge/br_netfilter.ko:\nkernel/net/netfilter/nf_conntrack.ko:\n";
const STUB: &str = "nameserver 127.0.0.53\noptions edns0 trust-ad\nsearch .\n";
const UPLINKS: (&str, &str, u32) = ("/run/systemd/resolve/resolv.conf", "nameserver 192.0.2.1\n", 0o644);
const RESOLVED: Option<&str> = Some(UPLINKS.0);

const SYSTEMS: [System; 5] = [
    System {
        id: "debian",
        version: "12",
        os_release: "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n",
        files: &[("/etc/resolv.conf", "nameserver 192.0.2.1\n", 0o644)],
        firewall: None,
        resolver: None,
    },
    System {
        id: "debian",
        version: "13",
        os_release: "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"13\"\nID=debian\n",
        files: &[("/etc/resolv.conf", "nameserver 192.0.2.1\n", 0o644)],
        firewall: None,
        resolver: None,
    },
    System {
        id: "ubuntu",
        version: "22.04",
        os_release: "VERSION_ID=\"22.04\"\nVERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\n",
        files: &[
            ("/etc/resolv.conf", STUB, 0o644),
            UPLINKS,
            ("/etc/ufw/ufw.conf", "ENABLED=no\n", 0o644),
            ("/etc/fstab", "/swap.img none swap sw 0 0\n", 0o644),
        ],
        firewall: None,
        resolver: RESOLVED,
    },
    System {
        id: "ubuntu",
        version: "24.04",
        os_release: "VERSION_ID=\"24.04\"\nVERSION_CODENAME=noble\nID=ubuntu\nID_LIKE=debian\n",
        files: &[
            ("/etc/resolv.conf", STUB, 0o644),
            UPLINKS,
            ("/etc/ufw/ufw.conf", "ENABLED=yes\n", 0o644),
            ("/etc/default/ufw", "DEFAULT_INPUT_POLICY=\"DROP\"\n", 0o644),
        ],
        firewall: Some("ufw"),
        resolver: RESOLVED,
    },
    System {
        id: "azurelinux",
        version: "3.0",
        os_release: "NAME=\"Microsoft Azure Linux\"\nID=azurelinux\nVERSION_ID=\"3.0\"\nVARIANT_ID=\"\"\n",
        files: &[
            ("/etc/resolv.conf", STUB, 0o644),
            UPLINKS,
            ("/proc/net/ip_tables_names", "filter\n", 0o440),
            ("/usr/sbin/iptables", "", 0o755),
            ("/etc/systemd/scripts/ip4save", "*filter\n:INPUT DROP [0:0]\nCOMMIT\n", 0o644),
        ],
        firewall: Some("iptables"),
        resolver: RESOLVED,
    },
];

impl System {
    fn machine(&self) -> Recorded {
        let runs = UnitState { exists: true, active: "active".to_owned(), ..UnitState::default() };
        let rules = "-P INPUT DROP\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n";
        let settings =
            ["net/ipv4/ip_forward", "net/ipv4/conf/all/forwarding", "net/bridge/bridge-nf-call-iptables"];
        let machine = Recorded::live()
            .with_files([
                ("/etc/os-release", self.os_release, 0o644),
                ("/etc/hostname", "edge-01\n", 0o644),
                (
                    "/usr/lib/systemd/system/containerd.service",
                    "[Install]\nWantedBy=multi-user.target\n",
                    0o644,
                ),
                ("/proc/sys/kernel/osrelease", "6.8.0\n", 0o444),
                ("/lib/modules/6.8.0/modules.dep", MODULES, 0o644),
                ("/proc/self/status", "Uid:\t0\t0\t0\t0\n", 0o444),
                ("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n", 0o444),
            ])
            .with_files(self.files.iter().copied())
            .with_directory("/var/lib", 0o755)
            .with_directory("/run/systemd/system", 0o755)
            .with_program("/usr/sbin/iptables", 0, rules)
            .with_unit_state("containerd.service", runs);
        let machine = settings
            .into_iter()
            .fold(machine, |machine, name| machine.with_setting(&format!("/proc/sys/{name}"), "0"));
        ["br_netfilter", "nf_conntrack", "overlay"].into_iter().fold(machine, Recorded::with_module)
    }

    fn facts(&self) -> Facts {
        let gathered = gather(&self.machine(), &[Fact::Os], None, Duration::ZERO).facts;
        let os = gathered.os.as_ref().unwrap();
        assert_eq!((&*os.id, &*os.version_id), (self.id, self.version));
        Facts { os: gathered.os, ..debian() }
    }

    fn plan(&self) -> Plan {
        plan(&node(&with(json!({}))), &self.facts()).unwrap()
    }
}

#[test]
fn what_is_planned_does_not_depend_on_the_system() {
    let usual = outline(&SYSTEMS[0].plan());
    for system in &SYSTEMS {
        assert_eq!(outline(&system.plan()), usual, "{} {}", system.id, system.version);
    }
}

#[test]
fn each_system_is_known_and_its_firewall_and_resolver_are_seen() {
    for system in &SYSTEMS {
        let host = system.machine();
        let seen = Observed { os: system.facts().os, ..look::machine(&host, None, false) };
        let examined = examine(CHECKS, &seen);
        let of = |id: &str| examined.iter().find(|one| one.id == id).unwrap();
        assert!(of("system").findings.is_empty(), "{:?}", of("system").findings);
        let closed: Vec<&str> = seen.firewalls.iter().flatten().map(|it| it.name).collect();
        assert_eq!(closed, system.firewall.as_slice(), "{} {}", system.id, system.version);
        let blocking: Vec<_> = examined
            .iter()
            .filter(|one| one.findings.iter().any(|finding| finding.severity == Severity::Blocks))
            .map(|one| one.id)
            .collect();
        assert_eq!(blocking, Vec::<&str>::new(), "{} {}", system.id, system.version);
        assert_eq!(look::resolver_for_pods(&host), system.resolver, "{} {}", system.id, system.version);
        let calls = host.changes();
        assert!(calls.iter().all(|call| call == "run /usr/sbin/iptables --list-rules"), "{calls:?}");
    }
}

#[test]
fn each_system_is_made_a_node_and_left_as_it_was() {
    for system in &SYSTEMS {
        let host = system.machine();
        let before = files(&host);
        let options = Options::within(Duration::from_mins(1));
        let attempt = apply(&system.plan(), &host, &Everything, &options, &Unwatched, &|| false).unwrap();
        assert_eq!(attempt.failure, None, "{} {}", system.id, system.version);
        let after = files(&host);
        // The owner's network is the owner's.
        for path in ["/etc/resolv.conf", "/etc/ufw/ufw.conf", "/etc/systemd/scripts/ip4save", "/etc/fstab"] {
            assert_eq!(after.get(Path::new(path)), before.get(Path::new(path)), "{path}");
        }
        let report = reset(&host, ResetOptions::default(), &Unwatched).unwrap();
        assert_eq!(
            (&report.kept[..], &report.failed[..]),
            (&[][..], &[][..]),
            "{} {}",
            system.id,
            system.version
        );
        assert_eq!(files(&host), before, "{} {}", system.id, system.version);
    }
}

/// Everything on a host, but the kernel's and our own records.
fn files(host: &Recorded) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut places = vec![PathBuf::from("/")];
    while let Some(place) = places.pop() {
        for path in host.list(&place).unwrap().into_iter().map(|name| place.join(name)) {
            if path.starts_with("/proc") || path.starts_with("/var/lib/slipway") {
                continue;
            }
            let kind = host.entry(&path).unwrap().unwrap().kind;
            if kind == EntryKind::Directory {
                places.push(path.clone());
            }
            all.insert(path.clone(), (kind == EntryKind::File).then(|| host.read(&path).unwrap()));
        }
    }
    all
}

/// An outside that gives whatever is asked for.
struct Everything;

impl Outside for Everything {
    fn fetch(
        &self,
        artifact: &Artifact,
        open: &mut dyn FnMut(&Path) -> io::Result<Box<dyn Writer>>,
        _patience: Patience<'_>,
    ) -> Result<(), Problem> {
        for (_, path) in &artifact.members {
            let written = open(path).and_then(|mut writer| writer.write_all(b"program"));
            written.map_err(|error| Problem::system(path.display().to_string(), &error))?;
        }
        Ok(())
    }

    fn bootstrap(
        &self,
        _order: &TlsBootstrap,
        _ca: &[u8],
        _key: &Secret<String>,
        _patience: Patience<'_>,
    ) -> Result<String, Problem> {
        Ok("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n".to_owned())
    }

    fn wait_ready(&self, _order: &ReadyOrder<'_>, _patience: Patience<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn reach(&self, _host: &str, _port: u16, _patience: Patience<'_>) -> Result<String, Problem> {
        Ok("answers".to_owned())
    }
}
