//! Facts of a machine that is a temporary directory, and of a metadata service on this one.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, unreachable_pub, reason = "tests")]

mod fakes;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use fakes::{Metadata, Root, go_program, status, with_body};
use slipway_facts::{Fact, Gathered, gather};
use slipway_model::{Cached, Containerd, Facts, Instance, Os};

const DEADLINE: Duration = Duration::from_secs(5);
const DPKG: &[u8] =
    b"Package: moby-containerd\nStatus: install ok installed\nVersion: 1.7.27-ubuntu22.04u1\n";

fn found(root: &Root, wanted: &[Fact]) -> Gathered {
    gather(&**root, wanted, None, DEADLINE)
}

fn containerd(files: &[(&str, &[u8])]) -> Containerd {
    found(&Root::new(files), &[Fact::Containerd]).facts.containerd
}

#[test]
fn a_whole_machine_is_described() {
    let containerd = go_program(
        "path\tx\nbuild\t-ldflags=\"-X github.com/containerd/containerd/v2/version.Version=v2.0.0\"\n",
    );
    let root = Root::new(&[
        ("/etc/os-release", b"ID=ubuntu\nVERSION_ID=\"22.04\"\n"),
        ("/proc/sys/kernel/hostname", b"aks-pool1-1\n"),
        ("/etc/hostname", b"another\n"),
        ("/sys/devices/system/cpu/online", b"0-3\n"),
        ("/proc/meminfo", b"MemTotal:        8131968 kB\nMemFree:  1 kB\n"),
        ("/usr/bin/containerd", &containerd),
        ("/opt/bin/kubelet-1.33.1", b""),
        ("/opt/bin/kubelet-1.32.4", b""),
        ("/opt/bin/kubelet-old", b""),
        ("/opt/bin/kubelet", &go_program("mod\tk8s.io/kubernetes\tv1.34.3\th1:x\n")),
        ("/opt/bin/kubectl-1.33.1", b""),
        ("/opt/bin/kubectl", &go_program("mod\tk8s.io/kubernetes\t(devel)\t\n")),
        ("/opt/azure/components.json", b"{\"ContainerImages\": []}\n"),
        ("/opt/azure/vhd-install.complete", b""),
    ]);
    let document = r#"{"compute":{"name":"n1"},"network":{}}"#;
    let imds = Metadata::start(vec![status("429 Slowly"), with_body(document)], Duration::ZERO);
    let gathered = gather(&*root, &Fact::ALL, Some(imds), DEADLINE);
    assert_eq!(gathered.problems, []);
    let facts = gathered.facts;
    assert_eq!(facts.containerd, Containerd::Version("v2.0.0".into()));
    assert_eq!(
        facts.os,
        Some(Os { id: "ubuntu".into(), version_id: "22.04".into(), variant_id: String::new() })
    );
    assert_eq!(facts.hostname.as_deref(), Some("aks-pool1-1"));
    assert_eq!((facts.cpus, facts.memory_bytes), (Some(4), Some(8_327_135_232)));
    let versions = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let cached =
        Cached { kubelet: versions(&["1.32.4", "1.33.1", "1.34.3"]), kubectl: versions(&["1.33.1"]) };
    assert_eq!(facts.cached, Some(cached));
    assert_eq!(facts.components.as_ref().unwrap().0, r#"{"ContainerImages": []}"#);
    assert_eq!(facts.golden_image, Some(true));
    assert_eq!(Instance::parse(facts.imds.as_ref().unwrap()).unwrap().name, "n1");
    let took: Vec<Fact> = gathered.took.iter().map(|(fact, _)| *fact).collect();
    assert_eq!(took, Fact::ALL);
    // What is printed can be read again.
    assert_eq!(Facts::parse(&serde_json::to_string(&facts).unwrap()).unwrap(), facts);
}

#[test]
fn an_empty_root_tells_nothing_of_the_machine_around_it() {
    let gathered = found(&Root::new(&[("/etc/empty", b"")]), &Fact::ALL);
    let known = Facts {
        containerd: Containerd::Missing,
        cached: Some(Cached::default()),
        golden_image: Some(false),
        ..Facts::default()
    };
    assert_eq!(gathered.facts, known);
    let keys: Vec<&str> = gathered.problems.iter().map(|problem| problem.fact.key()).collect();
    assert_eq!(keys, ["components", "os", "hostname", "imds", "cpus", "memory_bytes"]);
    assert!(
        gathered.problems[0].reason.starts_with("/opt/azure/components.json: "),
        "{:?}",
        gathered.problems
    );
}

#[test]
fn containerd_is_known_from_the_most_exact_source() {
    let program = |build: &str| go_program(&format!("path\tx\n{build}\n"));
    let linked = program("mod\tx\tv9.0.0\t\nbuild\t-ldflags=\"-X x/version.Version=1.7.27-1\"");
    let (module, nothing) =
        (program("mod\tgithub.com/containerd/containerd\tv1.7.20\th1:x"), program("mod\tx\t(devel)\t"));
    let version = |text: &str| Containerd::Version(text.to_owned());
    let (binary, dpkg) = ("/usr/bin/containerd", ("/var/lib/dpkg/status", DPKG));
    assert_eq!(containerd(&[(binary, &linked), dpkg]), version("1.7.27-1"));
    assert_eq!(containerd(&[(binary, &module), dpkg]), version("1.7.27"));
    assert_eq!(containerd(&[(binary, &module)]), version("v1.7.20"));
    assert_eq!(containerd(&[(binary, b"#!/bin/sh\n"), dpkg]), version("1.7.27"));
    assert_eq!(containerd(&[dpkg]), Containerd::Missing);
    let gathered = found(&Root::new(&[(binary, &nothing)]), &[Fact::Containerd]);
    assert_eq!(gathered.facts.containerd, Containerd::Unknown);
    assert!(
        gathered.problems[0].reason.starts_with("/usr/bin/containerd: neither"),
        "{:?}",
        gathered.problems
    );
}

#[test]
fn only_what_is_wanted_is_looked_at() {
    let root = Root::new(&[("/etc/hostname", b"n1\n"), ("/usr/lib/os-release", b"ID=azurelinux\n")]);
    let gathered = found(&root, &[Fact::Hostname, Fact::Os]);
    assert_eq!(gathered.facts.hostname.as_deref(), Some("n1"));
    assert_eq!(gathered.facts.os.unwrap().id, "azurelinux");
    assert_eq!(gathered.facts.cached, None);
    assert_eq!(gathered.problems, []);
}

#[test]
fn a_manifest_that_is_no_json_is_a_problem_and_not_a_fact() {
    let root = Root::new(&[("/opt/azure/components.json", b"{")]);
    let gathered = found(&root, &[Fact::Components]);
    assert_eq!(gathered.facts.components, None);
    assert_eq!(gathered.problems[0].reason, "/opt/azure/components.json: it is not JSON");
}

#[test]
fn a_slow_metadata_service_takes_no_longer_than_its_deadline_and_no_other_fact_with_it() {
    let root = Root::new(&[("/etc/hostname", b"n1\n")]);
    let imds = Metadata::start(vec![with_body("{}")], Duration::from_secs(20));
    let start = Instant::now();
    let gathered = gather(&*root, &[Fact::Imds, Fact::Hostname], Some(imds), Duration::from_millis(400));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(gathered.facts.hostname.as_deref(), Some("n1"));
    assert_eq!(gathered.problems.len(), 1);
    let took = |fact| gathered.took.iter().find(|(other, _)| *other == fact).unwrap().1;
    assert!(took(Fact::Hostname) < Duration::from_millis(300));
}

#[test]
fn a_metadata_service_that_refuses_or_talks_nonsense_is_a_problem() {
    let root = Root::new(&[("/etc/hostname", b"n1\n")]);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let garbage = Metadata::start(vec![with_body("<html>")], Duration::ZERO);
    for (service, part) in [(closed, "did not answer"), (garbage, "not JSON")] {
        let gathered = gather(&*root, &[Fact::Imds], Some(service), Duration::from_millis(500));
        assert_eq!(gathered.facts.imds, None);
        assert!(gathered.problems[0].reason.contains(part), "{:?}", gathered.problems);
    }
}
