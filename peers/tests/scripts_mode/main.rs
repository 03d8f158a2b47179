//! Provisioning by the scripts under our own name: the real binary in its real paths, on a machine of its own, with
//! scripts that record what happens to them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "these tests are about files and processes")]

mod attempts;
mod disks;
mod half_read;
mod interrupted;
mod secrets;
mod strings;
mod waiting;

use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;
use slipway_peers::binary::slipway;
use slipway_peers::node::{CONTRACT, Node, START};

static BINARY: LazyLock<PathBuf> = LazyLock::new(slipway);

/// What the image's scripts do at their end; they do not notice when they cannot.
const SUCCEED: &str = r#"mkdir -p /var/log/azure/aks
printf '{"ExitCode": "0", "Output": "all is well", "Error": "", "BootDatapoints": {"KernelStartTime": "now"}}\n' >/var/log/azure/aks/provision.json
chmod 600 /var/log/azure/aks/provision.json
touch /opt/azure/containers/provision.complete || true
"#;

/// The same after a failure.
const FAIL: &str = r#"mkdir -p /var/log/azure/aks
printf '{"ExitCode": "50", "Output": "no network", "Error": ""}' >/var/log/azure/aks/provision.json
chmod 600 /var/log/azure/aks/provision.json
touch /opt/azure/containers/provision.complete
exit 50
"#;

/// A machine with the example contract and scripts that count their runs, then do this.
fn node(script: &str) -> Node {
    let node = Node::new(&BINARY);
    node.put(CONTRACT, example().to_string(), 0o600);
    set_script(&node, script);
    node
}

fn set_script(node: &Node, script: &str) {
    node.put(START, format!("echo run >>/opt/runs\n{script}"), 0o755);
}

/// How often the scripts ran.
fn runs(node: &Node) -> usize {
    node.read("/opt/runs").map_or(0, |runs| runs.len() / "run\n".len())
}

fn example() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/contract.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The contract with every field set, without what contradicts itself, is no value of its kind, or stops short of a
/// node.
fn populated() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/contract/tests/data/populated.json");
    let mut contract: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    contract["is_kata"] = false.into();
    contract["pre_provision_only"] = false.into();
    contract["cluster_config"]["cluster_network_config"]["core_dns_service_ip"] = "10.0.0.10".into();
    for overrides in ["vnet_dns_overrides", "kube_dns_overrides"] {
        for zone in contract["local_dns_profile"][overrides].as_object_mut().unwrap().values_mut() {
            zone["health_check"]["duration"] = "5s".into();
        }
    }
    contract
}
