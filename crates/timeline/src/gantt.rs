//! An anatomy drawn with letters, as wide as the terminal is.

use jiff::{SignedDuration, Timestamp};

use crate::anatomy::Anatomy;

/// Narrower than this, bars say nothing.
const LEAST: usize = 10;

/// The lines of the drawing: a bar for each interval, `█` where Ready waited for it and `░` elsewhere, then the moments.
pub fn gantt(anatomy: &Anatomy, width: usize) -> Vec<String> {
    let (Some(start), Some(end)) = (anatomy.start(), anatomy.end()) else { return Vec::new() };
    let names = anatomy.intervals.iter().map(|interval| interval.name.chars().count());
    let moments = anatomy.milestones.keys().map(|name| name.chars().count());
    let name = names.chain(moments).max().unwrap_or(0).min(width / 2);
    // Two spaces on each side of the bar, and `123.45 s` after it.
    let bar = width.saturating_sub(name + 2 + 2 + 9).max(LEAST);
    let scale = Scale { start, whole: end.duration_since(start), columns: bar };
    let mut lines = vec![format!("{:name$}  {}  {:>9}", "", scale.ruler(), "took")];
    for interval in &anatomy.intervals {
        let from = scale.column(interval.start);
        let to = scale.column(interval.end).max(from + 1).min(bar);
        let from = from.min(to - 1);
        let fill = if interval.critical { "█" } else { "░" };
        let drawn = format!("{}{}{}", " ".repeat(from), fill.repeat(to - from), " ".repeat(bar - to));
        lines.push(format!("{:name$}  {drawn}  {:>9}", cut(&interval.name, name), seconds(interval.took())));
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
fn seconds(duration: SignedDuration) -> String {
    match duration.as_secs_f64() {
        short if short < 1.0 => format!("{:.1} ms", short * 1_000.0),
        long => format!("{long:.2} s"),
    }
}

fn cut(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anatomy::Interval;
    use crate::boot::BootMoments;

    #[test]
    fn every_line_fits_the_width_and_shows_what_ready_waited_for() {
        let at = |millis: i64| Timestamp::from_millisecond(1_800_000_000_000 + millis).unwrap();
        let step = |name: &str, from, to, critical| Interval {
            name: name.to_owned(),
            phase: "join".to_owned(),
            start: at(from),
            end: at(to),
            source: "journal".to_owned(),
            critical,
            after: None,
            outcome: None,
        };
        let steps = vec![
            step("containerd", 0, 1_500, true),
            step("sysctl", 0, 1, false),
            step("kubelet", 1_500, 3_000, true),
        ];
        let anatomy = Anatomy::of(steps, &BootMoments::default(), &[("node-ready", at(3_000))]);
        let lines = gantt(&anatomy, 43);
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
        assert!(gantt(&anatomy, 80).iter().all(|line| line.chars().count() == 80));
        assert!(gantt(&Anatomy::default(), 80).is_empty());
    }
}
