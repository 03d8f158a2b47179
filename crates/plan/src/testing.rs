//! A plain node and machine for tests, and plans as lines.

use slipway_contract::codec::{Policy, decode};
use slipway_contract::{Contract, node};
use slipway_model::{Cached, Facts, JsonText, Node};

use crate::draft::Draft;
use crate::op::{Action, Content};
use crate::plan::{Plan, Refusal, Unplanned};

/// What a contract cannot do without; `Y2E=` is `ca`.
const PLAIN: &str = r#""version":"v1","kubernetes_version":"1.33.2","kubernetes_ca_cert":"Y2E=",
    "api_server_config":{"api_server_name":"api.example"},
    "bootstrapping_config":{"tls_bootstrapping_token":"abcdef.0123456789abcdef"}"#;

/// A node that asks for nothing in particular.
pub(crate) fn plain() -> Node {
    with(r#""vm_size":"Standard_D2s_v5""#)
}

/// That node with more members of a contract; a member that is there already is replaced.
pub(crate) fn with(members: &str) -> Node {
    // Of a member that comes twice, the first counts.
    let text = format!("{{{members},{PLAIN}}}");
    let decoded = decode::<Contract>(text.as_bytes(), Policy::Careful);
    node::node(&decoded.message).unwrap()
}

/// A machine that holds what the plain node needs.
pub(crate) fn facts() -> Facts {
    let held = vec!["1.33.2".to_owned()];
    Facts {
        hostname: Some("Node1".to_owned()),
        cached: Some(Cached { kubelet: held.clone(), kubectl: held }),
        imds: Some(instance("")),
        ..Facts::default()
    }
}

/// An instance document with one tag, given as `name=true`.
pub(crate) fn instance(tag: &str) -> JsonText {
    let tag = if tag.is_empty() { String::new() } else { format!(r#"{{"name":"{tag}","value":"true"}}"#) };
    JsonText(format!(
        r#"{{"compute":{{"tagsList":[{tag}]}},"network":{{"interface":[{{"macAddress":"000D3A","ipv4":{{"ipAddress":[{{"privateIpAddress":"10.0.0.4","publicIpAddress":""}}]}},"ipv6":{{"ipAddress":[{{"privateIpAddress":"fd00::4"}}]}}}}]}}}}"#
    ))
}

type Subject = fn(&Node, &Facts, &mut Draft);

/// What one subject adds, an operation in a line each.
pub(crate) fn lines(subject: Subject, node: &Node, facts: &Facts) -> Vec<String> {
    let mut draft = Draft::of(node);
    subject(node, facts, &mut draft);
    let steps = draft.into_steps();
    let line = |id, action: &Action| format!("{id} {}", in_words(action));
    steps.iter().flat_map(|step| step.ops.iter().map(move |op| line(step.id, &op.action))).collect()
}

/// What one subject refuses.
pub(crate) fn refusals(subject: Subject, node: &Node, facts: &Facts) -> Vec<Refusal> {
    let mut draft = Draft::of(node);
    subject(node, facts, &mut draft);
    match draft.finish() {
        Err(Unplanned::Refused(refusals)) => refusals,
        other => panic!("{other:?}"),
    }
}

/// The text of a file of a subject's, secret or not.
pub(crate) fn text(subject: Subject, node: &Node, facts: &Facts, path: &str) -> String {
    let mut draft = Draft::of(node);
    subject(node, facts, &mut draft);
    let steps = draft.into_steps();
    let file = |action: &Action| match action {
        Action::File(file) if file.path.to_str() == Some(path) => Some(match &file.content {
            Content::Plain(text) => text.clone(),
            Content::Secret(text) => text.expose().clone(),
        }),
        _ => None,
    };
    steps
        .iter()
        .flat_map(|step| &step.ops)
        .find_map(|op| file(&op.action))
        .unwrap_or_else(|| panic!("no {path}"))
}

/// The whole plan of a node on the usual machine.
pub(crate) fn plan(node: &Node) -> Plan {
    crate::plan(node, &facts()).unwrap()
}

fn in_words(action: &Action) -> String {
    match action {
        Action::File(file) => {
            let secret = if matches!(file.content, Content::Secret(_)) { " secret" } else { "" };
            format!("file {} {:04o}{secret}", file.path.display(), file.attributes.mode)
        }
        Action::Directory(directory) => {
            format!("directory {} {:04o}", directory.path.display(), directory.attributes.mode)
        }
        Action::Link(link) => format!("link {} -> {}", link.path.display(), link.target.display()),
        Action::Remove(remove) => format!("remove {}", remove.path.display()),
        Action::Move(held) => format!("move {} {:04o}", held.to.display(), held.attributes.mode),
        Action::Artifact(artifact) => {
            let members = artifact.members.iter().map(|(_, path)| format!(" {}", path.display()));
            format!("artifact{}", members.collect::<String>())
        }
        Action::Traces(traces) => format!("traces {}", traces.unit),
        Action::Edit(edit) => format!("edit {}", edit.path.display()),
        Action::SwapOff(area) => format!("swapoff {}", area.display()),
        Action::Unit(unit) => format!("unit {} {:?} enabled {:?}", unit.name, unit.verb, unit.enabled),
        other => format!("{other:?}"),
    }
}
