//! Drift as `launch drift` prints it.

use serde::Serialize;

use super::check::{Drift, DriftError, drift};
use super::situation::Situation;

/// Whether a node has drifted, with both values.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct DriftReport {
    /// Why drift cannot be told.
    pub error: Option<String>,
    /// The reason's name, empty where there is no drift.
    pub reason: &'static str,
    /// What the node has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What a node would have today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

impl From<Result<Option<Drift>, DriftError>> for DriftReport {
    fn from(found: Result<Option<Drift>, DriftError>) -> Self {
        match found {
            Ok(None) => Self::default(),
            Ok(Some(Drift { reason, node, wanted })) => {
                Self { error: None, reason: reason.name(), node: Some(node), wanted: Some(wanted) }
            }
            Err(error) => Self { error: Some(error.to_string()), ..Self::default() },
        }
    }
}

/// Whether a node has drifted, for printing.
pub fn drift_report(situation: &Situation) -> DriftReport {
    drift(situation).into()
}
