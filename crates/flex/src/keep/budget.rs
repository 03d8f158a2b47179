//! How often something may be tried, and how soon again.

use std::time::Duration;

/// What a kind of repair is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowance {
    /// How often it may be tried before something larger is; `None` where there is nothing larger.
    pub(super) tries: Option<u32>,
    /// The pause after the first try; each one after it is twice as long.
    pub(super) first_pause: Duration,
    /// No pause is longer.
    pub(super) longest_pause: Duration,
}

/// How long something must not have been needed before its tries are forgotten.
pub(super) const FORGOTTEN_AFTER: Duration = Duration::from_mins(10);

/// What was tried so far. Moments are times since the daemon began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Budget {
    tries: u32,
    last: Duration,
}

impl Budget {
    /// The first moment at which it may be tried again.
    pub(super) fn opens(&self, allowance: &Allowance) -> Duration {
        match self.tries {
            0 => Duration::ZERO,
            tries => {
                let doubled = 2_u32.saturating_pow(tries - 1);
                self.last + allowance.first_pause.saturating_mul(doubled).min(allowance.longest_pause)
            }
        }
    }

    /// Whether something larger has to be tried.
    pub(super) fn is_spent(&self, allowance: &Allowance) -> bool {
        allowance.tries.is_some_and(|most| self.tries >= most)
    }

    /// It is tried now.
    pub(super) fn spend(&mut self, now: Duration) {
        self.tries = self.tries.saturating_add(1);
        self.last = now;
    }

    /// It is not needed now; after a while that counts as mended.
    pub(super) fn rest(&mut self, now: Duration) {
        if self.tries > 0 && now.saturating_sub(self.last) >= FORGOTTEN_AFTER {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWANCE: Allowance = Allowance {
        tries: Some(3),
        first_pause: Duration::from_secs(10),
        longest_pause: Duration::from_secs(25),
    };

    #[test]
    fn pauses_double_up_to_the_longest_and_are_forgotten_after_quiet() {
        let mut budget = Budget::default();
        let mut now = Duration::from_secs(5);
        let mut pauses = Vec::new();
        for _ in 0..4 {
            budget.spend(now);
            pauses.push(budget.opens(&ALLOWANCE).saturating_sub(now).as_secs());
            now = budget.opens(&ALLOWANCE);
        }
        assert_eq!(pauses, [10, 20, 25, 25]);
        assert!(budget.is_spent(&ALLOWANCE));
        budget.rest(now);
        assert!(budget.is_spent(&ALLOWANCE), "not yet");
        budget.rest(now + FORGOTTEN_AFTER);
        assert_eq!(budget, Budget::default());
    }
}
