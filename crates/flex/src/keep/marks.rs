//! Labels and taints of a Node, as they were given to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a Node was given, or is to be given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marks {
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its taints, as `key=value:Effect`.
    pub taints: Vec<String>,
}

impl Marks {
    /// The labels that change on the way to others: without a value, those that go.
    pub fn changes(&self, to: &Self) -> BTreeMap<String, Option<String>> {
        let gone = self.labels.keys().filter(|name| !to.labels.contains_key(*name));
        let new = to.labels.iter().filter(|(name, value)| self.labels.get(*name) != Some(*value));
        let gone = gone.map(|name| (name.clone(), None));
        gone.chain(new.map(|(name, value)| (name.clone(), Some(value.clone())))).collect()
    }

    /// These taints among those that a Node has, in the place of others that it was given before: what somebody else put
    /// there stays.
    pub fn among(&self, before: &Self, present: &[String]) -> Vec<String> {
        let others = present.iter().filter(|taint| !before.taints.contains(taint));
        let mut taints: Vec<String> = others.cloned().collect();
        for taint in &self.taints {
            if !taints.contains(taint) {
                taints.push(taint.clone());
            }
        }
        taints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(labels: &[(&str, &str)], taints: &[&str]) -> Marks {
        Marks {
            labels: labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            taints: taints.iter().map(|taint| (*taint).to_owned()).collect(),
        }
    }

    #[test]
    fn only_what_was_given_is_changed_or_taken_away() {
        let before = marks(&[("a", "1"), ("b", "2"), ("c", "3")], &["old:NoSchedule", "both:NoExecute"]);
        let wanted = marks(&[("a", "1"), ("b", "4"), ("d", "5")], &["both:NoExecute", "new=x:NoSchedule"]);
        let some = |text: &str| Some(text.to_owned());
        let expected = [("b", some("4")), ("c", None), ("d", some("5"))];
        let expected = expected.map(|(name, value)| (name.to_owned(), value)).into();
        assert_eq!(before.changes(&wanted), expected);
        let present = ["somebody:NoExecute", "old:NoSchedule"].map(str::to_owned);
        assert_eq!(
            wanted.among(&before, &present),
            ["somebody:NoExecute", "both:NoExecute", "new=x:NoSchedule"]
        );
    }
}
