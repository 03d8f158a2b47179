//! The one clock of a benchmark: the kernel's monotonic one, which machines and the kernel's own events share.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A reading of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(Duration);

impl Moment {
    pub(super) fn now() -> Self {
        let time = clock_gettime(ClockId::Monotonic);
        let whole = Duration::from_secs(time.tv_sec.unsigned_abs());
        Self(whole + Duration::from_nanos(time.tv_nsec.unsigned_abs()))
    }

    /// What the kernel gives as nanoseconds of this clock.
    pub(super) fn of_nanoseconds(nanoseconds: u64) -> Self {
        Self(Duration::from_nanos(nanoseconds))
    }

    /// How long after another moment this is; nothing for what was before it.
    pub(super) fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
