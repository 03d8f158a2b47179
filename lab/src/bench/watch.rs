//! What the API server says the moment it says it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::moment::Moment;
use crate::cluster::end;
use crate::{Error, Lab};

const LONGEST: Duration = Duration::from_mins(2);

/// A watch of one kind of objects.
pub(super) struct Watch {
    kubectl: Child,
    events: Receiver<Event>,
}

/// Something that happened to an object.
pub(super) struct Event {
    /// When it was known here.
    pub(super) at: Moment,
    kind: String,
    pub(super) object: Value,
}

impl Watch {
    /// Watches the objects at a path of the API, once everything that is there already has been told.
    pub(super) fn start(lab: &Lab, path: &str) -> Result<Self, Error> {
        let query = "watch=true&allowWatchBookmarks=true&sendInitialEvents=true\
                     &resourceVersionMatch=NotOlderThan&timeoutSeconds=86400";
        let mut kubectl = lab
            .cluster
            .kubectl(&lab.space, &["get", "--raw", &format!("{path}?{query}")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
        let lines = kubectl.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        let (sender, events) = channel();
        thread::spawn(move || {
            for line in lines.into_iter().flatten().map_while(Result::ok) {
                let at = Moment::now();
                let Ok(mut event) = serde_json::from_str::<Value>(&line) else { continue };
                let kind = event["type"].as_str().unwrap_or_default().to_owned();
                if sender.send(Event { at, kind, object: event["object"].take() }).is_err() {
                    break;
                }
            }
        });
        let watch = Self { kubectl, events };
        loop {
            match watch.next(LONGEST) {
                Some(event) if event.kind == "BOOKMARK" => return Ok(watch),
                Some(_) => {}
                None => {
                    let what = format!("a watch of {path}");
                    return Err(Error::Late { what, waited: LONGEST, evidence: String::new() });
                }
            }
        }
    }

    /// The next event, if there is one in time.
    pub(super) fn next(&self, within: Duration) -> Option<Event> {
        self.events.recv_timeout(within).ok()
    }
}

impl Event {
    /// The object's name.
    pub(super) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// Whether the object is new.
    pub(super) fn is_new(&self) -> bool {
        self.kind == "ADDED"
    }

    /// Whether the object has this condition.
    pub(super) fn has(&self, condition: &str) -> bool {
        let conditions = self.object["status"]["conditions"].as_array();
        let holds = |it: &Value| it["type"] == condition && it["status"] == "True";
        conditions.is_some_and(|all| all.iter().any(holds))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        end(&self.kubectl);
        let _ = self.kubectl.wait();
    }
}
