//! Operations that go on after their answer.

use std::time::Duration;

use serde::Deserialize;
use slipway_fetch::{Impatience, Patience};

use super::call::{Explained, Question, Reply};
use super::{Arm, ArmError};

/// Between two looks, where the service does not say.
const PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

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
    Failed(Explained),
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
                match state(&question.read::<Progress>(&reply)?.status, || progress_error(&reply)) {
                    State::Going => {}
                    State::Done => break,
                    State::Failed(explained) => return Err(question.refused(&reply, &explained).into()),
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
            match state(&resource.properties.provisioning_state, Explained::default) {
                State::Going => {}
                State::Done => return Ok(reply),
                State::Failed(_) => {
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

/// No state at all is what those resources have that are made at once.
fn state(word: &str, why: impl Fn() -> Explained) -> State {
    match word.to_ascii_lowercase().as_str() {
        "" | "succeeded" => State::Done,
        "failed" | "canceled" | "cancelled" => State::Failed(why()),
        _ => State::Going,
    }
}

fn progress_error(reply: &Reply) -> Explained {
    serde_json::from_slice::<Progress>(reply.body.expose()).unwrap_or_default().error
}

fn pause(question: Question<'_>, reply: &Reply, patience: Patience<'_>) -> Result<(), ArmError> {
    let time = reply.retry_after.unwrap_or(PAUSE).min(LONGEST_PAUSE);
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
