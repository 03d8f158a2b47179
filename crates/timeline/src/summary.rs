//! What is said below the drawing of an anatomy: where the time went, and what stands out.

use crate::anatomy::Anatomy;
use crate::path::{Gap, Share};

/// As many parts of the way to Ready are named.
const SHARES: usize = 6;

/// In fewer seconds nobody has waited for anything: files were written below a root, and no node was to come of it.
const TELLING: f64 = 0.05;

/// A part is worth a line from this share of the way on.
const WORTH: f64 = 0.01;

/// A gap is worth a line from this many milliseconds on.
const LONG: i128 = 500;

/// The lines, none wider than the terminal where words allow it.
pub fn summary(anatomy: &Anatomy, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut tell = |text: String, indent: usize| lines.extend(wrapped(&text, width, indent));
    let (total, ready) = (anatomy.total_seconds, anatomy.milestones.contains_key("node-ready"));
    let worth = |share: &&Share| total >= TELLING && share.took.as_secs_f64() >= WORTH * total;
    let shares: Vec<&Share> = anatomy.shares.iter().filter(worth).take(SHARES).collect();
    if !shares.is_empty() {
        tell(String::new(), 0);
        let never = if ready { "" } else { "The node has not become Ready. " };
        tell(format!("{never}Where {total:.2} s went:"), 0);
    }
    for share in shares {
        let times = if share.count > 1 { format!(" ×{}", share.count) } else { String::new() };
        let (took, saves) = (share.took.as_secs_f64(), share.saves.as_secs_f64());
        let percent = 100.0 * took / total;
        let what = &share.what;
        let earlier = if ready { format!(" (without it {saves:.2} s earlier)") } else { String::new() };
        tell(format!("{took:>8.2} s  {percent:>3.0} %  {what}{times}{earlier}"), 19);
    }
    let longest: Option<&Gap> = anatomy.gaps.iter().max_by_key(|gap| gap.took());
    if let Some(gap) = longest.filter(|gap| gap.took().as_millis() >= LONG) {
        let Gap { after, before, why, .. } = gap;
        let took = gap.took().as_secs_f64();
        tell(String::new(), 0);
        tell(format!("The longest gap: {took:.1} s between {after} and {before}: {why}"), 2);
    }
    if !anatomy.findings.is_empty() {
        tell(String::new(), 0);
    }
    for finding in &anatomy.findings {
        tell(format!("{}: {} [{}]", finding.about, finding.message, finding.id), 4);
        tell(format!("  advice: {}", finding.advice), 4);
    }
    for step in &anatomy.clock_steps {
        let (by, before) = (step.by.as_secs_f64(), step.before);
        tell(format!("the clock was set by {by:.3} s at {before}; times are on the clock as it was then"), 4);
    }
    lines
}

/// A text in lines; those after the first are indented. Only a word that is wider than a line makes one wider.
fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let length = |text: &str| text.trim_end().chars().count();
        let line = lines.last().map_or("", String::as_str);
        let full = line.chars().count() + length(word) > width && !line.trim().is_empty();
        if full {
            lines.push(" ".repeat(indent));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_wrapped_at_words() {
        assert_eq!(wrapped("one two three four", 9, 2), ["one two", "  three", "  four"]);
        assert_eq!(wrapped("   1.00 s  x", 20, 2), ["   1.00 s  x"]);
        assert_eq!(wrapped("a very-long-word-indeed b", 8, 0), ["a", "very-long-word-indeed", "b"]);
        assert_eq!(wrapped("", 8, 0), [""]);
    }
}
