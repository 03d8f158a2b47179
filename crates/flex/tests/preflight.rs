//! What stands against a join, case by case; and what is looked at, on a machine in memory.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use slipway_flex::preflight::{
    ActiveNode, ArcSeen, CHECKS, Cgroups, CredentialSeen, Firewall, KubeletSeen, Leftover, Observed,
    Resolver, RuntimeSeen, SandboxFrom, SandboxSeen, ServerSeen, Severity, Unknown, Unpermitted, Unreached,
    examine, look, worst,
};
use slipway_host::{Recorded, Space, UnitState};
use slipway_model::Os;

const NOW: i64 = 1_800_000_000;
const GIB: u64 = 1 << 30;

/// A machine with which all is well, and everything was looked at.
fn well() -> Observed {
    let controllers = ["cpuset", "cpu", "io", "memory", "pids"].map(str::to_owned).into();
    Observed {
        live: true,
        now: NOW,
        root: Some(true),
        os: Some(Os { id: "debian".into(), version_id: "13".into(), ..Os::default() }),
        systemd: Some(true),
        cpus: Some(4),
        memory: Some(8 * GIB),
        disks: vec![("/".into(), Space { free: 60 * GIB, size: 100 * GIB, free_files: Some(9) })],
        swaps: Some(Vec::new()),
        fail_swap_on: Some(false),
        selinux: Some(false),
        cgroups: Some(Cgroups { unified: true, controllers }),
        modules: vec![("overlay", true), ("br_netfilter", true)],
        resolver: Some(Resolver { servers: vec!["192.0.2.1".into()], has_uplinks: false }),
        firewalls: Some(Vec::new()),
        runtimes: Some(Vec::new()),
        kubelet: Some(KubeletSeen { program: None, unit: false, runs: false }),
        ports: Some(Vec::new()),
        leftovers: Some(Vec::new()),
        open_secrets: Some(Vec::new()),
        node_name: Some("edge-07".into()),
        kubernetes: Some((1, 34)),
        server: Some(ServerSeen { name: "api:443".into(), answer: Ok(Some(NOW - 2)) }),
        credential: Some(CredentialSeen::Accepted),
        active: Some(None),
        sources: vec![("mirror:443".into(), Ok(()))],
        sandbox: Some(SandboxSeen { image: "r.example/pause:1".into(), from: SandboxFrom::Here }),
        permissions: Some(Ok(Vec::new())),
        arc: Some(ArcSeen::Usable("connected".into())),
        ours: false,
    }
}

fn unknown(problem: &str) -> Unknown {
    Unknown { problem: problem.into(), hint: "look again".into() }
}

/// Severity, check and message of everything found.
fn found(seen: &Observed) -> Vec<String> {
    let lines = examine(CHECKS, seen).into_iter().flat_map(|one| {
        let line = move |it: &slipway_flex::preflight::Finding| {
            assert!(!it.advice.is_empty(), "{}", one.id);
            format!("{} {}: {}", it.severity, one.id, it.message)
        };
        one.findings.iter().map(line).collect::<Vec<_>>()
    });
    lines.filter(|line| line != "fine arc: connected").collect()
}

#[test]
fn a_machine_with_nothing_wrong_can_join() {
    assert_eq!(found(&well()), Vec::<String>::new());
    let examined = examine(CHECKS, &well());
    assert!(examined.iter().all(|one| one.seen), "{examined:?}");
    assert_eq!(worst(&examined), Some(Severity::Fine));
    let unseen = examine(CHECKS, &Observed::default());
    assert!(unseen.iter().all(|one| !one.seen && one.findings.is_empty()), "{unseen:?}");
}

fn with(change: impl FnOnce(&mut Observed)) -> Observed {
    let mut seen = well();
    change(&mut seen);
    seen
}

fn disk(free: u64, size: u64) -> Observed {
    with(|seen| seen.disks = vec![("/".into(), Space { free, size, free_files: None })])
}

fn unreached(why: Unreached) -> Observed {
    with(|seen| seen.server = Some(ServerSeen { name: "api:443".into(), answer: Err(why) }))
}

fn active(ready: bool, heard: Option<i64>, same_machine: bool) -> Observed {
    with(|seen| {
        seen.active = Some(Some(ActiveNode { ready, heard, same_machine, address: "10.0.0.9".into() }));
    })
}

fn sandbox(from: SandboxFrom) -> Observed {
    with(|seen| seen.sandbox = Some(SandboxSeen { image: "r.example/pause:1".into(), from }))
}

fn machine_cases() -> Vec<(Observed, &'static [&'static str])> {
    vec![
        (with(|seen| seen.root = Some(false)), &["blocks privileges: this is not root"]),
        (
            with(|seen| seen.systemd = Some(false)),
            &["blocks system: systemd does not manage this machine's services"],
        ),
        (
            with(|seen| seen.os = Some(Os { id: "arch".into(), ..Os::default() })),
            &["warns system: arch is no system that nodes were tried on"],
        ),
        (
            with(|seen| seen.open_secrets = Some(vec!["/etc/c.json".into()])),
            &["warns secrets: /etc/c.json holds a secret, and others than its owner can read it"],
        ),
        (with(|seen| seen.cpus = Some(1)), &["warns resources: there is 1 processor"]),
        (with(|seen| seen.memory = Some(GIB)), &["warns resources: there are 1024 MiB of memory"]),
        (with(|seen| seen.memory = Some(GIB / 4)), &["blocks resources: there are 256 MiB of memory"]),
        (disk(GIB / 2, GIB), &["blocks disk: /: 512 MiB are free"]),
        (disk(4 * GIB, 10 * GIB), &["warns disk: /: 4096 MiB are free"]),
        (disk(50 * GIB, 1000 * GIB), &["warns disk: /: 5% of its space is free"]),
        // A node that is here has its programs.
        (Observed { ours: true, ..disk(GIB / 2, GIB) }, &[]),
        (with(|seen| seen.swaps = Some(vec!["/swapfile".into()])), &["warns swap: /swapfile is in use"]),
        (
            with(|seen| {
                seen.swaps = Some(vec!["/swapfile".into()]);
                seen.fail_swap_on = Some(true);
            }),
            &["blocks swap: /swapfile is in use"],
        ),
        (
            with(|seen| seen.cgroups = Some(Cgroups { unified: false, controllers: vec![] })),
            &["warns cgroups: they are of version 1"],
        ),
        (
            with(|seen| {
                seen.cgroups = Some(Cgroups { unified: false, controllers: vec![] });
                seen.kubernetes = Some((1, 35));
            }),
            &["blocks cgroups: they are of version 1"],
        ),
        (
            with(|seen| {
                let controllers = ["cpu", "cpuset", "io"].map(str::to_owned).into();
                seen.cgroups = Some(Cgroups { unified: true, controllers });
            }),
            &["blocks cgroups: the kernel does not offer the controllers memory, pids"],
        ),
        (
            with(|seen| seen.modules = vec![("overlay", false), ("br_netfilter", false)]),
            &[
                "blocks kernel: the module overlay is neither loaded nor to be found",
                "warns kernel: the module br_netfilter is neither loaded nor to be found",
            ],
        ),
        (with(|seen| seen.selinux = Some(true)), &["warns selinux: it enforces its policy"]),
        (
            with(|seen| {
                seen.resolver = Some(Resolver { servers: vec!["127.0.0.53".into()], has_uplinks: true });
            }),
            &["fine resolver: /etc/resolv.conf names this machine itself as its resolver"],
        ),
        (
            with(|seen| seen.resolver = Some(Resolver { servers: vec!["::1".into()], has_uplinks: false })),
            &["warns resolver: /etc/resolv.conf names this machine itself as its resolver"],
        ),
    ]
}

fn tenant_cases() -> Vec<(Observed, &'static [&'static str])> {
    let kubelet = |runs| KubeletSeen { program: Some("/usr/bin/kubelet".into()), unit: true, runs };
    vec![
        (
            with(|seen| seen.firewalls = Some(vec![Firewall { name: "ufw", opens: "x".into() }])),
            &["warns firewall: ufw keeps others from port 10250"],
        ),
        (
            with(|seen| {
                let runtime = |unit, runs| RuntimeSeen { unit, runs };
                seen.runtimes =
                    Some(vec![runtime("containerd.service", true), runtime("docker.service", false)]);
            }),
            &[
                "fine container-runtime: containerd.service runs",
                "fine container-runtime: docker.service is installed",
            ],
        ),
        (
            with(|seen| seen.kubelet = Some(kubelet(true))),
            &["blocks kubelet: kubelet.service runs, and Slipway did not start it"],
        ),
        (
            with(|seen| seen.kubelet = Some(kubelet(false))),
            &["fine kubelet: /usr/bin/kubelet is here, with a unit"],
        ),
        (Observed { ours: true, kubelet: Some(kubelet(true)), ports: Some(vec![10250]), ..well() }, &[]),
        (
            with(|seen| seen.ports = Some(vec![10250, 10248])),
            &[
                "blocks ports: something listens on port 10250",
                "blocks ports: something listens on port 10248",
            ],
        ),
        (
            with(|seen| {
                seen.leftovers = Some(vec![
                    Leftover::Credential("/c".into()),
                    Leftover::Authority("/same".into(), true),
                    Leftover::Authority("/other".into(), false),
                    Leftover::StaticPod("/m/kube-apiserver.yaml".into()),
                    Leftover::StaticPod("/m/own.yaml".into()),
                ]);
            }),
            &[
                "blocks leftovers: /c is the credential of an earlier node",
                "fine leftovers: /same is this cluster's CA, from an earlier join",
                "warns leftovers: /other is the CA of another cluster",
                "blocks leftovers: /m/kube-apiserver.yaml makes this machine the control plane of a cluster",
                "warns leftovers: kubelet will run the pod of /m/own.yaml",
            ],
        ),
    ]
}

fn cluster_cases() -> Vec<(Observed, &'static [&'static str])> {
    let credential = |said| with(|seen| seen.credential = Some(said));
    let late = |skew| with(|seen| seen.server.as_mut().unwrap().answer = Ok(Some(NOW - skew)));
    vec![
        (
            with(|seen| seen.node_name = Some("Edge_7".into())),
            &["blocks node-name: \"Edge_7\" cannot be a node's name"],
        ),
        (
            with(|seen| seen.node_name = Some(String::new())),
            &["blocks node-name: \"\" cannot be a node's name"],
        ),
        (
            with(|seen| seen.node_name = Some("localhost".into())),
            &["blocks node-name: localhost is every machine's name"],
        ),
        (
            with(|seen| seen.sources = vec![("mirror:443".into(), Err("refused".into()))]),
            &["blocks program-sources: mirror:443: refused"],
        ),
        (sandbox(SandboxFrom::Registry), &[]),
        (
            sandbox(SandboxFrom::Mirror("/etc/containerd/certs.d/_default".into())),
            &[
                "warns sandbox-image: r.example/pause:1, which every pod has, is not in the bundle; it would come from \
               where /etc/containerd/certs.d/_default says",
            ],
        ),
        (
            sandbox(SandboxFrom::Nowhere("no route".into())),
            &[
                "blocks sandbox-image: r.example/pause:1, which every pod has, is not in the bundle, and its registry \
               does not answer: no route",
            ],
        ),
        (
            unreached(Unreached::Name("no such host".into())),
            &["blocks name-resolution: api:443: no such host"],
        ),
        (unreached(Unreached::Connection("refused".into())), &["blocks api-server: api:443: refused"]),
        (unreached(Unreached::Answer("no TLS".into())), &["blocks api-server: api:443: no TLS"]),
        (
            unreached(Unreached::Authority("unknown issuer".into())),
            &["blocks authority: the certificate of api:443 is not trusted: unknown issuer"],
        ),
        (
            unreached(Unreached::Date("not valid yet".into())),
            &["blocks authority: the certificate of api:443 does not count now: not valid yet"],
        ),
        (late(60), &["warns clock: it is 60 s ahead of the API server's"]),
        (late(-3600), &["blocks clock: it is 3600 s behind the API server's"]),
        (credential(CredentialSeen::Unknown("401".into())), &["blocks credential: 401"]),
        (
            credential(CredentialSeen::Forbidden { what: "register a node" }),
            &["blocks credential: it is known, and may not register a node"],
        ),
        (credential(CredentialSeen::Missing(unknown("no answer"))), &["blocks credential: no answer"]),
        (
            active(true, Some(30), false),
            &["blocks active-node: edge-07 is a Ready node on another machine, at 10.0.0.9"],
        ),
        (active(true, Some(30), true), &[]),
        (
            active(true, Some(3600), false),
            &["fine active-node: edge-07 was a node on another machine, which is no longer heard of"],
        ),
        (
            active(false, None, false),
            &["fine active-node: edge-07 was a node on another machine, which is no longer heard of"],
        ),
        (
            with(|seen| seen.permissions = Some(Err(unknown("nobody is signed in")))),
            &["blocks azure-permissions: nobody is signed in"],
        ),
        (
            with(|seen| {
                let lacks =
                    |action, needed| Unpermitted { who: "somebody", action, scope: "/s".into(), needed };
                seen.permissions = Some(Ok(vec![lacks("write", true), lacks("delete", false)]));
            }),
            &[
                "blocks azure-permissions: somebody may not write at /s",
                "warns azure-permissions: somebody may not delete at /s",
            ],
        ),
        (
            with(|seen| seen.arc = Some(ArcSeen::Absent)),
            &["blocks arc: neither azcmagent nor what it leaves is here"],
        ),
        (
            with(|seen| {
                seen.arc = Some(ArcSeen::Conflict { problem: "taken".into(), hint: "rename".into() });
            }),
            &["blocks arc: taken"],
        ),
    ]
}

#[test]
fn everything_that_stands_against_a_join_is_found_by_its_check() {
    let cases: Vec<_> = [machine_cases(), tenant_cases(), cluster_cases()].into_iter().flatten().collect();
    for (seen, expected) in &cases {
        assert_eq!(found(seen), *expected);
    }
    let told: BTreeSet<&str> = cases
        .iter()
        .flat_map(|(_, lines)| lines.iter())
        .filter_map(|line| line.split([' ', ':']).nth(1))
        .collect();
    let silent: Vec<&str> = CHECKS.iter().map(|check| check.id).filter(|id| !told.contains(id)).collect();
    assert_eq!(silent, Vec::<&str>::new(), "these checks have no case");
    let long = "x".repeat(64);
    let seen = with(|seen| seen.node_name = Some(long));
    assert!(found(&seen)[0].ends_with("has 64 letters, and a node's name 63 at most"));
}

#[test]
fn a_machine_is_looked_at_and_left_as_it_is() {
    let runs = UnitState { exists: true, active: "active".into(), ..UnitState::default() };
    let host = Recorded::live()
        .with_files([
            ("/proc/self/status", "Uid:\t0\t0\t0\t0\n", 0o444),
            ("/proc/net/tcp", "  sl\n 0: 00000000:280A 00000000:0000 0A\n", 0o444),
            ("/proc/sys/kernel/osrelease", "6.1.0\n", 0o444),
            ("/lib/modules/6.1.0/modules.dep", "kernel/net/bridge/br_netfilter.ko:\n", 0o644),
            ("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n", 0o444),
            ("/sys/fs/selinux/enforce", "1", 0o644),
            ("/etc/resolv.conf", "nameserver 127.0.0.53\n", 0o644),
            ("/run/systemd/resolve/resolv.conf", "nameserver 192.0.2.1\n", 0o644),
            ("/etc/kubernetes/pki/ca.crt", "theirs\n", 0o644),
            ("/etc/kubernetes/manifests/own.yaml", "", 0o644),
            ("/var/lib/kubelet/pki/kubelet-client-current.pem", "", 0o600),
            ("/usr/bin/dockerd", "", 0o755),
        ])
        .with_swap("/dev/sda2", -2)
        .with_unit_state("kubelet.service", runs.clone())
        .with_unit_state("docker.service", runs);
    let seen = look::machine(&host, Some("ours"), false);
    assert_eq!(host.changes(), Vec::<String>::new());
    assert_eq!(seen.swaps, Some(vec!["/dev/sda2".to_owned()]));
    assert_eq!((seen.root, seen.selinux, seen.ports), (Some(true), Some(true), Some(vec![10250])));
    assert_eq!(seen.modules, [("overlay", false), ("br_netfilter", true), ("nf_conntrack", false)]);
    assert_eq!(seen.cgroups.unwrap().controllers, ["cpu", "memory"]);
    assert!(seen.kubelet.unwrap().runs);
    assert_eq!(seen.runtimes, Some(vec![RuntimeSeen { unit: "docker.service", runs: true }]));
    assert_eq!(
        seen.leftovers,
        Some(vec![
            Leftover::Credential("/var/lib/kubelet/pki/kubelet-client-current.pem".into()),
            Leftover::Authority("/etc/kubernetes/pki/ca.crt".into(), false),
            Leftover::StaticPod("/etc/kubernetes/manifests/own.yaml".into()),
        ])
    );
    assert_eq!(look::resolver_for_pods(&host), Some("/run/systemd/resolve/resolv.conf"));
    assert_eq!(look::resolver_for_pods(&Recorded::live()), None);
    // Below a root there is nothing that runs.
    let seen = look::machine(&Recorded::below(), None, false);
    assert_eq!((seen.live, seen.kubelet, seen.ports), (false, None, None));
}

#[test]
fn the_page_has_every_check() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/flex.md")).unwrap();
    let mut table = "| Check | Asks |\n|---|---|\n".to_owned();
    for check in CHECKS {
        let _ = writeln!(table, "| `{}` | {} |", check.id, check.asks);
    }
    assert!(
        page.contains(&table),
        "the table of checks in docs/flex.md is out of date; it has to be:\n{table}"
    );
}

#[test]
fn swap_is_found_wherever_a_boot_would_bring_it_back() {
    let host = Recorded::live()
        .with_swap("/my swap", -2)
        .with_swap("/dev/zram0", 100)
        .with_files([
            ("/etc/fstab", "UUID=1 none swap sw 0 0\n", 0o644),
            ("/etc/systemd/system/data-swap.swap", "[Swap]\nWhat=/data/swap\n", 0o644),
            ("/usr/lib/systemd/system/vendor.swap", "[Swap]\nWhat=/vendor\n", 0o644),
            ("/usr/lib/systemd/system/masked.swap", "[Swap]\nWhat=/masked\n", 0o644),
            ("/usr/lib/systemd/system/swap.target", "[Unit]\n", 0o644),
            ("/run/systemd/generator.late/dev-sda3.swap", "[Swap]\nWhat=/dev/sda3\n", 0o644),
            ("/run/systemd/generator/dev-disk-uuid.swap", "[Swap]\nWhat=UUID=1\n", 0o644),
        ])
        .with_link("/etc/systemd/system/masked.swap", "/dev/null");
    let swap = look::swap(&host);
    assert_eq!(swap.areas, [std::path::PathBuf::from("/my swap")], "zram is left alone");
    assert_eq!(swap.units, ["data-swap.swap", "dev-sda3.swap", "vendor.swap"]);
    assert!(swap.in_fstab);
    assert_eq!(look::swap(&Recorded::live()), slipway_model::node::SwapOff::default());
}

#[test]
fn a_secret_that_others_can_read_is_found_wherever_it_is() {
    let config = |text: &str| {
        let id = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c";
        let azure = format!(r#""targetCluster": {{"resourceId": "{id}"}}, {text}"#);
        let reading = slipway_flex::read(format!(r#"{{"azure": {{{azure}}}"#).as_bytes(), "edge-07");
        reading.config.unwrap_or_else(|| panic!("{:?}", reading.issues))
    };
    let open = |text: &str, mode| {
        let files = [("/c.json", "{}", mode), ("/secret", "s", mode)];
        let host = Recorded::live().with_files(files);
        look::readable_by_others(&host, config(text).secret_files(Path::new("/c.json")))
    };
    let principal =
        |how: &str| format!(r#""servicePrincipal": {{"tenantId": "t", "clientId": "c", {how}}}}}"#);
    let (inside, beside) = (r#""clientSecret": "s3cr3t""#, r#""clientSecretFile": "/secret""#);
    assert_eq!(open(&principal(inside), 0o644), [Path::new("/c.json")]);
    assert_eq!(open(&principal(beside), 0o640), [Path::new("/secret")]);
    assert!(open(&principal(inside), 0o600).is_empty() && open(&principal(beside), 0o600).is_empty());
    let proxy =
        |address: &str| format!(r#""managedIdentity": {{}}}}, "networking": {{"httpsProxy": "{address}"}}"#);
    assert_eq!(open(&proxy("http://u:p@proxy:3128"), 0o644), [Path::new("/c.json")]);
    assert!(open(&proxy("http://proxy:3128"), 0o644).is_empty(), "there is no secret");
}
