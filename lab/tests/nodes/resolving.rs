//! The DNS server on the node answers the node and its pods.

use std::net::{Ipv4Addr, SocketAddr};

use serde_json::json;
use slipway_lab::{Dns, Machine, Programs, Progress, Store};

use crate::scene::{asked, eventually, journal, scene};

/// Azure's resolver.
const UPSTREAM: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)), 53);

/// The image's own unit, in short: it has the addresses to itself, and the limits that Slipway sets.
const UNIT: &str = "[Unit]
Before=kubelet.service containerd.service
[Service]
Slice=localdns.slice
EnvironmentFile=/etc/localdns/environment
ExecStartPre=/sbin/ip address replace 169.254.10.10/32 dev lo
ExecStartPre=/sbin/ip address replace 169.254.10.11/32 dev lo
ExecStart=/opt/azure/containers/localdns/binary/coredns -conf /opt/azure/containers/localdns/localdns.corefile
[Install]
WantedBy=multi-user.target
";

#[test]
fn the_node_and_its_pods_ask_the_server_on_the_node() {
    let scene = scene();
    let machine = scene.machine("resolving");
    give_server(&machine);
    let upstream = scene.lab.space.on_network(|| Dns::start(UPSTREAM)).unwrap().unwrap();

    let root = json!({".": {
        "query_logging": "Error",
        "protocol": "PreferUDP",
        "forward_destination": "VnetDNS",
        "forward_policy": "Sequential",
        "max_concurrent": 1000,
        "cache_duration_in_seconds": 3600,
        "serve_stale": "Immediate",
        "serve_stale_duration_in_seconds": 3600,
    }});
    let mut contract = scene.contract();
    contract["local_dns_profile"] =
        json!({"enable_local_dns": true, "vnet_dns_overrides": root, "kube_dns_overrides": root});
    contract["kubelet_config"]["kubelet_config_file_config"]["cluster_dns"] = json!(["169.254.10.11"]);
    scene.join(&machine, &contract);
    eventually(
        "the DNS server",
        || journal(&machine),
        || machine.run("curl", &["--silent", "--fail", "http://169.254.10.10:8181/ready"]).ok(),
    );

    let answering = scene.pod("answering", &machine);
    scene.pod("asking", &machine);
    for name in ["to-pods.lab.test", "to-the-node.lab.test"] {
        upstream.name(name, answering.parse().unwrap());
    }
    assert_eq!(scene.asked_from("asking", "to-pods.lab.test"), "answering\n");
    assert!(upstream.questions().contains(&"to-pods.lab.test".to_owned()), "{:?}", upstream.questions());
    // The image's script tells the node's own resolver.
    machine.put("/etc/resolv.conf", 0o644, b"nameserver 169.254.10.10\n").unwrap();
    assert_eq!(asked(&machine, "to-the-node.lab.test"), "answering\n");
    let unknown = machine.command("getent").args(["hosts", "nobody.lab.test"]).status().unwrap();
    assert_eq!(unknown.code(), Some(2), "a name that does not exist");

    // What is known is answered without asking again.
    let questions = upstream.questions().len();
    assert_eq!(asked(&machine, "to-the-node.lab.test"), "answering\n");
    assert_eq!(upstream.questions().len(), questions);
}

/// What an AKS image has for it.
fn give_server(machine: &Machine) {
    let server = Programs::dns_server(&Store::open().unwrap(), Progress::silent()).unwrap();
    let server = std::fs::read(server).unwrap();
    machine.put("/opt/azure/containers/localdns/binary/coredns", 0o755, &server).unwrap();
    machine.put("/etc/systemd/system/localdns.service", 0o644, UNIT.as_bytes()).unwrap();
}
