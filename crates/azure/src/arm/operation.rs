//! Operations that go on after their answer.

use std::time::Duration;

use serde::Deserialize;
use slipway_fetch::{Impatience, Patience};

use super::call::{Explained, Question, Reply};
use super::{Arm, ArmError};

/// Between two looks, where the service does not say.
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Progress {
    status: String,
    error: Explained,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resource {
    properties: Properties,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    provisioning_state: String,
}

/// How far an operation is.
enum State {
    Going,
    Done,
    Failed,
}

impl Arm {
    /// Makes a change and waits for its end. The reply is the resource as it is then; of a removal it is anything.
    pub(super) fn change(&self, question: Question<'_>, patience: Patience<'_>) -> Result<Reply, ArmError> {
        let mut reply = self.ask(question, patience)?;
        let removes = question.method == "DELETE";
        let look = Question { method: "GET", body: None, ..question };
        if let Some(operation) = reply.operation.clone() {
            loop {
                pause(question, &reply, patience)?;
                reply = self.follow(&operation, look, patience)?;
                let progress: Progress = question.read(&reply)?;
                match State::of(&progress.status) {
                    _ if progress.status.is_empty() => {
                        return Err(question.unreadable(&"it does not say how far the operation is"));
                    }
                    State::Going => {}
                    State::Done => break,
                    State::Failed => return Err(question.refused(&reply, &progress.error).into()),
                }
            }
            return if removes { Ok(reply) } else { self.ask(look, patience) };
        }
        if let (202, Some(location)) = (reply.status, reply.location.clone()) {
            while reply.status == 202 {
                pause(question, &reply, patience)?;
                reply = self.follow(&location, look, patience)?;
            }
            return if removes { Ok(reply) } else { self.ask(look, patience) };
        }
        if removes {
            return Ok(reply);
        }
        loop {
            let resource: Resource = serde_json::from_slice(reply.body.expose()).unwrap_or_default();
            match State::of(&resource.properties.provisioning_state) {
                State::Going => {}
                State::Done => return Ok(reply),
                State::Failed => {
                    let message = format!("its state is {}", resource.properties.provisioning_state);
                    let explained = Explained { code: "ProvisioningFailed".to_owned(), message };
                    return Err(question.refused(&reply, &explained).into());
                }
            }
            pause(question, &reply, patience)?;
            reply = self.ask(look, patience)?;
        }
    }
}

impl State {
    /// No state at all is what those resources have that are made at once.
    fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "" | "succeeded" => Self::Done,
            "failed" | "canceled" | "cancelled" => Self::Failed,
            _ => Self::Going,
        }
    }
}

fn pause(question: Question<'_>, reply: &Reply, patience: Patience<'_>) -> Result<(), ArmError> {
    let time = reply.retry_after.unwrap_or(PAUSE);
    patience.sleep(time).map_err(|end| match end {
        Impatience::Late => {
            ArmError::Unfinished { action: question.action, resource: question.path.to_owned() }
        }
        Impatience::Stopped => ArmError::NoAnswer {
            action: question.action,
            problem: slipway_fetch::HttpError::Stopped { doing: "waiting for Azure" },
        },
    })
}
