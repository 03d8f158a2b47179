//! The moments of a kubelet's start, read from what it logs.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::super::{Certainty, Page, Seen, Source, Stamp, signs};

/// What kubelet says at each moment; the first time counts. `NodeReady` is an event that the scripts look for, too.
const SAYINGS: [(&str, &str); 9] = [
    ("\"Certificate signing request is issued\"", "certificate-issued"),
    ("\"Certificate signing request is approved", "certificate-approved"),
    ("\"Container runtime initialized\"", "kubelet-runtime-initialised"),
    ("\"Started kubelet\"", "kubelet-serving"),
    ("\"Starting kubelet main sync loop\"", "kubelet-main-sync-loop"),
    ("\"Attempting to register node\"", "node-registering"),
    ("\"Successfully registered node\"", "node-registered"),
    ("\"Fast updating node status as it just became ready\"", "node-ready"),
    ("\"NodeReady\"", "node-ready"),
];

/// A line is in the journal a moment after it was made.
const FAR: SignedDuration = SignedDuration::from_mins(1);

/// What has been read of kubelet's log.
#[derive(Default)]
pub(super) struct Log {
    found: Vec<&'static str>,
}

impl Log {
    pub(super) fn line(&mut self, page: &mut Page<'_>, number: u64, message: &str, written: Stamp) {
        // The service manager's lines about the unit, and those of whatever runs before kubelet.
        let Some(said) = header(message) else { return };
        let first = (!self.found.contains(&"kubelet-first-line")).then_some("kubelet-first-line");
        let saying = SAYINGS.iter().find(|(saying, _)| said.contains(saying)).map(|(_, name)| *name);
        let saying = saying.filter(|name| !self.found.contains(name));
        for name in [first, saying].into_iter().flatten() {
            self.found.push(name);
            let time = logged(message, written, page.zone);
            let (source, certainty) = (Source::Kubelet, Certainty::Measured);
            let place = page.place(number, message);
            page.seen(Seen { name, time, source, certainty, place });
        }
        if saying.is_none() {
            page.look(number, said, Some(written), &signs::KUBELET);
        }
    }
}

/// The time in the line, which is a little before it was written. On both clocks, so that it follows them. One that is far
/// from it was written in another zone than the one we know of.
fn logged(message: &str, written: Stamp, zone: &TimeZone) -> Stamp {
    let near = |wall: &Timestamp| written.wall.duration_since(*wall).abs() <= FAR;
    let Some(wall) = klog_time(message, written.wall, zone).filter(near) else { return written };
    let earlier = written.wall.as_microsecond() - wall.as_microsecond();
    Stamp { wall, monotonic: written.monotonic.map(|monotonic| monotonic - earlier), ..written }
}

/// What follows the header of a line of the log.
fn header(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    rest.as_bytes().get(..4)?.iter().all(u8::is_ascii_digit).then_some(())?;
    rest.split_once("] ").map(|(_, said)| said)
}

/// The time in the header of a log line, `I1115 20:17:43.123456    1234 server.go:417] …`. It has neither year nor zone:
/// the year is that of a moment near it.
fn klog_time(line: &str, near: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let rest = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    let (header, _) = rest.split_once("] ")?;
    let mut words = header.split_ascii_whitespace();
    let (date, clock) = (words.next()?, words.next()?);
    if date.len() != 4 {
        return None;
    }
    let year = near.to_zoned(zone.clone()).year();
    let read = |year: i16| {
        let time = DateTime::strptime("%Y%m%d %H:%M:%S%.f", format!("{year}{date} {clock}")).ok()?;
        Some(time.to_zoned(zone.clone()).ok()?.timestamp())
    };
    // Around New Year the two may disagree.
    [year, year - 1, year + 1].into_iter().filter_map(read).min_by_key(|time| time.duration_since(near).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_across_new_year_and_anything_else_is_refused() {
        let near = "2027-01-01T00:00:01Z".parse().unwrap();
        let read = |line: &str| klog_time(line, near, &TimeZone::UTC).map(|time| time.to_string());
        assert_eq!(read("W1231 23:59:59.5 1 x.go:1] a").as_deref(), Some("2026-12-31T23:59:59.5Z"));
        for other in [
            "",
            "Started kubelet",
            "I1231 noon 1 x.go:1] a",
            "I9931 23:59:59 1 x] a",
            "I1231 23:59:59.5 1 x.go",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
