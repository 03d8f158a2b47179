//! What is written down about a goal: which one was applied, which one is being applied, which one does not work.

use serde::{Deserialize, Serialize};
use slipway_azure::arm::MachineWish;
use slipway_model::Secret;

use super::course::Resource;
use super::merge::merged;
use super::seen::{Seen, Wanted};

/// The name of the record.
pub const RECORD: &str = "goal.json";

/// What became of Azure's goals on this machine. No secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// The goal that the machine has; `None` until Azure knew the machine once.
    pub applied: Option<Wanted>,
    /// What the configuration said when that was applied.
    pub base: MachineWish,
    /// The goal that is being applied.
    pub pending: Option<Wanted>,
    /// The goal that does not work.
    pub failed: Option<Failed>,
}

/// A goal that was tried and does not work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// Which.
    pub settings_version: String,
    /// Why.
    pub why: String,
}

/// A text that is no record.
#[derive(Debug, thiserror::Error)]
#[error("the record of Azure's goal cannot be read: {0}; join again")]
pub struct RecordError(#[from] serde_json::Error);

/// How a goal stands on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The machine has it.
    Applied,
    /// The machine does not have it yet.
    Unapplied,
    /// It was tried and does not work, for this reason.
    Failed(String),
}

impl Record {
    /// The text by which it is kept.
    pub fn text(&self) -> Secret<String> {
        // Texts and numbers can always be written.
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }

    /// Reads what [`text`](Self::text) wrote.
    pub fn parse(text: &Secret<String>) -> Result<Self, RecordError> {
        Ok(serde_json::from_str(text.expose())?)
    }

    /// How a goal stands: the same settings are the same goal.
    pub fn standing(&self, goal: &Wanted) -> Standing {
        let is_it = |other: &str| other == goal.settings_version;
        match (&self.failed, &self.applied) {
            (Some(failed), _) if is_it(&failed.settings_version) => Standing::Failed(failed.why.clone()),
            (_, Some(applied)) if is_it(&applied.settings_version) => Standing::Applied,
            _ => Standing::Unapplied,
        }
    }

    /// What was seen, against what was applied.
    pub fn resource(&self, seen: &Seen) -> Resource {
        match seen {
            Seen::Unanswered { .. } => Resource::Unknown,
            Seen::Gone if self.applied.is_none() => Resource::Unregistered,
            Seen::Gone => Resource::Gone,
            Seen::There { goal } => match self.standing(goal) {
                Standing::Applied => Resource::Applied,
                Standing::Unapplied => Resource::Unapplied,
                Standing::Failed(_) => Resource::Failed,
            },
        }
    }

    /// What the machine should be by the goal that counts and a configuration, if Azure has said anything.
    pub fn wish(&self, config: &MachineWish) -> Option<MachineWish> {
        let goal = self.pending.as_ref().or(self.applied.as_ref())?;
        Some(merged(&goal.wish, &self.base, config))
    }

    /// The machine has a goal, or is known to Azure as it is, under a configuration that says this.
    pub fn apply(&mut self, goal: Wanted, config: MachineWish) {
        *self = Self { applied: Some(goal), base: config, pending: None, failed: None };
    }

    /// A goal is tried.
    pub fn begin(&mut self, goal: Wanted, config: &MachineWish) {
        if self.applied.is_none() {
            self.base = config.clone();
        }
        (self.pending, self.failed) = (Some(goal), None);
    }

    /// The goal that is being tried does not work.
    pub fn give_up(&mut self, why: &str) {
        if let Some(goal) = self.pending.take() {
            self.failed = Some(Failed { settings_version: goal.settings_version, why: why.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(settings: &str, pods: Option<u32>) -> Wanted {
        let wish = MachineWish { max_pods: pods, ..MachineWish::default() };
        Wanted { settings_version: settings.to_owned(), kubernetes_version: "1.34.3".to_owned(), wish }
    }

    fn pods(number: u32) -> MachineWish {
        MachineWish { max_pods: Some(number), ..MachineWish::default() }
    }

    #[test]
    fn a_goal_is_tried_applied_or_given_up_until_it_changes() {
        let mut record = Record::default();
        assert_eq!(record.wish(&pods(40)), None);
        assert_eq!(record.resource(&Seen::Gone), Resource::Unregistered);
        record.apply(goal("e-1", None), pods(40));
        assert_eq!(record.standing(&goal("e-1", None)), Standing::Applied);
        assert_eq!(record.resource(&Seen::Gone), Resource::Gone);
        assert_eq!(record.wish(&pods(40)), Some(pods(40)), "Azure says nothing of pods");

        let next = goal("e-2", Some(50));
        assert_eq!(record.standing(&next), Standing::Unapplied);
        record.begin(next.clone(), &pods(40));
        assert_eq!(record.wish(&pods(40)), Some(pods(50)));
        record.give_up("it broke");
        assert_eq!(record.standing(&next), Standing::Failed("it broke".to_owned()));
        assert_eq!(record.resource(&Seen::There { goal: next.clone() }), Resource::Failed);
        assert_eq!(record.wish(&pods(40)), Some(pods(40)), "as before");
        assert_eq!(record.standing(&goal("e-3", None)), Standing::Unapplied, "another goal is tried");

        record.begin(next.clone(), &pods(40));
        record.apply(next.clone(), pods(40));
        assert_eq!(record.standing(&next), Standing::Applied);
        assert_eq!(record.wish(&pods(40)), Some(pods(50)));
        assert_eq!(record.wish(&pods(60)), Some(pods(60)), "the owner spoke last");
        assert_eq!(Record::parse(&record.text()).unwrap(), record);
        assert!(Record::parse(&"[".into()).is_err());
    }
}
