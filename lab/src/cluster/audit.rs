//! The API server's own record of when nodes came to be and were Ready. Objects have whole seconds; its audit log has
//! microseconds.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::error::At as _;
use crate::{Cluster, Error};

const POLICY: &str = "audit-policy.json";
const LOG: &str = "audit.log";

/// When the API server had done what made a machine a node.
#[derive(Debug, Clone, Copy)]
pub struct Recorded {
    /// The Node was created.
    pub registered: Timestamp,
    /// The Node was Ready.
    pub ready: Timestamp,
}

/// Arguments of the API server: what it records, and where.
pub(super) fn arguments(at: &impl Fn(&str) -> String) -> [String; 2] {
    [format!("--audit-policy-file={}", at(POLICY)), format!("--audit-log-path={}", at(LOG))]
}

/// Writes what is recorded: what nodes say of themselves.
pub(super) fn write(files: &Path) -> Result<(), Error> {
    let policy = json!({
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {
                "level": "Request",
                "verbs": ["create", "update", "patch"],
                "resources": [{"group": "", "resources": ["nodes", "nodes/status"]}],
            },
            {"level": "None"},
        ],
    });
    let path = files.join(POLICY);
    fs::write(&path, policy.to_string()).at("write", &path)
}

impl Cluster {
    /// When a node was registered and became Ready for the first time, by the API server's own clock.
    pub fn recorded(&self, node: &str) -> Result<Recorded, Error> {
        let path = self.files.join(LOG);
        let lines = BufReader::new(File::open(&path).at("read", &path)?).lines().map_while(Result::ok);
        let records = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let of_node = |record: &Value| record["objectRef"]["name"] == node && succeeded(record);
        let (mut registered, mut ready) = (None, None);
        for record in records.filter(of_node) {
            let Some(time) = record["stageTimestamp"].as_str().and_then(|time| time.parse().ok()) else {
                continue;
            };
            if record["verb"] == "create" {
                registered.get_or_insert(time);
            }
            if says_ready(&record["requestObject"]) {
                ready.get_or_insert(time);
            }
        }
        let recorded = registered.zip(ready).map(|(registered, ready)| Recorded { registered, ready });
        recorded.ok_or_else(|| {
            Error::refused(
                format!("the API server has no record of a Ready node {node}"),
                path.display().to_string(),
            )
        })
    }
}

fn succeeded(record: &Value) -> bool {
    record["responseStatus"]["code"].as_u64().is_some_and(|code| (200..300).contains(&code))
}

fn says_ready(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    let ready = |it: &Value| it["type"] == "Ready" && it["status"] == "True";
    conditions.is_some_and(|all| all.iter().any(ready))
}
