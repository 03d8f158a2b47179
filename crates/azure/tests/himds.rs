//! The Arc agent's protocol, case by case as Azure's library was seen to speak it.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use fakes::{Server, answer, never, soon};
use serde::Deserialize;
use serde_json::Value;
use slipway_azure::credential::{
    AccessToken, ArcAgent, ArcEndpoint, KEY_DIRECTORY, KeyFiles, Scope, TokenError, TokenSource as _,
};
use slipway_fetch::Patience;
use slipway_model::Secret;

/// Cases that end otherwise here, and why.
const DIFFERENCES: [(&str, &str); 1] = [(
    "token-missing",
    "an answer without a token is an error, not an empty token that the API server refuses",
)];

/// Cases that are asked once more here before they end alike: the agent may have restarted.
const ASKED_AGAIN: [&str; 2] = ["file-missing", "second-401"];

#[derive(Deserialize)]
struct Recorded {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    resource_scope: String,
    environment: BTreeMap<String, String>,
    client_id: Option<String>,
    files: BTreeMap<String, Content>,
    answers: Vec<Answer>,
    library_1_14: End,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Long { repeat: String, length: usize },
}

#[derive(Deserialize, Clone)]
struct Answer {
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<Value>,
    raw: Option<String>,
}

#[derive(Deserialize)]
struct End {
    requests: Vec<Asked>,
    outcome: String,
    token: Option<String>,
    expires_on: Option<Value>,
}

#[derive(Deserialize)]
struct Asked {
    path: String,
    query: BTreeMap<String, String>,
    metadata: Option<String>,
    authorization: Option<String>,
    answered: u16,
}

/// The key files of a case.
struct Keys(BTreeMap<String, String>);

impl KeyFiles for Keys {
    fn read(&self, name: &str, most: usize) -> io::Result<Secret<Vec<u8>>> {
        let found = self.0.get(&format!("{KEY_DIRECTORY}/{name}")).ok_or(io::ErrorKind::NotFound)?;
        Ok(Secret::new(found.bytes().take(most).collect()))
    }
}

fn recorded() -> Vec<Case> {
    serde_json::from_str::<Recorded>(include_str!("data/himds.json")).unwrap().cases
}

impl Case {
    fn files(&self) -> BTreeMap<String, String> {
        let text = |content: &Content| match content {
            Content::Text(text) => text.clone(),
            Content::Long { repeat, length } => repeat.repeat(*length),
        };
        self.files.iter().map(|(path, content)| (path.clone(), text(content))).collect()
    }

    /// Serves the answers in order; like the recorded endpoint it refuses a key that is in no file.
    fn serve(&self) -> (Server, Arc<Mutex<Vec<u16>>>) {
        let keys: Vec<_> =
            self.files().into_values().map(|key| format!("Basic {}", key.trim_end())).collect();
        let answers = self.answers.clone();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&sent);
        let server = Server::plain(move |request| {
            let next = &answers[request.number.min(answers.len() - 1)];
            let known =
                request.field("authorization").is_some_and(|key| keys.iter().any(|known| known == key));
            let refused = next.status == 200 && request.number > 0 && !known;
            let status = if refused { 401 } else { next.status };
            log.lock().unwrap().push(status);
            let fields: Vec<_> =
                next.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let fields = fields.concat();
            let body = match (&next.body, &next.raw) {
                _ if refused => String::new(),
                (Some(body), _) => body.to_string(),
                (None, raw) => raw.clone().unwrap_or_default(),
            };
            answer(&format!("{status} X"), &fields, body.as_bytes())
        });
        (server, sent)
    }

    fn ask(&self, server: &Server) -> Result<AccessToken, TokenError> {
        // The variables name a port that is the fake's here.
        let here = |value: &String| {
            let (_, path) = value.split_once("//").unwrap();
            let path = path.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
            server.url("http", &path)
        };
        let installed = self.files.contains_key("/opt/azcmagent/bin/himds");
        let endpoint = ArcEndpoint::find(|name| self.environment.get(name).map(here), installed)?.unwrap();
        let endpoint = if self.environment.is_empty() {
            assert_eq!(endpoint, ArcEndpoint::default());
            ArcEndpoint::at(&server.url("http", "/metadata/identity/oauth2/token"))?
        } else {
            endpoint
        };
        let agent = ArcAgent::new(endpoint, self.client_id.as_deref(), Keys(self.files()))?;
        agent.token(&Scope::of(&self.resource_scope), Patience::new(soon(10), &never))
    }
}

#[test]
fn every_recorded_case_ends_as_the_librarys_or_is_tabled() {
    for case in recorded() {
        let (server, sent) = case.serve();
        let end = case.ask(&server);
        let name = &case.name;
        if let Some((_, reason)) = DIFFERENCES.iter().find(|(other, _)| other == name) {
            assert!(end.is_err() && case.library_1_14.outcome == "ok", "{name}: {reason}");
        } else {
            assert_eq!(end.is_ok(), case.library_1_14.outcome == "ok", "{name}: {end:?}");
        }
        if let (Ok(token), Some(expected)) = (&end, &case.library_1_14.token) {
            assert_eq!(token.secret().expose(), expected, "{name}");
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
            match case.library_1_14.expires_on.as_ref().unwrap() {
                Value::String(relative) => {
                    let lifetime: u64 = relative.strip_prefix("now+").unwrap().parse().unwrap();
                    assert!((now + lifetime - 5..=now + lifetime).contains(&token.expires_on()), "{name}");
                }
                seconds => assert_eq!(Some(token.expires_on()), seconds.as_u64(), "{name}"),
            }
        }
        let asked = server.requests();
        let expected = &case.library_1_14.requests;
        let more = usize::from(ASKED_AGAIN.contains(&name.as_str()));
        assert_eq!(asked.len(), expected.len() + more, "{name}");
        for (request, expected) in asked.iter().zip(expected) {
            let target = request.line().split(' ').nth(1).unwrap();
            let (path, query) = target.split_once('?').unwrap();
            assert_eq!(path, expected.path, "{name}");
            let query: BTreeMap<_, _> = query
                .split('&')
                .map(|pair| pair.split_once('=').unwrap())
                .map(|(key, value)| (key.to_owned(), value.replace("%3A", ":").replace("%2F", "/")))
                .collect();
            assert_eq!(query, expected.query, "{name}");
            assert_eq!(request.field("metadata"), expected.metadata.as_deref(), "{name}");
            let key = request.field("authorization").map(|key| match key.len() {
                4102 => "Basic <4096 characters>",
                _ => key,
            });
            assert_eq!(key, expected.authorization.as_deref(), "{name}");
        }
        let answered: Vec<_> = expected.iter().map(|request| request.answered).collect();
        assert_eq!(sent.lock().unwrap()[..answered.len()], answered, "{name}");
        if let Err(error) = end {
            assert!(
                !error.hint().is_empty() && !format!("{error} {error:?}").contains("tok-1"),
                "{name}: {error}"
            );
        }
    }
}

#[test]
fn the_end_of_a_line_in_a_key_file_is_no_part_of_the_key() {
    let mut case = recorded().remove(0);
    let path = format!("{KEY_DIRECTORY}/k1.key");
    case.files.insert(path, Content::Text("a2V5LWNvbnRlbnQtMTIz\n".to_owned()));
    let (server, _) = case.serve();
    assert_eq!(case.ask(&server).unwrap().secret().expose(), "tok-1");
    assert_eq!(server.requests()[1].field("authorization"), Some("Basic a2V5LWNvbnRlbnQtMTIz"));
}

#[test]
fn an_agent_that_restarts_is_asked_again() {
    let mut case = recorded().remove(0);
    let gone = Answer { status: 503, headers: Vec::new(), body: None, raw: None };
    case.answers.insert(0, gone.clone());
    case.answers.insert(2, gone);
    let (server, sent) = case.serve();
    assert_eq!(case.ask(&server).unwrap().secret().expose(), "tok-1");
    assert_eq!(*sent.lock().unwrap(), [503, 401, 503, 200]);
}

/// An agent that restarts after its first challenges: what they ask for is a key that it does not know, or no key at all.
#[test]
fn the_keys_of_an_agent_that_has_ended_are_asked_for_anew() {
    let mut case = recorded().remove(0);
    let [first, last] = [case.answers[0].clone(), case.answers[1].clone()];
    let swept = ("Www-Authenticate".to_owned(), format!("Basic realm={KEY_DIRECTORY}/swept.key"));
    let of_former = Answer { headers: vec![swept], ..first.clone() };
    case.answers = vec![of_former, first.clone(), first.clone(), first, last];
    let (server, sent) = case.serve();
    assert_eq!(case.ask(&server).unwrap().secret().expose(), "tok-1");
    assert_eq!(*sent.lock().unwrap(), [401, 401, 401, 401, 200]);
}
