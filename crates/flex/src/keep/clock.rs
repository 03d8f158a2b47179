//! A clock that was set, told from time that passed.

use std::time::Duration;

/// Two clocks differ by so much only if one of them was set, or the machine slept.
const SLACK_MILLISECONDS: i64 = 10_000;

/// The clock that people set beside the one that nobody can.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clocks {
    /// Milliseconds between the two.
    apart: Option<i64>,
}

impl Clocks {
    /// Looks at both: the time since some beginning, and milliseconds since 1970. Returns by how many seconds the clock
    /// jumped since the last look, if it did.
    pub fn look(&mut self, steady: Duration, wall_milliseconds: i64) -> Option<i64> {
        let apart = wall_milliseconds.saturating_sub(i64::try_from(steady.as_millis()).unwrap_or(i64::MAX));
        let before = self.apart.replace(apart)?;
        let jump = apart.saturating_sub(before);
        (jump.abs() > SLACK_MILLISECONDS).then_some(jump / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_told_once_and_slow_drift_never() {
        let mut clocks = Clocks::default();
        let at = Duration::from_secs;
        assert_eq!(clocks.look(at(0), 1_000_000), None);
        assert_eq!(clocks.look(at(10), 1_010_400), None, "drift");
        assert_eq!(clocks.look(at(20), 1_020_400 + 3_600_000), Some(3600));
        assert_eq!(clocks.look(at(30), 1_030_400 + 3_600_000), None);
        assert_eq!(clocks.look(at(40), 1_040_400), Some(-3600));
    }
}
