//! Events that wait to be told: bounded, and the same thing only once with a count.

use std::collections::{HashMap, VecDeque};

use slipway_kubernetes::{ApiServer, NodeEvent, Patience};

use super::now;

/// How many wait while nobody listens; the oldest go first.
const WAITING: usize = 16;
/// How many different ones are counted.
const COUNTED: usize = 64;
/// The longest message that the API server takes has a kilobyte.
const LONGEST: usize = 900;

#[derive(Debug, Default)]
pub(super) struct Tale {
    waiting: VecDeque<Told>,
    counts: HashMap<(&'static str, String), u32>,
}

#[derive(Debug, PartialEq, Eq)]
struct Told {
    reason: &'static str,
    message: String,
    is_warning: bool,
    time: String,
}

impl Tale {
    /// Remembers something until somebody listens.
    pub(super) fn add(&mut self, reason: &'static str, message: &str, is_warning: bool) {
        if self.waiting.len() >= WAITING {
            self.waiting.pop_front();
        }
        let message = message.chars().take(LONGEST).collect();
        self.waiting.push_back(Told { reason, message, is_warning, time: now() });
    }

    /// Tells everything that waits; what cannot be told now waits on.
    pub(super) fn tell(&mut self, server: &ApiServer, node: &str, uid: &str, patience: Patience<'_>) {
        while let Some(told) = self.waiting.front() {
            let key = (told.reason, told.message.clone());
            let count = self.counts.get(&key).copied().unwrap_or_default() + 1;
            let event = NodeEvent {
                node,
                uid,
                reason: told.reason,
                message: &told.message,
                is_warning: told.is_warning,
                time: &told.time,
                count,
                component: "slipwayd",
            };
            match server.tell_event(&event, patience) {
                Err(error) if error.is_transient() => return,
                // An event that is refused is not worth more.
                _ => {}
            }
            if self.counts.len() >= COUNTED {
                self.counts.clear();
            }
            self.counts.insert(key, count);
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_hears_does_not_grow() {
        let mut tale = Tale::default();
        for number in 0..1000 {
            tale.add("Repaired", &format!("{number} {}", "x".repeat(2000)), false);
        }
        assert_eq!(tale.waiting.len(), WAITING);
        assert!(tale.waiting[0].message.starts_with("984 "));
        assert!(tale.waiting.iter().all(|told| told.message.len() == LONGEST));
    }
}
