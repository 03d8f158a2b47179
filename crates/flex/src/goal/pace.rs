//! How often Azure is asked.

use std::time::Duration;

use super::seen::Seen;

/// A machine that Azure does not answer asks at least this often.
const LONGEST: Duration = Duration::from_hours(1);
/// Nobody is asked more often, whatever the configuration says.
const SHORTEST: Duration = Duration::from_secs(1);

/// What the pause depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The configuration's interval.
    pub interval: Duration,
    /// How many questions in a row had no answer.
    pub unanswered: u32,
    /// A number at random: a thousand machines that started together must not ask together.
    pub random: u64,
}

/// How long to wait until the next question: the interval and up to a tenth more; twice as long each time that there was no
/// answer; never less than Azure asked for.
pub fn pause(pace: Pace, seen: &Seen) -> Duration {
    let interval = pace.interval.max(SHORTEST);
    let doubled = interval.saturating_mul(2_u32.saturating_pow(pace.unanswered.min(16)));
    let pause = doubled.min(LONGEST.max(interval));
    let tenth = u32::try_from(pace.random % 101).unwrap_or_default();
    let pause = pause + pause / 1000 * tenth;
    match seen {
        Seen::Unanswered { retry_after: Some(seconds), .. } => pause.max(Duration::from_secs(*seconds)),
        _ => pause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_while_nobody_answers_and_obey_azure() {
        let minutes = Duration::from_mins;
        let silent = |retry_after| Seen::Unanswered { why: "x".to_owned(), forbidden: false, retry_after };
        for (unanswered, seen, expected) in [
            (0, Seen::Gone, minutes(10)),
            (1, silent(None), minutes(20)),
            (9, silent(None), minutes(60)),
            (1, silent(Some(7200)), minutes(120)),
            (0, silent(Some(5)), minutes(10)),
        ] {
            let pace = Pace { interval: minutes(10), unanswered, random: 0 };
            assert_eq!(pause(pace, &seen), expected, "{unanswered} {seen:?}");
            let late = pause(Pace { random: 100, ..pace }, &seen);
            assert!(late >= expected && late <= expected + expected / 10, "{late:?}");
        }
        let hasty = Pace { interval: Duration::ZERO, unanswered: 0, random: 0 };
        assert_eq!(pause(hasty, &Seen::Gone), SHORTEST);
    }
}
