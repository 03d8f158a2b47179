//! A machine without a network but the way to the API server joins from a bundle, and its pods have images from there.

use std::process::Output;

use slipway_lab::Machine;
use slipway_lab::image::{PAUSE, POD};

use crate::flex::{BUNDLE, MIRROR, PROGRAM, bundle, join, leaves_as_it_came, must, owned, serves};
use crate::scene::{said, scene};
use crate::state::State;

/// What leaves the machine goes to the API server, or to a pod, or answers somebody; nothing goes through it.
const CUT: &str = "
table inet cut {
  chain out {
    type filter hook output priority 0; policy drop;
    oifname { lo, cni0 } accept
    ct state established,related accept
    ip daddr 10.224.0.1 tcp dport 443 accept
  }
  chain through {
    type filter hook forward priority 0; policy drop;
  }
}";

/// Places that a machine could fetch something from: the mirror, which is the registry too, and the emulated Azure.
const OUTSIDE: [&str; 3] =
    [MIRROR, "http://169.254.169.254/metadata/versions", "https://management.azure.com/"];
const API_SERVER: &str = "https://10.224.0.1/livez";

fn fetched(machine: &Machine, address: &str) -> Output {
    let mut curl = machine.command("curl");
    curl.args([
        "--silent",
        "--show-error",
        "--insecure",
        "--max-time",
        "3",
        "--output",
        "/dev/null",
        address,
    ]);
    curl.output().unwrap()
}

fn cut(machine: &Machine) {
    for address in OUTSIDE {
        let answered = fetched(machine, address);
        assert!(answered.status.success(), "{address} before the cut: {}", said(&answered));
    }
    machine.put("/root/cut.nft", 0o600, CUT.as_bytes()).unwrap();
    machine.run("nft", &["--file", "/root/cut.nft"]).unwrap();
    assert_cut(machine);
}

fn assert_cut(machine: &Machine) {
    for address in OUTSIDE {
        let answered = fetched(machine, address);
        assert!(!answered.status.success(), "{address} is reached: {}", said(&answered));
    }
    let answered = fetched(machine, API_SERVER);
    assert!(answered.status.success(), "the API server is not: {}", said(&answered));
}

#[test]
fn a_machine_without_a_way_to_the_network_joins_from_a_bundle() {
    let scene = scene();
    let bundle = bundle(scene);
    let machine = owned(scene, "flex-bundle");
    machine.put(BUNDLE, 0o600, bundle).unwrap();
    let administrator = scene.kubectl(&["config", "view", "--raw", "--flatten"]);
    machine.put("/root/kubeconfig", 0o600, &administrator.stdout).unwrap();
    cut(&machine);
    let before = State::of_owned(&machine);
    let damaged = bundle.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == bundle.len() / 2));
    machine.put("/root/damaged", 0o600, &damaged.collect::<Vec<u8>>()).unwrap();
    let refused = join(&machine, &["--bundle", "/root/damaged"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert!(said(&refused).contains("is damaged"), "{}", said(&refused));
    machine.run(PROGRAM, &["flex", "leave", "--yes"]).unwrap();
    machine.remove_file("/root/damaged").unwrap();
    assert_eq!(before.differences(&State::of_owned(&machine)), Vec::<String>::new());
    must(&machine, &join(&machine, &["--bundle", BUNDLE]));
    let images =
        machine.run("/usr/local/bin/ctr", &["--namespace", "k8s.io", "images", "list", "--quiet"]).unwrap();
    for name in [PAUSE, POD] {
        assert!(images.lines().any(|line| line == name), "{images}");
    }
    serves(scene, &machine);
    assert_cut(&machine);
    let again = join(&machine, &[]);
    must(&machine, &again);
    assert!(said(&again).contains("nothing to change"), "{}", said(&again));
    leaves_as_it_came(scene, &machine, &before, &["--kubeconfig", "/root/kubeconfig"]);
    let nodes = scene.kubectl(&["get", "nodes", "--output=name"]);
    assert!(!said(&nodes).contains(&machine.name), "{}", said(&nodes));
}
