//! Hostile values: whatever stands in a variable, bash reads exactly that; what no node can have is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use slipway_launch::variables::{Kind, TABLE, Value as Content, Variable, Variables, variables};
use slipway_launch::{
    Bootstrapper as _, Fidelity, Request, Source, VariablesScript, assignment_block, resolve, script,
};

/// Texts that a shell, or a careless quoting, would read as more than themselves.
const HOSTILE: [&str; 22] = [
    "$(id)",
    "`id`",
    "$HOME ${PATH}",
    "a\"; id; \"",
    "a'; id; '",
    "'",
    "''\"''",
    "a\nid\n",
    "\n",
    "a\r\nb",
    "\\",
    "\\'",
    "a\\\nb",
    "!! !id",
    "~root",
    "* ? [a-z]",
    "a & id | id ; id > /tmp/x < /dev/null",
    "#not a comment",
    "a=b=c",
    "\u{1}\u{7f}\t é 🚀",
    "{a,b} $((1+1)) <(id)",
    "--flag=$'\\x41'",
];

/// What bash, with an empty environment, holds after it has read the lines.
#[expect(clippy::disallowed_methods, reason = "the proof is what a real shell reads")]
fn read_by_bash(block: &str, names: &[String]) -> BTreeMap<String, String> {
    let mut program = String::from("set -u\n");
    program.push_str(block);
    for name in names {
        program.extend(["printf '%s\\0' \"${", name, "}\"\n"]);
    }
    let mut bash = Command::new("bash")
        .args(["--noprofile", "--norc", "-s"])
        .env_clear()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    bash.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let values: Vec<_> = text.split_terminator('\0').collect();
    assert_eq!(values.len(), names.len());
    names.iter().cloned().zip(values.into_iter().map(str::to_owned)).collect()
}

fn filled<'a>(value: &'a str, list: &'a [String]) -> Variables<'a> {
    let mut variables = Variables::default();
    for row in &TABLE {
        let value = if row.kind == Kind::List { Content::List(list) } else { value.into() };
        variables.set(row.variable, value, Source::Fixed);
    }
    variables
}

fn check_with_bash(variables: &Variables<'_>) {
    let block = assignment_block(variables, Fidelity::Ours).unwrap();
    let assignments = variables.assignments();
    let names: Vec<String> = assignments.iter().map(|line| line.name.to_string()).collect();
    let read = read_by_bash(block.expose(), &names);
    for line in &assignments {
        assert_eq!(read[line.name.as_ref()], line.value, "{}", line.name);
    }
}

#[test]
fn bash_reads_exactly_what_was_given_in_every_variable() {
    for hostile in HOSTILE {
        let list = HOSTILE.map(str::to_owned);
        check_with_bash(&filled(hostile, &list));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bash_reads_any_text_as_itself(text in "[^\u{0}]{0,60}", item in "[^\u{0}]{0,20}") {
        check_with_bash(&filled(&text, &[item]));
    }
}

#[test]
fn the_whole_script_is_one_that_bash_can_read() {
    let list = HOSTILE.map(str::to_owned);
    for hostile in HOSTILE {
        let mut variables = filled(hostile, &list);
        for on in ["true", "false"] {
            variables.set(Variable::IsAKSCustomCloud, on.into(), Source::Fixed);
            let script = script(&variables, Fidelity::Ours).unwrap();
            let mut program = String::from("set -n\n");
            program.push_str(script.expose());
            read_by_bash(&program, &[]);
        }
    }
}

#[test]
fn a_nul_is_refused_with_the_name_of_its_variable() {
    let mut variables = Variables::default();
    variables.set(Variable::MessageOfTheDay, "a\0b".into(), Source::Fixed);
    let refused = assignment_block(&variables, Fidelity::Ours).unwrap_err();
    assert!(refused.to_string().contains("MESSAGE_OF_THE_DAY"), "{refused}");
}

/// A recorded request that is offered and has nothing wrong with it.
static SOUND: LazyLock<Value> = LazyLock::new(|| {
    let cases = vectors::of_kind("bootstrap", "launch-template");
    cases.into_iter().find(|case| case["name"] == "lt-000").unwrap()["input"].clone()
});

fn sound() -> Value {
    SOUND.clone()
}

#[test]
fn what_no_node_can_have_is_refused_with_its_path() {
    for (pointer, path) in [
        ("/options/clusterEndpoint", "options.clusterEndpoint"),
        ("/options/kubeletBootstrapToken", "options.kubeletBootstrapToken"),
        ("/options/networkPolicy", "options.networkPolicy"),
        ("/options/networkDataplane", "options.networkDataplane"),
        ("/options/dnsServiceIP", "options.dnsServiceIP"),
        ("/options/kubeletIdentityClientID", "options.kubeletIdentityClientID"),
        ("/options/nodeResourceGroup", "options.nodeResourceGroup"),
        ("/options/vnetSubnetID", "vnetSubnetID"),
        ("/environment/tenantID", "environment.tenantID"),
        ("/environment/subscriptionID", "environment.subscriptionID"),
        ("/environment/location", "environment.location"),
        ("/environment/caBundleBase64", "environment.caBundleBase64"),
        ("/nodeClass/kubernetesVersion", "nodeClass.kubernetesVersion"),
        ("/nodeClass/spec/kubelet/topologyManagerPolicy", "nodeClass.spec.kubelet.topologyManagerPolicy"),
        ("/nodeClaim/name", "nodeClaim.name"),
        ("/nodeClaim/labels/kubernetes.azure.com~1mode", "nodeClaim.labels[\"kubernetes.azure.com/mode\"]"),
        ("/nodeClaim/taints/0/key", "nodeClaim.taints["),
        ("/nodeClaim/taints/0/value", "nodeClaim.taints["),
    ] {
        for hostile in ["a b", "$(id)", "a\nb", "é"] {
            let mut request = sound();
            *request.pointer_mut(pointer).unwrap() = json!(hostile);
            let request = Request::parse(&request.to_string()).unwrap();
            let refusal = resolve(&request, Fidelity::Ours).expect_err(pointer);
            assert!(refusal.to_string().contains(path), "{pointer}: {refusal}");
        }
    }
}

#[test]
fn free_text_of_the_node_class_cannot_bring_flags() {
    for hostile in ["kernel.sem --feature-gates=X=true", "a,b", "$(id)", ""] {
        let mut request = sound();
        request["nodeClass"]["spec"]["kubelet"]["allowedUnsafeSysctls"] = json!([hostile]);
        let request = Request::parse(&request.to_string()).unwrap();
        let refusal = resolve(&request, Fidelity::Ours).unwrap_err();
        assert!(refusal.to_string().contains("allowedUnsafeSysctls"), "{refusal}");
    }
}

/// The places of every text in a document.
fn texts(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(pointer.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| texts(item, &format!("{pointer}/{at}"), found));
        }
        Value::Object(members) => {
            let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
            members
                .iter()
                .for_each(|(name, item)| texts(item, &format!("{pointer}/{}", escaped(name)), found));
        }
        _ => {}
    }
}

/// What a request leads to holds no more flags and labels than were meant, if it leads to a node at all.
fn check_request(request: &Value) {
    let Ok(request) = Request::parse(&request.to_string()) else { return };
    for fidelity in [Fidelity::Ours, Fidelity::Compat] {
        let Ok(node) = resolve(&request, fidelity) else { continue };
        let Ok(variables) = variables(&node.bootstrap, fidelity) else { continue };
        if fidelity == Fidelity::Compat {
            continue;
        }
        let flags = variables.get(Variable::KubeletFlags).value.text().into_owned();
        assert!(flags.split(' ').all(|flag| flag.starts_with("--") && flag.contains('=')), "{flags}");
        let names: Vec<_> =
            flags.split(' ').filter_map(|flag| flag.split_once('=')).map(|(name, _)| name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{flags}");
        let labels = variables.get(Variable::KubeletNodeLabels).value.text().into_owned();
        assert_eq!(labels.split(',').count(), node.bootstrap.labels.iter().count(), "{labels}");
        let payload = VariablesScript { fidelity }.payload(&node).unwrap();
        assert!(!payload.custom_data.expose().is_empty());
    }
}

/// The sound request, with every text in it that a request can have and a recording does not.
fn fullest() -> Value {
    let mut request = sound();
    for (pointer, members) in [
        (
            "/options",
            json!({
                "httpProxy": {"httpProxy": "http://p.example:3128", "httpsProxy": "http://p.example:3129",
                    "noProxy": ["10.0.0.0/8"], "trustedCA": "YQ=="},
                "customCACertificates": ["YQ=="],
                "sshPublicKey": "ssh-ed25519 AAAA me",
                "linuxAdminUsername": "captain",
                "dnsServiceIP": "10.0.0.10",
                "nodeIdentities": ["/subscriptions/s/resourceGroups/g/id"],
                "diskEncryptionSetID": "",
            }),
        ),
        ("/environment", json!({"cloud": "AzurePublicCloud"})),
        (
            "/nodeClass/spec",
            json!({
                "tags": {"team": "blue"},
                "linuxOSConfig": {"swapFileSize": "1Gi", "transparentHugePageEnabled": "always",
                    "transparentHugePageDefrag": "defer", "sysctls": {"netIPv4IPLocalPortRange": "32768 60999"}},
            }),
        ),
        (
            "/nodeClass/spec/kubelet",
            json!({"failSwapOn": false, "containerLogMaxSize": "50Mi", "cpuManagerPolicy": "static",
                "topologyManagerPolicy": "none", "allowedUnsafeSysctls": ["net.core.*"]}),
        ),
        ("/nodeClaim", json!({"startupTaints": [{"key": "a", "value": "b", "effect": "NoExecute"}]})),
        ("/nodeClaim/labels", json!({"team": "blue"})),
    ] {
        let place = request.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
        place.extend(members.as_object().unwrap().clone());
    }
    request
}

#[test]
fn bash_reads_exactly_what_a_request_leads_to_whatever_stands_in_any_of_its_texts() {
    let fullest = fullest();
    let plain = Request::parse(&fullest.to_string()).unwrap();
    let known = resolve(&plain, Fidelity::Ours).unwrap_or_else(|refusal| panic!("{refusal}"));
    let known = variables(&known.bootstrap, Fidelity::Ours).unwrap();
    check_with_bash(&known);
    let mut places = Vec::new();
    texts(&fullest, "", &mut places);
    let (mut refused, mut read) = (0, 0);
    for place in &places {
        for hostile in HOSTILE {
            let mut request = fullest.clone();
            *request.pointer_mut(place).unwrap() = json!(hostile);
            let node =
                Request::parse(&request.to_string()).ok().map(|request| resolve(&request, Fidelity::Ours));
            let Some(Ok(node)) = node else {
                refused += 1;
                continue;
            };
            read += 1;
            let variables = variables(&node.bootstrap, Fidelity::Ours).unwrap();
            // Bash has read these already where the text reaches no variable.
            if variables != known {
                check_with_bash(&variables);
            }
        }
    }
    assert!(places.len() > 60 && refused > 500 && read > 200, "{} {refused} {read}", places.len());
}

proptest! {
    #[test]
    fn no_text_of_a_request_brings_another_flag_or_label(
        at in any::<prop::sample::Index>(),
        text in prop_oneof![any::<String>(), "[a-zA-Z0-9 ,=.:/$()'\"-]{0,20}", prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned)],
    ) {
        let mut places = Vec::new();
        let sound = sound();
        texts(&sound, "", &mut places);
        let mut request = sound.clone();
        let place: &String = at.get(&places);
        *request.pointer_mut(place).unwrap() = json!(text);
        check_request(&request);
        let mut labelled = sound;
        labelled["nodeClaim"]["labels"][text.as_str()] = json!(text);
        check_request(&labelled);
    }
}
