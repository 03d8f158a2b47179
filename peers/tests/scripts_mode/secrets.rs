//! Secrets stay where they belong: in the scripts' environment and in files that only root reads.

use serde_json::Value;
use slipway_contract::Contract;
use slipway_contract::codec::{Kind, Label, Message as _, MessageTable, Sensitivity};
use slipway_peers::node::{CONTRACT, Node};

use crate::{SUCCEED, node, populated};

const MARKER: &str = "hunter2-";

/// Sows a marker into every text that holds a secret, and into every URL's password.
fn sow(contract: &mut Value, table: &'static MessageTable) -> usize {
    let Value::Object(members) = contract else { return 0 };
    let mut sown = 0;
    for (name, value) in members {
        let field = table.field(name).unwrap();
        match (field.kind, field.sensitivity) {
            (Kind::Message(inner), _) => {
                let all: Vec<&mut Value> = match value {
                    Value::Array(items) => items.iter_mut().collect(),
                    Value::Object(entries) if field.label == Label::Map => entries.values_mut().collect(),
                    other => vec![other],
                };
                sown += all.into_iter().map(|value| sow(value, inner)).sum::<usize>();
            }
            (_, Sensitivity::Public) => {}
            (_, Sensitivity::Secret) if value.is_string() => {
                *value = format!("{MARKER}{name}").into();
                sown += 1;
            }
            (_, _) if value.is_string() => {
                *value = format!("http://user:{MARKER}{name}@proxy:3128/").into();
                sown += 1;
            }
            _ => {}
        }
    }
    sown
}

fn marked(script: &str) -> Node {
    let node = node(script);
    let mut contract = populated();
    let sown = sow(&mut contract, Contract::default().table());
    assert!(sown >= 5, "{sown} secrets");
    node.put(CONTRACT, contract.to_string(), 0o600);
    node
}

#[test]
fn no_secret_is_seen_by_others_whatever_the_scripts_print() {
    // Everything, on both streams, in one piece and in many.
    for script in [SUCCEED.to_owned(), "env; env >&2; set -x; : \"$TLS_BOOTSTRAP_TOKEN\"; exit 9".to_owned()]
    {
        let node = marked(&script);
        let ended = node.provision();
        assert_eq!(ended.code == 0, script == SUCCEED, "{}", ended.stderr);
        let seen = |text: &str| text.lines().find(|line| line.contains(MARKER)).map(str::to_owned);
        assert_eq!((seen(&ended.stdout), seen(&ended.stderr)), (None, None));
        for (path, (mode, content)) in node.written() {
            let text = String::from_utf8_lossy(&content);
            assert!(mode == 0o600 || seen(&text).is_none(), "{path} has mode {mode:o}: {:?}", seen(&text));
        }
    }
}

#[test]
fn the_scripts_themselves_get_the_secrets() {
    let node = marked(&format!("umask 077; env -0 >/opt/environment\n{SUCCEED}"));
    let ended = node.provision();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let environment = String::from_utf8(node.read("/opt/environment").unwrap()).unwrap();
    assert!(environment.contains("TLS_BOOTSTRAP_TOKEN=hunter2-tls_bootstrapping_token\0"));
}

#[test]
fn the_secrets_of_a_pre_rendered_command_are_masked_too() {
    let node = node(SUCCEED);
    let command = "/opt/azure/containers/aks-node-controller-nbc-cmd.sh";
    node.put(
        command,
        "TLS_BOOTSTRAP_TOKEN=\"hunter2-token\" bash -c 'echo $TLS_BOOTSTRAP_TOKEN; exit 3'\n",
        0o600,
    );
    let ended = node.run("slipway", &["provision", "--mode", "scripts", "--nbc-cmd", command]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, "<secret>\n"));
    assert!(!ended.stderr.contains(MARKER), "{}", ended.stderr);
    assert_eq!(node.result()["Output"], "<secret>\n\n");
}
