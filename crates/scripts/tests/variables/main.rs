//! The variables against recordings of the peer, against hostile input, and against their own table.
#![expect(clippy::disallowed_methods, reason = "the recordings are files")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod azure_keys;
mod environment;
mod hostile;
mod meaning;
mod native;
mod ours;
mod recorded;
mod secrets;
mod sources;

use slipway_contract::Contract;
use slipway_contract::codec::{Policy, decode};

/// A contract from its JSON form.
fn contract(json: &serde_json::Value) -> Contract {
    let decoded = decode::<Contract>(json.to_string().as_bytes(), Policy::Compatible);
    assert!(!decoded.stopped, "{:?}", decoded.issues);
    decoded.message
}
