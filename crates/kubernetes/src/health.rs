use std::net::SocketAddr;
use std::time::Duration;

use slipway_fetch::{Call, Client, HttpError, Impatience, Patience, Trust, Url};

const BETWEEN: Duration = Duration::from_millis(100);
const CALL_WITHIN: Duration = Duration::from_secs(2);
const LARGEST_ANSWER: usize = 64 * 1024;

/// Why kubelet was not seen healthy.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// It did not answer.
    #[error("kubelet's health endpoint does not answer: {0}; look at kubelet's log")]
    Silent(HttpError),
    /// It said that it is not.
    #[error("kubelet says that it is not healthy (status {status}): {message}")]
    Unhealthy {
        /// The status code.
        status: u16,
        /// What it said.
        message: String,
    },
}

/// Waits until kubelet's health endpoint, usually at 127.0.0.1:10248, says that it is well.
pub fn wait_kubelet_healthy(endpoint: SocketAddr, patience: Patience<'_>) -> Result<(), HealthError> {
    let unusable =
        |problem: &dyn std::fmt::Display| HealthError::Unhealthy { status: 0, message: problem.to_string() };
    let url = Url::parse(&format!("http://{endpoint}/healthz")).map_err(|error| unusable(&error))?;
    let client = Client::new(&Trust::Nobody, None, None).map_err(|error| unusable(&error))?;
    loop {
        let error = match healthy(&client, &url, patience.at_most(CALL_WITHIN)) {
            Err(HealthError::Silent(error)) if !error.is_transient() => {
                return Err(HealthError::Silent(error));
            }
            Err(error) => error,
            Ok(()) => return Ok(()),
        };
        match patience.sleep(BETWEEN) {
            Ok(()) => {}
            Err(Impatience::Late) => return Err(error),
            Err(Impatience::Stopped) => {
                return Err(HealthError::Silent(HttpError::Stopped { doing: "waiting for kubelet" }));
            }
        }
    }
}

fn healthy(client: &Client, url: &Url, patience: Patience<'_>) -> Result<(), HealthError> {
    let mut answer = client.call(&Call::get(url), patience).map_err(HealthError::Silent)?;
    match answer.status() {
        200 => Ok(()),
        status => {
            let body = answer.bytes(LARGEST_ANSWER).unwrap_or_default();
            let message = String::from_utf8_lossy(&body).trim().chars().take(500).collect();
            Err(HealthError::Unhealthy { status, message })
        }
    }
}
