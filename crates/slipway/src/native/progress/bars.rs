//! Progress on a terminal: finished steps scroll by, the last line shows how far it is and what runs.

use slipway_apply::{Event, Outcome};

use super::{Amount, plain};

const BAR: usize = 24;

/// Carriage return, and clear to the line's end.
const CLEAR: &str = "\r\u{1b}[K";

/// What the last line shows.
#[derive(Debug, Default)]
pub(super) struct Bars {
    all: usize,
    ended: usize,
    running: Vec<&'static str>,
}

impl Bars {
    /// What to write to the terminal when something happened.
    pub(super) fn saw(&mut self, event: &Event<'_>, amount: Amount, width: usize) -> String {
        match event {
            Event::AttemptBegan { steps, .. } => self.all = *steps,
            Event::StepBegan { step, .. } => self.running.push(step),
            Event::StepEnded(report) => {
                self.running.retain(|step| *step != report.id);
                self.ended += usize::from(report.outcome != Outcome::NotReached);
            }
            Event::AttemptEnded(_) => return CLEAR.to_owned(),
            Event::Changed { .. } | Event::Undone { .. } => {}
        }
        let line = plain::line(event, amount).map(|line| format!("{line}\n")).unwrap_or_default();
        format!("{CLEAR}{line}{}", self.last_line(width))
    }

    fn last_line(&self, width: usize) -> String {
        let all = self.all.max(self.ended).max(1);
        let full = BAR * self.ended / all;
        let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full));
        let text = format!("{bar} {}/{}  {}", self.ended, self.all, self.running.join(", "));
        // A line that wraps cannot be cleared.
        text.chars().take(width.saturating_sub(1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_fills_up_and_never_wraps() {
        let mut bars = Bars::default();
        bars.saw(&Event::AttemptBegan { id: "a", steps: 2 }, Amount::Usual, 40);
        let text = bars.saw(&Event::StepBegan { step: "start-containerd", title: "t" }, Amount::Usual, 40);
        assert_eq!(text, format!("{CLEAR}{} 0/2  start-con", "░".repeat(24)));
        assert_eq!(text.chars().count() - CLEAR.chars().count(), 39);
    }
}
