//! What the daemon says about the machine, for everyone to read. No secrets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where it is.
pub const STATUS: &str = "/run/slipway/flex-status.json";
/// How many repairs are remembered.
const REPAIRS: usize = 10;
/// A daemon that has not looked for so many of its own pauses is not alive.
const MISSED: u64 = 4;

/// The state of a machine that is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// The version of the daemon.
    pub version: String,
    /// When it began.
    pub began: String,
    /// When it last looked.
    pub looked: String,
    /// The same in seconds since 1970.
    pub looked_seconds: i64,
    /// The pause between two looks, in seconds.
    pub every: u64,
    /// How many times it looked.
    pub looks: u64,
    /// How the machine is.
    pub health: Health,
    /// What is wrong, or why nothing is done.
    pub why: Option<String>,
    /// The cluster's resource id.
    pub cluster: String,
    /// How the machine authenticates.
    pub identity: Vec<String>,
    /// The version of Kubernetes that was installed.
    pub kubernetes: String,
    /// Where the configuration is.
    pub config: String,
    /// When kubelet's certificate expires, in seconds since 1970; `None` where it has none.
    pub credential_until: Option<u64>,
    /// The Node, as it was last seen.
    pub node: NodeStatus,
    /// What Azure wants of the machine, where it is known in an agent pool.
    pub goal: Option<GoalStatus>,
    /// The node's units, and whether they run.
    pub units: BTreeMap<String, bool>,
    /// What is not as it was left.
    pub drift: Vec<String>,
    /// The last repairs, the newest last.
    pub repairs: Vec<Repaired>,
    /// How often the clock was set.
    pub clock_jumps: u64,
}

/// How a machine is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// It is what it should be.
    Healthy,
    /// Something is being repaired.
    Repairing,
    /// Something will be repaired.
    Waiting,
    /// Something is wrong that the daemon cannot mend.
    #[default]
    Troubled,
    /// Another command is at work.
    Paused,
}

impl Health {
    /// Every one, with its word.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Healthy, "healthy"),
        (Self::Repairing, "repairing"),
        (Self::Waiting, "waiting"),
        (Self::Troubled, "troubled"),
        (Self::Paused, "paused"),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(health, _)| *health == self).map_or("", |(_, word)| word)
    }
}

/// The Node, as it was last seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeStatus {
    /// Its name.
    pub name: String,
    /// What tells it from another Node of the same name.
    pub uid: Option<String>,
    /// The version of its kubelet.
    pub kubelet: Option<String>,
    /// Whether it is Ready; `None` while nobody can say.
    pub ready: Option<bool>,
    /// Why not, or why nobody can say.
    pub why: Option<String>,
}

/// What Azure wants of the machine, as it was last heard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GoalStatus {
    /// `applied`, `unapplied`, `failed`, `gone`, `unregistered` or `unknown`.
    pub state: String,
    /// When Azure was asked.
    pub asked: String,
    /// The version of Kubernetes that it wants.
    pub kubernetes: String,
    /// What changes when somebody changes the goal.
    pub settings: String,
    /// Why the goal does not work, or why nobody knows it.
    pub why: Option<String>,
}

/// A repair that was tried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// When.
    pub time: String,
    /// What was done.
    pub repair: String,
    /// Why.
    pub reason: String,
    /// What it was about.
    pub about: String,
    /// What went wrong, if something did.
    pub error: Option<String>,
}

impl Status {
    /// Remembers a repair, and forgets the oldest.
    pub fn remember(&mut self, repaired: Repaired) {
        if self.repairs.len() >= REPAIRS {
            self.repairs.remove(0);
        }
        self.repairs.push(repaired);
    }

    /// Whether the daemon that wrote it still looks, at this second since 1970.
    pub fn is_fresh(&self, seconds: i64) -> bool {
        let longest = i64::try_from(self.every.saturating_mul(MISSED).saturating_add(30)).unwrap_or(i64::MAX);
        // A clock that was set back makes the last look seem to be one of the future.
        seconds.saturating_sub(self.looked_seconds).abs() <= longest || self.health == Health::Repairing
    }

    /// Whether all is well, or somebody is at work on it.
    pub fn is_well(&self) -> bool {
        matches!(self.health, Health::Healthy | Health::Paused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_repairs_are_remembered_and_older_texts_are_read() {
        let mut status: Status = serde_json::from_str(r#"{"looked_seconds": 100, "every": 10}"#).unwrap();
        for number in 0..12 {
            status.remember(Repaired { about: number.to_string(), ..Repaired::default() });
        }
        assert_eq!(status.repairs.len(), REPAIRS);
        assert_eq!(status.repairs[0].about, "2");
        assert!(status.is_fresh(170) && !status.is_fresh(171));
        assert!(!status.is_well());
        let text = serde_json::to_string(&Health::Healthy).unwrap();
        assert_eq!(text, format!("\"{}\"", Health::Healthy.word()));
    }
}
