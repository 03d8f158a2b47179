//! Where findings are gathered: a rule, a path, a message; the place follows from the path.

use super::{Rule, structure};
use crate::Issue;
use crate::codec::MOST_ISSUES;

/// The findings about one contract.
pub(super) struct Findings<'p> {
    places: &'p dyn Fn(&str) -> Option<usize>,
    now: i64,
    issues: Vec<Issue>,
}

impl<'p> Findings<'p> {
    pub(super) fn new(places: &'p dyn Fn(&str) -> Option<usize>, now: i64) -> Self {
        Self { places, now, issues: Vec::new() }
    }

    /// The time that certificates are held against, in seconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.now
    }

    /// Whether the text sets this path, even to a value that the message cannot tell from unset.
    pub(super) fn stands(&self, path: &str) -> bool {
        (self.places)(path).is_some()
    }

    /// Whether there are as many findings as are listed, so that looking for more would be wasted.
    pub(super) fn is_full(&self) -> bool {
        self.issues.len() >= MOST_ISSUES
    }

    /// Reports that a rule is broken.
    pub(super) fn report(&mut self, rule: &'static Rule, path: &str, message: impl Into<String>) {
        self.add(rule, path, message.into(), None);
    }

    /// Reports that a rule is broken, with the next thing to try.
    pub(super) fn advise(
        &mut self,
        rule: &'static Rule,
        path: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(rule, path, message.into(), Some(hint.into()));
    }

    fn add(&mut self, rule: &'static Rule, path: &str, message: String, hint: Option<String>) {
        if self.is_full() {
            return;
        }
        let offset = self.offset(path);
        let issue = Issue::new(rule.severity, rule.id, path.to_owned(), offset, message);
        self.issues.push(match hint {
            Some(hint) => issue.with_hint(hint),
            None => issue,
        });
    }

    /// Where a path stands, or else the nearest thing around it.
    fn offset(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(at) = (self.places)(path) {
                return at;
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                None => return 0,
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Issue> {
        if self.is_full() {
            let message = format!("looking ended after {MOST_ISSUES} issues of meaning: there may be more");
            let rule = &structure::TOO_MANY_ISSUES;
            self.issues.push(Issue::new(rule.severity, rule.id, String::new(), usize::MAX, message));
        }
        self.issues
    }
}
