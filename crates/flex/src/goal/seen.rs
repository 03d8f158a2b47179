//! The machine's resource as it was read, in words that one process tells another.

use serde::{Deserialize, Serialize};
use slipway_azure::arm::{ArmError, MachineWish, PoolMachine};

/// What Azure wants of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    /// What changes when somebody changes the goal.
    pub settings_version: String,
    /// The version of Kubernetes.
    pub kubernetes_version: String,
    /// What else it should be.
    #[serde(default, flatten)]
    pub wish: MachineWish,
}

/// What there is in Azure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Seen {
    /// The machine, and what it should be.
    There {
        /// What it should be.
        goal: Wanted,
    },
    /// No such machine.
    Gone,
    /// Nobody knows.
    Unanswered {
        /// Why.
        why: String,
        /// Whether somebody has to allow the question first.
        forbidden: bool,
        /// How long Azure asked to be left alone, in seconds.
        retry_after: Option<u64>,
    },
}

impl From<PoolMachine> for Wanted {
    fn from(machine: PoolMachine) -> Self {
        let PoolMachine { kubernetes_version, settings_version, wish } = machine;
        Self { settings_version, kubernetes_version, wish }
    }
}

impl From<Result<Option<PoolMachine>, ArmError>> for Seen {
    fn from(answer: Result<Option<PoolMachine>, ArmError>) -> Self {
        match answer {
            Ok(Some(machine)) => Self::There { goal: machine.into() },
            Ok(None) => Self::Gone,
            Err(error) => Self::Unanswered {
                forbidden: error.is_forbidden(),
                retry_after: error.retry_after().map(|time| time.as_secs()),
                why: format!("{error}; {}", error.hint()),
            },
        }
    }
}

impl Wanted {
    /// Whether a version of Kubernetes is the one that is wanted; 1.34 is any of its patches, and nothing is any version.
    pub fn is_version(&self, installed: &str) -> bool {
        let bare = |text: &str| text.strip_prefix('v').unwrap_or(text).to_owned();
        let (wanted, installed) = (bare(&self.kubernetes_version), bare(installed));
        let rest = installed.strip_prefix(&wanted);
        wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_wanted_one_by_whole_numbers() {
        let wanted = |version: &str| Wanted { kubernetes_version: version.to_owned(), ..Wanted::default() };
        for (version, installed, is_it) in [
            ("1.34.3", "1.34.3", true),
            ("v1.34.3", "1.34.3", true),
            ("1.34", "1.34.3", true),
            ("1.3", "1.34.3", false),
            ("1.34.3", "1.34.30", false),
            ("1.35.0", "1.34.3", false),
            ("", "1.34.3", true),
        ] {
            assert_eq!(wanted(version).is_version(installed), is_it, "{version} {installed}");
        }
    }

    #[test]
    fn what_was_seen_survives_its_text() {
        let goal = Wanted {
            settings_version: "e-1".to_owned(),
            kubernetes_version: "1.34.3".to_owned(),
            wish: MachineWish { max_pods: Some(40), ..MachineWish::default() },
        };
        let unanswered = Seen::Unanswered { why: "x".to_owned(), forbidden: true, retry_after: Some(7) };
        for seen in [Seen::There { goal }, Seen::Gone, unanswered] {
            let text = serde_json::to_string(&seen).unwrap();
            assert_eq!(serde_json::from_str::<Seen>(&text).unwrap(), seen, "{text}");
        }
    }
}
