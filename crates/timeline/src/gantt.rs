//! An anatomy drawn with letters, as wide as the terminal is.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};

use crate::anatomy::{Anatomy, Interval};
use crate::evidence::Source;

/// Narrower than this, bars say nothing.
const LEAST: usize = 10;

/// What is shorter than this is left out, unless it is a step of Slipway's.
const SHORT: SignedDuration = SignedDuration::from_millis(1);

/// Parts of a stage of cloud-init's are many.
const SHORT_PART: SignedDuration = SignedDuration::from_millis(20);

/// In which order the bars come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sorted {
    /// As they began.
    ByTime,
    /// The longest first.
    ByLength,
}

/// Intervals of one name: one line of the drawing.
pub(crate) struct Row<'a> {
    pub(crate) name: String,
    pub(crate) bars: Vec<&'a Interval>,
}

impl Row<'_> {
    pub(crate) fn took(&self) -> SignedDuration {
        self.bars.iter().map(|interval| interval.took()).sum()
    }
}

/// The lines of the drawing: bars for the intervals of each name, `█` where Ready waited for it and `░` elsewhere, then the
/// moments.
pub fn gantt(anatomy: &Anatomy, width: usize, order: Sorted) -> Vec<String> {
    let (Some(start), Some(end)) = (anatomy.start(), anatomy.end()) else { return Vec::new() };
    let mut rows = rows(anatomy);
    if order == Sorted::ByLength {
        rows.sort_by_key(|row| Reverse(row.took()));
    }
    let names = rows.iter().map(|row| row.name.chars().count());
    let moments = anatomy.milestones.keys().map(|name| name.chars().count());
    // Two spaces on each side of the bar, and `123.45 s` after it.
    let (margins, took) = (2 + 2, 9);
    let most = (width / 2).min(width.saturating_sub(margins + took + LEAST));
    let name = names.chain(moments).max().unwrap_or(0).min(most);
    let bar = width.saturating_sub(name + margins + took).max(LEAST);
    let scale = Scale { start, whole: end.duration_since(start), columns: bar };
    let mut lines = vec![format!("{:name$}  {}  {:>9}", "", scale.ruler(), "took")];
    for row in rows {
        let mut drawn = vec![' '; bar];
        for interval in &row.bars {
            let from = scale.column(interval.start).min(bar - 1);
            let to = scale.column(interval.end).clamp(from + 1, bar);
            drawn[from..to].fill(if interval.critical { '█' } else { '░' });
        }
        let drawn: String = drawn.into_iter().collect();
        lines.push(format!("{:name$}  {drawn}  {:>9}", cut(&row.name, name), seconds(row.took())));
    }
    let mut moments: Vec<(&String, &Timestamp)> = anatomy.milestones.iter().collect();
    moments.sort_by_key(|(_, time)| **time);
    for (moment, time) in moments {
        let at = scale.column(*time).min(bar - 1);
        let drawn = format!("{}◆{}", " ".repeat(at), " ".repeat(bar - at - 1));
        let after = format!("+{}", seconds(time.duration_since(start)));
        lines.push(format!("{:name$}  {drawn}  {after:>9}", cut(moment, name)));
    }
    lines
}

pub(crate) fn rows(anatomy: &Anatomy) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let lasting = |it: &&Interval| match it.source {
        Source::Journal => true,
        Source::CloudInit if it.name.contains('/') => it.took() >= SHORT_PART,
        _ => it.took() >= SHORT,
    };
    for interval in anatomy.intervals.iter().filter(lasting) {
        let name = interval.name.strip_prefix("AKS.CSE.").unwrap_or(&interval.name);
        let name = name.strip_prefix("AKS.").unwrap_or(name);
        match rows.iter_mut().find(|row| row.bars[0].name == interval.name && !interval.envelope) {
            Some(row) => row.bars.push(interval),
            None => rows.push(Row { name: name.to_owned(), bars: vec![interval] }),
        }
    }
    for row in rows.iter_mut().filter(|row| row.bars.len() > 1) {
        row.name = format!("{} ×{}", row.name, row.bars.len());
    }
    rows
}

struct Scale {
    start: Timestamp,
    whole: SignedDuration,
    columns: usize,
}

impl Scale {
    fn column(&self, time: Timestamp) -> usize {
        let whole = self.whole.as_nanos().max(1);
        let columns = i128::try_from(self.columns).unwrap_or(i128::MAX);
        let column = time.duration_since(self.start).as_nanos().saturating_mul(columns) / whole;
        usize::try_from(column).unwrap_or(0).min(self.columns)
    }

    fn ruler(&self) -> String {
        let end = seconds(self.whole);
        format!("0{end:>width$}", width = self.columns - 1)
    }
}

/// A duration with as many digits as matter.
pub(crate) fn seconds(duration: SignedDuration) -> String {
    match duration.as_secs_f64() {
        short if short < 1.0 => format!("{:.1} ms", short * 1_000.0),
        long => format!("{long:.2} s"),
    }
}

pub(crate) fn cut(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Certainty, Evidence, Place, Seen, Span};
    use crate::phase::Phase;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millisecond(1_800_000_000_000 + millis).unwrap()
    }

    fn step(name: &str, from: i64, to: i64, critical: bool) -> Span {
        Span {
            name: name.to_owned(),
            phase: Phase::Bootstrap,
            start: at(from).into(),
            end: at(to).into(),
            source: Source::Journal,
            certainty: Certainty::Measured,
            place: Place::default(),
            outcome: None,
            after: None,
            critical: Some(critical),
            envelope: false,
        }
    }

    fn anatomy() -> Anatomy {
        let ready = Seen {
            name: "node-ready",
            time: at(3_000).into(),
            source: Source::Kubelet,
            certainty: Certainty::Measured,
            place: Place::default(),
        };
        Anatomy::of(Evidence {
            spans: vec![
                step("containerd", 0, 1_500, true),
                step("sysctl", 0, 1, false),
                step("kubelet", 1_500, 3_000, true),
            ],
            seen: vec![ready],
            ..Evidence::default()
        })
    }

    #[test]
    fn every_line_fits_the_width_and_shows_what_ready_waited_for() {
        let lines = gantt(&anatomy(), 43, Sorted::ByTime);
        assert_eq!(
            lines,
            [
                "            0             3.00 s       took",
                "sysctl      ░                        1.0 ms",
                "containerd  ██████████               1.50 s",
                "kubelet               ██████████     1.50 s",
                "node-ready                     ◆    +3.00 s",
            ]
            .map(str::to_owned),
            "{lines:#?}"
        );
        for width in [30, 43, 80, 200] {
            assert!(
                gantt(&anatomy(), width, Sorted::ByTime).iter().all(|line| line.chars().count() == width)
            );
        }
        assert!(gantt(&Anatomy::default(), 80, Sorted::ByTime).is_empty());
    }

    #[test]
    fn the_longest_come_first_when_asked_for() {
        let lines = gantt(&anatomy(), 43, Sorted::ByLength);
        assert!(lines[1].starts_with("containerd") && lines[3].starts_with("sysctl"), "{lines:#?}");
    }
}
