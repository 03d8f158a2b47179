//! Drift as `launch drift` prints it.

use serde::{Serialize, Serializer};

use super::check::{Drift, DriftError, DriftReason, drift};
use super::situation::Situation;

/// Whether a node has drifted, with both values.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct DriftReport {
    /// Why drift cannot be told.
    pub error: Option<String>,
    /// The reason's name, empty where there is no drift.
    #[serde(serialize_with = "name_or_empty")]
    pub reason: Option<DriftReason>,
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
            Ok(None) => Self { error: None, reason: None, node: None, wanted: None },
            Ok(Some(Drift { reason, node, wanted })) => {
                Self { error: None, reason: Some(reason), node: Some(node), wanted: Some(wanted) }
            }
            Err(error) => Self { error: Some(error.to_string()), reason: None, node: None, wanted: None },
        }
    }
}

/// Whether a node has drifted, for printing.
pub fn drift_report(situation: &Situation) -> DriftReport {
    drift(situation).into()
}

#[expect(clippy::ref_option, reason = "serde gives a reference")]
fn name_or_empty<S: Serializer>(reason: &Option<DriftReason>, serializer: S) -> Result<S::Ok, S::Error> {
    match reason {
        Some(reason) => reason.serialize(serializer),
        None => serializer.serialize_str(""),
    }
}
