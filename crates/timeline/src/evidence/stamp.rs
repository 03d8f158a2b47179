//! Times of a machine: of the day, which may be set, and since its start, which never jumps.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// A moment as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The time of day.
    pub wall: Timestamp,
    /// Microseconds since the machine's start, where they were written, too.
    pub monotonic: Option<i64>,
    /// By a clock of others, which was not set when the machine's was.
    pub foreign: bool,
}

impl Stamp {
    /// A moment as others saw it.
    pub fn foreign(wall: Timestamp) -> Self {
        Self { wall, monotonic: None, foreign: true }
    }
}

impl From<Timestamp> for Stamp {
    fn from(wall: Timestamp) -> Self {
        Self { wall, monotonic: None, foreign: false }
    }
}

/// A moment of which both clocks tell, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// The time of day.
    pub wall: i64,
    /// The time since the machine's start.
    pub monotonic: i64,
}

impl Tick {
    fn offset(self) -> i64 {
        self.wall - self.monotonic
    }
}

/// The time of day was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClockStep {
    /// What the clock said before.
    pub before: Timestamp,
    /// What it said then.
    pub after: Timestamp,
    /// By how many seconds it was set forward; negative for backward.
    #[serde(serialize_with = "as_seconds")]
    pub by: SignedDuration,
    /// When, in microseconds since the machine's start.
    #[serde(skip)]
    at: i64,
}

pub(crate) fn as_seconds<S: serde::Serializer>(duration: &SignedDuration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(duration.as_secs_f64())
}

/// Clocks drift apart slowly; a jump of this many microseconds is somebody's doing.
const JUMP: i64 = 100_000;

/// Clocks that are set slowly move against each other by less than this part of the time.
const SLEWED: i64 = 100;

/// A time of day in whole seconds may differ this much from what the other clock says, in microseconds.
const ROUNDING: i64 = 1_500_000;

/// How the clocks of a machine belong together.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// Moments of which both clocks tell, first to last.
    ticks: Vec<Tick>,
    /// When the time of day was set, first to last.
    pub steps: Vec<ClockStep>,
}

impl Clock {
    /// What follows from moments of which both clocks tell.
    pub fn of(mut ticks: Vec<Tick>) -> Self {
        ticks.sort_by_key(|tick| tick.monotonic);
        let mut steps = Vec::new();
        for pair in ticks.windows(2) {
            let by = pair[1].offset() - pair[0].offset();
            let slow = by.abs() < (pair[1].monotonic - pair[0].monotonic) / SLEWED;
            if by.abs() < JUMP || slow {
                continue;
            }
            let expected = Timestamp::from_microsecond(pair[1].wall - by);
            if let (Ok(before), Ok(after)) = (expected, Timestamp::from_microsecond(pair[1].wall)) {
                let at = pair[1].monotonic;
                steps.push(ClockStep { before, after, by: SignedDuration::from_micros(by), at });
            }
        }
        Self { ticks, steps }
    }

    /// The moment on the clock as it is in the end, and whether that is beyond doubt.
    pub fn resolve(&self, stamp: Stamp) -> (Timestamp, bool) {
        let exact = stamp.wall.subsec_nanosecond() != 0;
        if stamp.foreign || exact && self.steps.is_empty() {
            return (stamp.wall, true);
        }
        if let Some(time) = stamp.monotonic.and_then(|monotonic| self.by_monotonic(monotonic, stamp.wall)) {
            return (time, true);
        }
        let (mut time, mut sure) = (stamp.wall, true);
        for step in &self.steps {
            let (first, last) = (step.before.min(step.after), step.before.max(step.after));
            if time < first {
                time = time.checked_add(step.by).unwrap_or(time);
            } else if time <= last && step.after < step.before {
                // The clock showed this time twice.
                sure = false;
            }
        }
        (time, sure)
    }

    /// The moment by the time since the start: the nearest moment of which both clocks tell leads to it.
    fn by_monotonic(&self, monotonic: i64, wall: Timestamp) -> Option<Timestamp> {
        let after = self.ticks.partition_point(|tick| tick.monotonic <= monotonic);
        let nearest = self.ticks.get(after.saturating_sub(1)).or(self.ticks.last())?;
        let later = self.steps.iter().filter(|step| step.at > nearest.monotonic);
        let shown = nearest.offset().checked_add(monotonic)?;
        // Further apart, it is the time since another machine's start.
        if shown.saturating_sub(wall.as_microsecond()).abs() > ROUNDING {
            return None;
        }
        Timestamp::from_microsecond(shown + later.map(|step| micros(step.by)).sum::<i64>()).ok()
    }
}

fn micros(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// `2026-11-15 20:17:43.238`, also with a comma or a `T`, in a zone. Read by hand: logs have a great many of them.
pub(super) fn civil(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim().as_bytes();
    let (date, fraction) = text.split_at_checked(19)?;
    let number = |from: usize, to: usize| digits(date.get(from..to)?);
    let marks = [4, 7, 10, 13, 16].map(|at| date[at]);
    if !matches!(marks, [b'-', b'-', b' ' | b'T', b':', b':']) {
        return None;
    }
    let nanos = match fraction {
        [] => 0,
        [b'.' | b',', places @ ..] if (1..=9).contains(&places.len()) => {
            digits(places)? * 10_i32.pow(9 - u32::try_from(places.len()).ok()?)
        }
        _ => return None,
    };
    let small = |from, to| i8::try_from(number(from, to)?).ok();
    let year = i16::try_from(number(0, 4)?).ok()?;
    let (month, day) = (small(5, 7)?, small(8, 10)?);
    let (hour, minute, second) = (small(11, 13)?, small(14, 16)?, small(17, 19)?);
    at(DateTime::new(year, month, day, hour, minute, second, nanos).ok()?, zone)
}

fn digits(text: &[u8]) -> Option<i32> {
    text.iter().try_fold(0_i32, |number, byte| {
        byte.is_ascii_digit().then(|| number.checked_mul(10)?.checked_add(i32::from(byte - b'0')))?
    })
}

/// Any form with its own zone, or a civil time in the given one.
pub(super) fn any(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    text.trim().parse().ok().or_else(|| civil(text, zone))
}

/// What systemd (`Sun 2026-11-15 20:17:42 UTC`) and `date` (`Sun Nov 15 20:17:43 UTC 2026`) print.
pub(super) fn printed(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let utc = text.split_ascii_whitespace().any(|word| matches!(word, "UTC" | "GMT"));
    let time = crate::attempt::time(text)?;
    if utc { at(time, &TimeZone::UTC) } else { at(time, zone) }
}

/// A civil time in a zone.
pub(super) fn at(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    Some(time.to_zoned(zone.clone()).ok()?.timestamp())
}

/// Seconds since 1970 with fractions.
pub(super) fn epoch(seconds: f64) -> Option<Timestamp> {
    let duration = SignedDuration::try_from_secs_f64(seconds).ok()?;
    Timestamp::from_duration(duration).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(wall: i64, monotonic: i64) -> Tick {
        Tick { wall: wall * 1_000_000, monotonic: monotonic * 1_000_000 }
    }

    fn wall(second: i64) -> Stamp {
        Timestamp::from_second(second).unwrap().into()
    }

    fn resolved(clock: &Clock, stamp: Stamp) -> (i64, bool) {
        let (time, sure) = clock.resolve(stamp);
        (time.as_second(), sure)
    }

    #[test]
    fn a_clock_that_was_set_forward_makes_earlier_times_later() {
        let clock = Clock::of(vec![tick(1_000, 10), tick(1_005, 15), tick(1_050, 20), tick(1_060, 30)]);
        assert_eq!(clock.steps.len(), 1);
        assert_eq!(clock.steps[0].by, SignedDuration::from_secs(40));
        assert_eq!(resolved(&clock, wall(1_003)), (1_043, true));
        assert_eq!(resolved(&clock, wall(1_055)), (1_055, true));
        let both = Stamp { monotonic: Some(12_000_000), ..wall(1_002) };
        assert_eq!(resolved(&clock, both), (1_042, true));
        let others = Stamp::foreign(wall(1_003).wall);
        assert_eq!(resolved(&clock, others), (1_003, true), "nobody has set the clocks of others");
    }

    #[test]
    fn a_time_that_a_clock_showed_twice_is_in_doubt() {
        let clock = Clock::of(vec![tick(1_000, 10), tick(1_008, 18), tick(1_002, 20), tick(1_010, 28)]);
        assert_eq!(clock.steps[0].by, SignedDuration::from_secs(-8));
        assert_eq!(resolved(&clock, wall(1_000)), (992, true));
        assert_eq!(resolved(&clock, wall(1_005)), (1_005, false));
    }

    #[test]
    fn the_time_since_the_start_sharpens_whole_seconds_and_is_left_alone_where_it_is_anothers() {
        let clock = Clock::of(vec![Tick { wall: 1_000_250_000, monotonic: 5_000_000 }]);
        let stamp = Stamp { monotonic: Some(6_000_000), ..wall(1_001) };
        assert_eq!(clock.resolve(stamp).0.as_microsecond(), 1_001_250_000);
        let other = Stamp { monotonic: Some(900_000_000), ..wall(1_001) };
        assert_eq!(resolved(&clock, other), (1_001, true));
        assert_eq!(resolved(&Clock::default(), stamp), (1_001, true));
    }

    #[test]
    fn times_are_read_in_every_form_that_the_files_have() {
        let zone = TimeZone::UTC;
        for (read, expected) in [
            (civil("2026-11-15 20:17:43.238", &zone), "2026-11-15T20:17:43.238Z"),
            (civil("2026-11-15 20:17:43,238", &zone), "2026-11-15T20:17:43.238Z"),
            (civil("2026-11-15 20:17:43", &zone), "2026-11-15T20:17:43Z"),
            (civil("2026-11-15 20:17:43.123456789", &zone), "2026-11-15T20:17:43.123456789Z"),
            (any("2026-11-15T20:17:43.5Z", &zone), "2026-11-15T20:17:43.5Z"),
            (any("2026-11-15T20:17:43.5", &zone), "2026-11-15T20:17:43.5Z"),
            (printed("Sun 2026-11-15 20:17:42 UTC", &zone), "2026-11-15T20:17:42Z"),
            (printed("Sun 2026-11-15 20:17:42.123456 UTC", &zone), "2026-11-15T20:17:42.123456Z"),
            (printed("Sun Nov 15 20:17:43 UTC 2026", &zone), "2026-11-15T20:17:43Z"),
            (epoch(1_522_066_377.5), "2018-03-26T12:12:57.5Z"),
        ] {
            assert_eq!(read.map(|time| time.to_string()).as_deref(), Some(expected));
        }
        for wrong in
            ["2026-11-15 20:17", "2026-13-15 20:17:43", "2026-11-15 20:17:43.", "2026-11-15 20:17:4x", "é"]
        {
            assert_eq!(civil(wrong, &zone), None, "{wrong}");
        }
        assert_eq!((civil("n/a", &zone), printed("", &zone), epoch(f64::NAN)), (None, None, None));
    }
}
