//! A Resource Manager on this machine that answers as the recorded one did.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use slipway_azure::arm::Arm;
use slipway_azure::credential::{AccessToken, Scope, TokenError, TokenSource};
use slipway_fetch::{Client, Patience, Trust};
use slipway_model::Secret;

use super::fakes::{Act, Request, Server, answer};

/// The address that recorded answers speak of.
const RECORDED: &str = "https://management.azure.com";

/// A source of the one token that every test has.
pub struct Token;

impl TokenSource for Token {
    fn token(&self, _: &Scope, _: Patience<'_>) -> Result<AccessToken, TokenError> {
        Ok(AccessToken::new(Secret::from("arm-token"), 4_102_444_800).unwrap())
    }
}

/// A client of a server on this machine.
pub fn arm(server: &Server) -> Arm {
    let client = Client::new(&Trust::Nobody, None, None).unwrap();
    let scope = Scope::of("https://management.azure.com");
    Arm::new(&server.url("http", ""), client, Box::new(Token), scope).unwrap()
}

/// A request without what differs between two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub body: Option<Value>,
}

/// A recorded case, the world that it begins with, and what was asked of it.
pub struct World {
    pub case: Value,
    pub server: Server,
    pub state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub struct State {
    case: Value,
    /// The uses of each rule.
    used: Vec<usize>,
    /// Name, principal, role definition.
    pub assignments: Vec<(String, String, String)>,
    pub machine: bool,
    pub asked: Vec<Asked>,
    /// Where we are, once we know.
    home: String,
}

impl World {
    /// The world of a recorded case; `edit` may change the recording first.
    pub fn of(text: &str, edit: impl FnOnce(&mut Value)) -> Self {
        let mut case: Value = serde_json::from_str(text).unwrap();
        edit(&mut case);
        let world = &case["world"];
        let assignments = world["role_assignments_before"].as_array().into_iter().flatten().enumerate();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let state = State {
            used: vec![0; world["rules"].as_array().map_or(0, Vec::len)],
            assignments: assignments
                .map(|(number, found)| {
                    let name = found["name"].as_str().map(str::to_owned);
                    let name = name.unwrap_or_else(|| format!("{number:08}-0000-4000-8000-000000000000"));
                    (name, text(&found["principalId"]), text(&found["roleDefinitionId"]))
                })
                .collect(),
            machine: world["machine_exists"] == true,
            case: case.clone(),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        let server = Server::plain(move |request| shared.lock().unwrap().serve(request));
        state.lock().unwrap().home = server.url("http", "");
        Self { case, server, state }
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.state.lock().unwrap().asked.clone()
    }

    /// The requests of the recording.
    pub fn recorded(&self) -> Vec<Asked> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let requests = self.case["requests"].as_array().unwrap().iter();
        requests
            .map(|request| Asked {
                method: text(&request["method"]),
                path: text(&request["path"]),
                query: text(&request["query"]),
                body: Some(request["body"].clone()).filter(|body| !body.is_null()),
            })
            .collect()
    }
}

impl State {
    fn serve(&mut self, request: &Request) -> Vec<Act> {
        assert_eq!(request.field("authorization"), Some("Bearer arm-token"));
        assert_eq!(request.field("accept"), Some("application/json"));
        let mut words = request.line().split(' ');
        let (method, target) = (words.next().unwrap().to_owned(), words.next().unwrap());
        let (path, query) = target.split_once('?').unwrap();
        let body: Option<Value> = serde_json::from_slice(&request.body).ok();
        let (path, query) = (path.to_owned(), query.to_owned());
        self.asked.push(Asked { method: method.clone(), path: path.clone(), query, body: body.clone() });
        let (status, fields, answered) = match self.rule(&method, &path) {
            Some(rule) => self.ruled(&rule, &path, body.as_ref()),
            None => self.usual(&method, &path, body.as_ref()),
        };
        let text = answered.to_string().replace(RECORDED, &self.home);
        let text = if answered.is_null() { String::new() } else { text };
        let fields = fields.replace(RECORDED, &self.home);
        let fields = format!("{fields}x-ms-correlation-request-id: c0ffee\r\n");
        answer(&format!("{status} X"), &fields, text.as_bytes())
    }

    /// The answer that a rule has for this request, if one has.
    fn rule(&mut self, method: &str, path: &str) -> Option<Value> {
        let rules = self.case["world"]["rules"].as_array()?.clone();
        for (number, rule) in rules.iter().enumerate() {
            if rule["method"] != method || !is_at(rule["path"].as_str().unwrap(), path) {
                continue;
            }
            let responses = rule["responses"].as_array().unwrap();
            let used = self.used[number];
            if used >= responses.len() && rule["once"] == true {
                continue;
            }
            self.used[number] += 1;
            return Some(responses[used.min(responses.len() - 1)].clone());
        }
        None
    }

    fn ruled(&mut self, rule: &Value, path: &str, sent: Option<&Value>) -> (u64, String, Value) {
        if rule["apply_put"] == true {
            self.store(path, sent.unwrap());
        }
        let headers = rule["headers"].as_object().into_iter().flatten();
        let fields = headers.map(|(name, value)| format!("{name}: {}\r\n", value.as_str().unwrap()));
        let fields = fields.collect::<Vec<_>>().concat();
        let mut body = rule["body"].clone();
        if let Some(echo) = rule["echo"].as_object() {
            let mut properties = sent.map_or_else(|| json!({}), |sent| sent["properties"].clone());
            properties.as_object_mut().unwrap().extend(echo.clone());
            // Azure answers in another case than it was asked in.
            let id = path.replace("resourceGroups", "resourcegroups");
            body = json!({ "id": id, "name": path.rsplit('/').next(), "properties": properties });
        }
        (rule["status"].as_u64().unwrap(), fields, body)
    }

    fn usual(&mut self, method: &str, path: &str, sent: Option<&Value>) -> (u64, String, Value) {
        let name = path.rsplit('/').next().unwrap();
        let principal = &self.case["world"]["machine_identity"];
        let (status, body) = match method {
            "GET" if path.contains("HybridCompute/machines") && self.machine => (
                200,
                json!({ "id": path, "name": name, "location": "westeurope", "tags": null,
                    "properties": { "status": "Connected" },
                    "identity": { "type": "SystemAssigned", "principalId": principal } }),
            ),
            "GET" if path.ends_with("roleAssignments") => {
                let listed = self.assignments.iter().map(|(name, principal, role)| {
                    json!({ "name": name, "properties": { "principalId": principal, "roleDefinitionId": role } })
                });
                (200, json!({ "value": listed.collect::<Vec<_>>() }))
            }
            "PUT" if path.contains("roleAssignments/") => {
                self.store(path, sent.unwrap());
                (201, json!({}))
            }
            "DELETE" if path.contains("roleAssignments/") => {
                self.assignments.retain(|(other, ..)| other != name);
                (200, Value::Null)
            }
            "DELETE" if path.contains("HybridCompute/machines") => {
                self.machine = false;
                (200, Value::Null)
            }
            "POST" if path.ends_with("Credential") => {
                (200, json!({ "kubeconfigs": [{ "name": "clusterUser", "value": "a2luZDogQ29uZmlnCg==" }] }))
            }
            _ => (404, json!({ "error": { "code": "ResourceNotFound", "message": "not found" } })),
        };
        (status, String::new(), body)
    }

    fn store(&mut self, path: &str, sent: &Value) {
        let text = |name: &str| sent["properties"][name].as_str().unwrap().to_owned();
        let name = path.rsplit('/').next().unwrap().to_owned();
        self.assignments.retain(|(other, ..)| *other != name);
        self.assignments.push((name, text("principalId"), text("roleDefinitionId")));
    }
}

/// The patterns of the recordings.
fn is_at(pattern: &str, path: &str) -> bool {
    let parent_is = |kind: &str| path.rsplit_once('/').is_some_and(|(above, _)| above.ends_with(kind));
    match pattern {
        "HybridCompute/machines/[^/]+$" => parent_is("HybridCompute/machines"),
        "agentPools/[^/]+/machines/[^/]+$" => path.contains("/agentPools/") && parent_is("/machines"),
        "roleAssignments$" => path.ends_with("roleAssignments"),
        "roleAssignments/[0-9a-f-]{36}$" => parent_is("/roleAssignments"),
        "listClusterAdminCredential$" => path.ends_with("listClusterAdminCredential"),
        "listClusterUserCredential$" => path.ends_with("listClusterUserCredential"),
        "^/ops/1$" => path == "/ops/1",
        other => panic!("a pattern that no recording had: {other}"),
    }
}
