//! The instance metadata service.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::answer::Answer;
use super::http::{Request, decode};
use super::machine::Machine;
use super::state::{State, hold};
use super::{scheduled, token};

/// The newest first; what a client is told when it names none that exists.
const VERSIONS: &str = "\
    2025-04-07 2023-11-15 2023-07-01 2021-12-13 2021-11-15 2021-11-01 2021-10-01 2021-08-01 \
    2021-05-01 2021-03-01 2021-02-01 2021-01-01 2020-12-01 2020-10-01 2020-09-01 2020-07-15 \
    2020-07-01 2020-06-01 2019-11-01 2019-08-15 2019-08-01 2019-06-04 2019-06-01 2019-04-30 \
    2019-03-11 2019-02-01 2018-10-01 2018-04-02 2018-02-01 2017-12-01 2017-10-01 2017-08-01 \
    2017-04-02";

/// What the service says to this machine.
pub(super) fn answer(state: &State, peer: IpAddr, request: &Request) -> Answer {
    let path = decode(request.path());
    let path = path.trim_end_matches('/');
    let is_token = path == "/metadata/identity/oauth2/token";
    if let Err(refusal) = checked(request, is_token) {
        return refusal;
    }
    if path == "/metadata/versions" {
        return Answer::json(200, &json!({ "apiVersions": versions(usize::MAX) }));
    }
    let known = hold(&state.machines).asking(peer).cloned();
    let Some((machine, incarnation)) = known else { return error(404, "Not found") };
    if request.method == "POST" && path == "/metadata/scheduledevents" {
        return approve(state, &machine, request);
    }
    if request.method != "GET" {
        return error(405, "Method not allowed");
    }
    match path {
        "/metadata/attested/document" => attested(&machine, request),
        "/metadata/identity/oauth2/token" => token::answer(state, &machine, request),
        "/metadata/scheduledevents" => {
            Answer::json(200, &scheduled::document(&machine.name, &machine.events, incarnation))
        }
        _ => match path.strip_prefix("/metadata/instance") {
            Some(below) if below.is_empty() || below.starts_with('/') => instance(&machine, below, request),
            _ => error(404, "Not found"),
        },
    }
}

/// What every request has to bring: it must come from the machine itself and say that it knows what it asks.
fn checked(request: &Request, is_token: bool) -> Result<(), Answer> {
    let refusal = |words: &str| {
        if is_token {
            token::refusal("bad_request_102", words)
        } else {
            error(400, &format!("Bad request. {words}"))
        }
    };
    if !request.header("Metadata").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Err(refusal("Required metadata header not specified"));
    }
    if request.header("X-Forwarded-For").is_some() {
        return Err(refusal("Request contains an X-Forwarded-For header"));
    }
    if request.path() == "/metadata/versions" {
        return Ok(());
    }
    let problem = match request.query("api-version") {
        None => "api-version was not specified in the request",
        Some(version) if !VERSIONS.split(' ').any(|known| known == version) => {
            "api-version is invalid or was not specified in the request"
        }
        Some(_) => return Ok(()),
    };
    if is_token {
        return Err(refusal(problem));
    }
    Err(Answer::json(
        400,
        &json!({
            "error": format!("Bad request. {problem}. For more information refer to aka.ms/azureimds"),
            "newest-versions": versions(3)
        }),
    ))
}

/// The newest so many versions.
fn versions(count: usize) -> Vec<&'static str> {
    VERSIONS.split(' ').take(count).collect()
}

fn error(status: u16, words: &str) -> Answer {
    Answer::json(status, &json!({ "error": words }))
}

/// The document or what is below it. Leaves are text and have to be asked for as such.
fn instance(machine: &Machine, below: &str, request: &Request) -> Answer {
    let document = machine.document();
    let Some(value) = document.pointer(below) else { return error(404, "Not found") };
    let as_text = request.query("format").is_some_and(|format| format.eq_ignore_ascii_case("text"));
    let text = |text: String| Answer::of(200, "text/plain; charset=utf-8", text);
    match value {
        Value::String(leaf) if as_text => text(leaf.clone()),
        Value::Object(members) if as_text => {
            text(listing(members.iter().map(|(key, value)| (key.as_str(), value))))
        }
        Value::Array(items) if as_text => {
            let indices: Vec<String> = (0..items.len()).map(|index| index.to_string()).collect();
            text(listing(indices.iter().map(String::as_str).zip(items)))
        }
        Value::Object(_) | Value::Array(_) => Answer::json(200, value),
        _ => error(400, "Bad request. The requested resource is a leaf: ask for it with format=text"),
    }
}

/// The names below an element, those that have more below them with a slash.
fn listing<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    let lines =
        members.map(|(name, value)| if value.is_string() { name.to_owned() } else { format!("{name}/") });
    lines.collect::<Vec<_>>().join("\n")
}

/// The attested document. The real one is signed by Azure; this one only says what it would.
fn attested(machine: &Machine, request: &Request) -> Answer {
    let statement = machine.attestation(request.query("nonce").as_deref());
    let signature = STANDARD.encode(statement.to_string());
    Answer::json(200, &json!({ "encoding": "pkcs7", "signature": signature }))
}

fn approve(state: &State, machine: &Machine, request: &Request) -> Answer {
    let Some(events) = scheduled::approved(&request.body) else {
        return error(400, "Bad request. StartRequests was not specified in the body");
    };
    let mut machines = hold(&state.machines);
    if events.iter().all(|event| machines.begin_event(&machine.name, event)) {
        Answer::empty(200)
    } else {
        error(400, "Bad request. There is no event of this id")
    }
}
