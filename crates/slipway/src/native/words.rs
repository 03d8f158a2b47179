//! A plan's operations and sources in words and as JSON. No secret is in either.

use serde_json::{Map, Value, json};
use slipway_contract::codec::mask_url;
use slipway_model::{Attributes, Secret, Source, Sources, Verb};
use slipway_plan::{Action, Await, Change, Content, Op, Probe, Stage, Step};

const MASK: &str = Secret::<String>::MASK;

/// The word for a stage, as `--stage` and JSON have it.
pub(crate) const fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Bake => "bake",
        Stage::Join => "join",
        Stage::AfterReady => "after-ready",
    }
}

/// What kind of operation it is.
pub(crate) const fn kind(action: &Action) -> &'static str {
    match action {
        Action::Directory(_) => "directory",
        Action::File(_) => "file",
        Action::Edit(_) => "edit",
        Action::Link(_) => "link",
        Action::Remove(_) => "remove",
        Action::Move(_) => "move",
        Action::Setting(_) => "setting",
        Action::Module(_) => "module",
        Action::ReloadUnits => "reload-units",
        Action::Unit(_) => "unit",
        Action::Traces(_) => "traces",
        Action::SharedMount(_) => "shared-mount",
        Action::SelfSigned(_) => "self-signed",
        Action::Artifact(_) => "artifact",
        Action::Image(_) => "image",
        Action::SwapOff(_) => "swap-off",
        Action::Program(_) => "program",
        Action::Probe(_) => "probe",
        Action::TlsBootstrap(_) => "tls-bootstrap",
        Action::Await(_) => "await",
    }
}

/// An operation in one line.
pub(crate) fn line(action: &Action) -> String {
    let members = members(action);
    let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let said = match action {
        Action::Directory(_) | Action::File(_) => format!("{}  {}", text("path"), owned(&members)),
        Action::Edit(_) => format!("{}: {}", text("path"), text("change")),
        Action::Link(_) => format!("{} -> {}", text("path"), text("target")),
        Action::Remove(_) | Action::SharedMount(_) => text("path"),
        Action::Move(moved) => {
            let from: Vec<String> = moved.from.iter().map(|path| path.display().to_string()).collect();
            format!("{} from {}", text("to"), from.join(" or "))
        }
        Action::Setting(_) => format!("{} = {}", text("path"), text("value")),
        Action::Module(name) => (*name).to_owned(),
        Action::ReloadUnits => String::new(),
        Action::Unit(unit) => {
            let enabled = unit.enabled.map(|enabled| if enabled { "enable" } else { "disable" });
            let words: Vec<&str> = unit.verb.map(verb).into_iter().chain(enabled).collect();
            format!("{}: {}", unit.name, words.join(", "))
        }
        Action::Traces(traces) => format!("{}: removed by reset", traces.unit),
        Action::SelfSigned(pair) => format!("{} for {}, {} days", text("certificate"), pair.host, pair.days),
        Action::Artifact(artifact) => {
            let to: Vec<String> =
                artifact.members.iter().map(|(_, path)| path.display().to_string()).collect();
            format!("{} from {}", to.join(", "), text("url"))
        }
        Action::Image(image) => format!("{} from {}", image.name, image.archive.display()),
        Action::SwapOff(area) => area.display().to_string(),
        Action::Program(program) => format!("{} {}", program.path.display(), program.arguments.join(" ")),
        Action::Probe(Probe::Reach { host, port }) => format!("{host}:{port} answers"),
        Action::TlsBootstrap(order) => format!("{} as {}", order.server, order.node),
        Action::Await(Await::Socket(path)) => format!("{} listens", path.display()),
        Action::Await(Await::Ready { node, .. }) => format!("{node} is Ready"),
    };
    format!("{:<13} {said}", kind(action)).trim_end().to_owned()
}

fn owned(members: &Map<String, Value>) -> String {
    let mode = members.get("mode").and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| members.get(name).and_then(Value::as_u64).unwrap_or_default();
    match (number("uid"), number("gid")) {
        (0, 0) => mode.to_owned(),
        (uid, gid) => format!("{mode} {uid}:{gid}"),
    }
}

const fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Start => "start",
        Verb::Restart => "restart",
        Verb::Stop => "stop",
        Verb::Reload => "reload",
    }
}

/// A step for programs.
pub(crate) fn step_json(step: &Step) -> Value {
    let (fails, reason) = match step.on_failure {
        slipway_plan::OnFailure::Fail(reason) => ("fail", reason),
        slipway_plan::OnFailure::Degrade(reason) => ("degrade", reason),
    };
    json!({
        "id": step.id.0,
        "title": step.title,
        "stage": stage(step.stage),
        "needs": step.needs.iter().map(|need| need.0).collect::<Vec<_>>(),
        "on_failure": { "effect": fails, "exit_code": reason.code(), "reason": reason.reason() },
        "within_seconds": step.within.as_secs(),
        "sources": sources_json(&step.sources),
        "ops": step.ops.iter().map(op_json).collect::<Vec<_>>(),
    })
}

/// An operation for programs.
pub(crate) fn op_json(op: &Op) -> Value {
    let mut all = Map::new();
    all.insert("op".to_owned(), kind(&op.action).into());
    all.extend(members(&op.action));
    all.insert("sources".to_owned(), sources_json(&op.sources));
    Value::Object(all)
}

/// What an operation's members are, secrets masked.
fn members(action: &Action) -> Map<String, Value> {
    let value = match action {
        Action::Directory(directory) => with(json!({ "path": directory.path }), directory.attributes),
        Action::File(file) => {
            let mut value = with(json!({ "path": file.path }), file.attributes);
            value["content"] = shown(&file.content).into();
            value
        }
        Action::Edit(edit) => {
            with(json!({ "path": edit.path, "change": change(&edit.change) }), edit.attributes)
        }
        Action::Link(link) => json!({ "path": link.path, "target": link.target }),
        Action::Remove(remove) => json!({ "path": remove.path }),
        Action::Move(moved) => with(json!({ "from": moved.from, "to": moved.to }), moved.attributes),
        Action::Setting(setting) => {
            json!({ "path": setting.path, "value": setting.value, "required": setting.required })
        }
        Action::Module(name) => json!({ "name": name }),
        Action::ReloadUnits => json!({}),
        Action::Unit(unit) => json!({
            "name": unit.name,
            "verb": unit.verb.map(verb),
            "enabled": unit.enabled,
            "wait_seconds": unit.wait.map(|wait| wait.as_secs()),
            "required": unit.required,
        }),
        Action::Traces(traces) => json!({
            "name": traces.unit,
            "pods": traces.pods,
            "units": traces.units,
            "directories": traces.directories,
            "links": traces.links,
            "chains": traces.chains,
            "accounts": traces.accounts,
            "settings": traces.settings.iter().map(|(path, value)| json!({ "path": path, "value": value })).collect::<Vec<_>>(),
        }),
        Action::SharedMount(path) => json!({ "path": path }),
        Action::SelfSigned(pair) => {
            json!({ "certificate": pair.certificate, "key": pair.key, "host": pair.host, "days": pair.days })
        }
        Action::Artifact(artifact) => with(
            json!({
                "url": mask_url(artifact.url.expose()),
                "sha256": artifact.sha256,
                "members": artifact.members.iter().map(|(name, path)| json!({ "name": name, "path": path })).collect::<Vec<_>>(),
            }),
            artifact.attributes,
        ),
        Action::Image(image) => {
            json!({
                "name": image.name, "archive": image.archive, "sha256": image.sha256, "socket": image.socket,
                "outlived": image.outlived,
            })
        }
        Action::SwapOff(area) => json!({ "path": area }),
        Action::Program(program) => json!({
            "path": program.path,
            "arguments": program.arguments,
            "input": program.input.as_ref().map(|_| MASK),
            "within_seconds": program.within.as_secs(),
        }),
        Action::Probe(Probe::Reach { host, port }) => json!({ "host": host, "port": port }),
        Action::TlsBootstrap(order) => json!({
            "server": order.server,
            "ca": order.ca,
            "node": order.node,
            "token": MASK,
            "kubeconfig": order.kubeconfig,
            "certificates": order.certificates,
        }),
        Action::Await(Await::Socket(path)) => json!({ "socket": path }),
        Action::Await(Await::Ready { server, ca, node, kubeconfig }) => {
            json!({ "ready": node, "server": server, "ca": ca, "kubeconfig": kubeconfig })
        }
    };
    if let Value::Object(members) = value { members } else { Map::new() }
}

/// A change to a file that is not ours alone, in words.
fn change(change: &Change) -> String {
    match change {
        Change::Line { line, .. } => line.clone(),
        Change::SshOption { name, value } => format!("{name} {value}"),
        Change::JsonText { member, from, to } => format!("{member}: {to} in place of {from}"),
        Change::Comment { word, .. } => format!("lines about {word} become comments"),
        Change::Present => "is there".to_owned(),
    }
}

/// A file's content, as anyone may see it.
pub(crate) fn shown(content: &Content) -> &str {
    match content {
        Content::Plain(text) => text,
        Content::Secret(_) => MASK,
    }
}

fn with(mut value: Value, attributes: Attributes) -> Value {
    value["mode"] = mode(attributes.mode).into();
    value["uid"] = attributes.uid.into();
    value["gid"] = attributes.gid.into();
    value
}

/// A mode as `chmod` takes it.
pub(crate) fn mode(mode: u32) -> String {
    format!("{mode:04o}")
}

/// Where something came from, for programs.
pub(crate) fn sources_json(sources: &Sources) -> Value {
    let one = |source: &Source| match source {
        Source::Contract(path) => json!({ "contract": path, "set": true }),
        Source::Unset(path) => json!({ "contract": path, "set": false }),
        Source::Fact(name) => json!({ "fact": name }),
        Source::Flex { key, set } => json!({ "flex": key, "set": set }),
    };
    sources.iter().map(one).collect()
}
