//! What of a contract could not be used, for those who read results and events.

use slipway_contract::{Issue, Severity};

/// The guest agent takes events of 3 KiB.
const MOST_BYTES: usize = 2_000;

/// The issues of a half-read contract, in words.
#[derive(Debug, Default)]
pub(crate) struct Lost(Vec<String>);

impl Lost {
    pub(crate) fn from_issues(issues: &[Issue]) -> Self {
        let matters = issues.iter().filter(|issue| issue.severity > Severity::Note);
        Self(matters.map(|issue| format!("{}: {} [{}]", issue.path, issue.message, issue.reason)).collect())
    }

    /// All of it in one line that is not too long for an event; `None` where nothing was lost.
    pub(crate) fn summary(&self) -> Option<String> {
        let (mut shown, mut length) = (Vec::new(), 0);
        for (at, issue) in self.0.iter().enumerate() {
            length += issue.len();
            if length > MOST_BYTES {
                shown.push(format!("{} more in the log", self.0.len() - at));
                break;
            }
            shown.push(issue.clone());
        }
        (!shown.is_empty()).then(|| shown.join("; "))
    }

    /// A sentence of an event with what was lost.
    pub(crate) fn after(&self, sentence: &str) -> String {
        self.summary().map_or_else(
            || sentence.to_owned(),
            |summary| format!("{sentence}; contract issues ({}): {summary}", self.0.len()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_lost_is_not_mentioned() {
        assert_eq!(Lost::default().summary(), None);
        assert_eq!(Lost::default().after("Completed"), "Completed");
    }

    #[test]
    fn what_was_lost_is_listed_as_far_as_an_event_can_hold_it() {
        let two = Lost(vec!["a: b".to_owned(), "c: d".to_owned()]);
        assert_eq!(two.after("Completed"), "Completed; contract issues (2): a: b; c: d");
        let many = Lost(vec!["x".repeat(500); 9]).summary().unwrap_or_default();
        assert!(many.len() < 2_100 && many.ends_with("; 5 more in the log"), "{}", many.len());
    }
}
