//! What a machine was joined to: kept beside the record of what was done, and going with it.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use slipway_model::Secret;

use super::marks::Marks;
use super::observation::Joined;
use crate::supply::Digest;

/// The name of the record.
pub const RECORD: &str = "flex.json";

/// What a machine was joined to. No secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Where the configuration is.
    pub config: String,
    /// The cluster's resource id.
    pub cluster: String,
    /// The node's name.
    pub node: String,
    /// How the machine authenticates, in the configuration's words.
    pub identity: Vec<String>,
    /// The version of Kubernetes that was installed.
    pub kubernetes: String,
    /// The SHA-256 of the configuration that was applied last; `None` until joining came to its end once.
    pub applied: Option<String>,
    /// Whether leaving was begun.
    #[serde(default)]
    pub leaving: bool,
    /// The labels and taints that the Node was given last; `None` until it registered.
    #[serde(default)]
    pub marks: Option<Marks>,
    /// Whether the owner's swap is off while the machine is a node: what joins again keeps it so.
    #[serde(default)]
    pub swap_off: bool,
    /// Where the cluster is, for a node that shows its own identity; Azure may have said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_told: Option<KnownCluster>,
}

/// What Azure said about a cluster: with it files are put back while Azure cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownCluster {
    /// The API server: host, or host:port.
    pub server: String,
    /// Its CA, PEM.
    pub ca: String,
}

/// A text that is no record.
#[derive(Debug, thiserror::Error)]
#[error("the record of joining cannot be read: {0}; join again")]
pub struct RecordError(#[from] serde_json::Error);

/// What tells one configuration from another.
pub fn digest(config: &[u8]) -> String {
    Digest::of(&Sha256::digest(config)).as_str().to_owned()
}

impl Record {
    /// The text by which it is kept.
    pub fn text(&self) -> Secret<String> {
        // Texts can always be written.
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }

    /// Reads what [`text`](Self::text) wrote.
    pub fn parse(text: &Secret<String>) -> Result<Self, RecordError> {
        Ok(serde_json::from_str(text.expose())?)
    }

    /// Whether a version of Kubernetes is newer than the installed one; 1.34 is any of its patches.
    pub fn lacks(&self, version: &str) -> bool {
        let numbers = |text: &str| -> Vec<u32> {
            text.trim_start_matches('v').split('.').map_while(|number| number.parse().ok()).collect()
        };
        let (wanted, installed) = (numbers(version), numbers(&self.kubernetes));
        let common = wanted.len().min(installed.len());
        wanted[..common] > installed[..common]
    }

    /// How far joining came.
    pub fn joined(&self) -> Joined {
        match &self.applied {
            _ if self.leaving => Joined::Leaving,
            Some(_) => Joined::Done,
            None => Joined::Unfinished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_its_text_and_says_how_far_joining_came() {
        let mut record = Record { node: "edge-01".to_owned(), ..Record::default() };
        assert_eq!(Record::parse(&record.text()).unwrap(), record);
        assert_eq!(record.joined(), Joined::Unfinished);
        record.applied = Some("0a".to_owned());
        assert_eq!(record.joined(), Joined::Done);
        record.leaving = true;
        assert_eq!(record.joined(), Joined::Leaving);
        record.kubernetes = "1.34.3".to_owned();
        for (wanted, lacks) in [
            ("1.34", false),
            ("1.34.3", false),
            ("v1.34.4", true),
            ("1.35", true),
            ("1.33.9", false),
            ("", false),
        ] {
            assert_eq!(record.lacks(wanted), lacks, "{wanted}");
        }
        record.cluster_told = Some(KnownCluster { server: "api.example:443".into(), ca: "PEM".into() });
        assert_eq!(Record::parse(&record.text()).unwrap(), record);
        record.cluster_told = None;
        let earlier = record.text().expose().replace(r#","swap_off":false"#, "");
        assert_eq!(Record::parse(&earlier.as_str().into()).unwrap(), record, "one of an earlier version");
        assert!(Record::parse(&"{}".into()).unwrap_err().to_string().contains("join again"));
    }
}
