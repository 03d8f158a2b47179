//! Asking until there is an answer that will not change by asking again.

use std::time::Duration;

use slipway_fetch::{Backoff, Call, Client, HttpError, Patience};
use slipway_model::Secret;

use super::{Authority, TokenError};

const CALL_WITHIN: Duration = Duration::from_secs(10);
const LARGEST_BODY: usize = 1024 * 1024;

/// An answer, read to its end.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) challenge: Option<String>,
    pub(super) body: Secret<Vec<u8>>,
    retry_after: Option<Duration>,
}

/// Makes a call again and again while its failure or its status may pass and there is time. The last answer counts.
pub(super) fn ask(
    authority: Authority,
    client: &Client,
    call: &Call<'_>,
    may_pass: fn(u16) -> bool,
    patience: Patience<'_>,
) -> Result<Reply, TokenError> {
    let mut backoff = Backoff::default();
    loop {
        let attempt = once(client, call, patience);
        let asked = match &attempt {
            Err(error) if error.is_transient() => None,
            Ok(reply) if may_pass(reply.status) => reply.retry_after,
            _ => return attempt.map_err(|problem| TokenError::NoAnswer { authority, problem }),
        };
        if patience.sleep(backoff.pause(asked)).is_err() {
            return attempt.map_err(|problem| TokenError::NoAnswer { authority, problem });
        }
    }
}

/// Overload and the server's own faults.
pub(super) fn is_weather(status: u16) -> bool {
    status >= 500 || matches!(status, 408 | 429)
}

fn once(client: &Client, call: &Call<'_>, patience: Patience<'_>) -> Result<Reply, HttpError> {
    let mut answer = client.call(call, patience.at_most(CALL_WITHIN))?;
    let body = Secret::new(answer.bytes(LARGEST_BODY)?);
    Ok(Reply {
        status: answer.status(),
        challenge: answer.field("www-authenticate").map(str::to_owned),
        retry_after: answer.retry_after(),
        body,
    })
}
