//! The host's plugin for guest agents, on a port of its own: settings of extensions, uploads of logs.

use std::net::IpAddr;

use serde_json::json;

use super::answer::Answer;
use super::http::Request;
use super::machine::Machine;
use super::state::{AgentLog, State, hold};

const PROTOCOL: &str = "2015-09-01";
const LARGEST_LOG: usize = 100 * 1024 * 1024;

/// What the plugin says to this machine.
pub(super) fn answer(state: &State, peer: IpAddr, request: &Request) -> Answer {
    let known = hold(&state.machines).asking(peer).cloned();
    let Some((machine, _)) = known else { return refusal(404, "no such machine") };
    let answer = match (request.method.as_str(), request.path()) {
        ("GET", "/health") => Ok(Answer::empty(200)),
        ("GET", "/versions") => Ok(Answer::json(200, &json!([PROTOCOL]))),
        ("GET", "/vmSettings") => settings(&machine, request),
        ("PUT", "/vmAgentLog") => upload(state, &machine, request),
        (_, "/health" | "/versions" | "/vmSettings" | "/vmAgentLog") => Err(refusal(405, "another method")),
        _ => Err(refusal(404, "no such resource")),
    };
    answer.unwrap_or_else(|refusal| refusal)
}

fn refusal(status: u16, words: &str) -> Answer {
    Answer::of(status, "text/plain; charset=utf-8", words)
}

/// The value of a header that has to be there.
fn required<'a>(request: &'a Request, name: &str) -> Result<&'a str, Answer> {
    let value = request.header(name).filter(|value| !value.is_empty());
    value.ok_or_else(|| refusal(400, &format!("the header {name} is missing")))
}

/// A header that has to have this value.
fn exactly(request: &Request, name: &str, expected: &str, otherwise: u16) -> Result<(), Answer> {
    match required(request, name)? {
        value if value == expected => Ok(()),
        value => Err(refusal(otherwise, &format!("the header {name} is {value}, not {expected}"))),
    }
}

/// Settings without extensions: the lab runs the extension's command itself.
fn settings(machine: &Machine, request: &Request) -> Result<Answer, Answer> {
    exactly(request, "x-ms-version", PROTOCOL, 400)?;
    exactly(request, "x-ms-containerid", &machine.container_id(), 410)?;
    exactly(request, "x-ms-host-config-name", &machine.config_name(), 410)?;
    let tag = format!("\"{}\"", machine.deployment_id());
    if request.header("If-None-Match") == Some(&tag) {
        return Ok(Answer::empty(304).with("ETag", tag));
    }
    let document = json!({
        "hostGAPluginVersion": "1.0.8.179",
        "vmSettingsSchemaVersion": "0.0",
        "activityId": machine.vm_id(),
        "correlationId": request.header("x-ms-client-correlationid").unwrap_or_default(),
        "extensionsLastModifiedTickCount": 637_726_657_706_205_217_u64,
        "extensionGoalStatesSource": "FastTrack",
        "onHold": false,
        "statusUploadBlob": { "statusBlobType": "BlockBlob", "value": "" },
        "inVMMetadata": { "vmId": machine.vm_id() },
        "requiredFeatures": [],
        "gaFamilies": [],
        "extensionGoalStates": []
    });
    Ok(Answer::json(200, &document).with("ETag", tag))
}

fn upload(state: &State, machine: &Machine, request: &Request) -> Result<Answer, Answer> {
    exactly(request, "x-ms-version", PROTOCOL, 400)?;
    required(request, "x-ms-client-name")?;
    required(request, "x-ms-client-version")?;
    let correlation = required(request, "x-ms-client-correlationid")?.to_owned();
    exactly(request, "x-ms-containerid", &machine.container_id(), 410)?;
    exactly(request, "x-ms-vmagentlog-deploymentid", &machine.deployment_id(), 400)?;
    if request.body.is_empty() {
        return Err(refusal(400, "the log is empty"));
    }
    if request.body.len() > LARGEST_LOG {
        return Err(refusal(413, "the log is larger than 100 MB"));
    }
    let (machine, content) = (machine.name.clone(), request.body.clone());
    hold(&state.agent_logs).push(AgentLog { machine, correlation, content });
    Ok(Answer::empty(200))
}
