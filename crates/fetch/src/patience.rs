use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often a wait looks whether it should end.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// How long a caller is willing to wait, and how it says that it no longer is.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    until: Instant,
    stop: &'a dyn Fn() -> bool,
}

/// Why a wait ended without what was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impatience {
    /// The time ran out.
    Late,
    /// The caller asked to stop.
    Stopped,
}

impl<'a> Patience<'a> {
    /// Waits until a moment, or until `stop` says so.
    pub fn new(until: Instant, stop: &'a dyn Fn() -> bool) -> Self {
        Self { until, stop }
    }

    /// The same, but for no longer than this from now on.
    #[must_use]
    pub fn at_most(self, limit: Duration) -> Self {
        let end = Instant::now().checked_add(limit).unwrap_or(self.until);
        Self { until: self.until.min(end), ..self }
    }

    /// How much time is left; an error when none is or when the caller asked to stop.
    pub fn left(self) -> Result<Duration, Impatience> {
        if (self.stop)() {
            return Err(Impatience::Stopped);
        }
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Impatience::Late) } else { Ok(left) }
    }

    /// A piece of the time that is left, short enough to notice a stop in time.
    pub(crate) fn slice(self) -> Result<Duration, Impatience> {
        self.left().map(|left| left.min(SLICE))
    }

    /// Sleeps; at once an error when the sleep would outlast the patience.
    pub fn sleep(self, time: Duration) -> Result<(), Impatience> {
        if self.left()? <= time {
            return Err(Impatience::Late);
        }
        let awake = Instant::now() + time;
        loop {
            let left = awake.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            sleep(left.min(self.slice()?));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_that_cannot_end_in_time_does_not_begin() {
        let never = || false;
        let start = Instant::now();
        let patience = Patience::new(start + Duration::from_secs(1), &never);
        assert_eq!(patience.sleep(Duration::from_secs(2)), Err(Impatience::Late));
        assert!(start.elapsed() < Duration::from_millis(500));
    }

    #[test]
    fn a_sleep_ends_when_the_caller_asks() {
        let start = Instant::now();
        let stop = || start.elapsed() > Duration::from_millis(60);
        let patience = Patience::new(start + Duration::from_mins(1), &stop);
        assert_eq!(patience.sleep(Duration::from_secs(30)), Err(Impatience::Stopped));
        assert!(start.elapsed() < Duration::from_millis(500));
    }
}
