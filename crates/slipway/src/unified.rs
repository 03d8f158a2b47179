//! Two texts as a unified diff, for managed files: short texts, few changes. A library for it is 150 kB of the binary.

use std::fmt::Write as _;

/// Lines around a change that stay as they are.
const CONTEXT: usize = 3;
/// Beyond this many comparisons the middle is shown as replaced, which is right if not short.
const MOST_COMPARISONS: usize = 4_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Kept(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// The diff from one text to another under these names; empty if they are the same.
pub(crate) fn unified(from: &str, to: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old), split(new));
    let lines = compare(&old, &new);
    let changes: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Kept(_)))
        .map(|(at, _)| at)
        .collect();
    let Some(&first) = changes.first() else { return String::new() };
    let mut out = format!("--- {from}\n+++ {to}\n");
    let mut hunk = (first, first);
    for &at in &changes {
        if at > hunk.1 + 2 * CONTEXT + 1 {
            write_hunk(&mut out, &lines, hunk);
            hunk.0 = at;
        }
        hunk.1 = at;
    }
    write_hunk(&mut out, &lines, hunk);
    out
}

/// Lines with their ends, so that a missing last end is a difference.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (gone, came) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut lines: Vec<Line<'a>> = old[..head].iter().map(|line| Line::Kept(line)).collect();
    middle(gone, came, &mut lines);
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Kept(line)));
    lines
}

/// The longest common subsequence; on equal terms what goes comes before what is new.
fn middle<'a>(gone: &[&'a str], came: &[&'a str], lines: &mut Vec<Line<'a>>) {
    let width = came.len() + 1;
    let mut common = Vec::new();
    if gone.len().saturating_mul(came.len()) <= MOST_COMPARISONS {
        common = vec![0_u32; (gone.len() + 1) * width];
        for i in (0..gone.len()).rev() {
            for j in (0..came.len()).rev() {
                common[i * width + j] = if gone[i] == came[j] {
                    common[(i + 1) * width + j + 1] + 1
                } else {
                    common[(i + 1) * width + j].max(common[i * width + j + 1])
                };
            }
        }
    }
    let left = |i: usize, j: usize| common.get(i * width + j).copied().unwrap_or_default();
    let (mut i, mut j) = (0, 0);
    while i < gone.len() || j < came.len() {
        if left(i, j) > 0 && gone[i] == came[j] {
            lines.push(Line::Kept(gone[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < gone.len() && (j == came.len() || left(i + 1, j) >= left(i, j + 1)) {
            lines.push(Line::Gone(gone[i]));
            i += 1;
        } else {
            lines.push(Line::New(came[j]));
            j += 1;
        }
    }
}

fn write_hunk(out: &mut String, lines: &[Line<'_>], (first, last): (usize, usize)) {
    let start = first.saturating_sub(CONTEXT);
    let end = (last + CONTEXT + 1).min(lines.len());
    let is_old = |line: &&Line<'_>| !matches!(line, Line::New(_));
    let is_new = |line: &&Line<'_>| !matches!(line, Line::Gone(_));
    let (before, hunk) = (&lines[..start], &lines[start..end]);
    let range = |before: usize, count: usize| match count {
        0 => format!("{before},0"),
        1 => format!("{}", before + 1),
        _ => format!("{},{count}", before + 1),
    };
    let old = range(before.iter().filter(is_old).count(), hunk.iter().filter(is_old).count());
    let new = range(before.iter().filter(is_new).count(), hunk.iter().filter(is_new).count());
    // Writing to a String cannot fail.
    let _ = writeln!(out, "@@ -{old} +{new} @@");
    for line in hunk {
        let (sign, text) = match line {
            Line::Kept(text) => (' ', text),
            Line::Gone(text) => ('-', text),
            Line::New(text) => ('+', text),
        };
        out.push(sign);
        out.push_str(text);
        if !text.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_three_lines_around_them() {
        let old = (1..=30).fold(String::new(), |text, n| text + &n.to_string() + "\n");
        let new = old.replace("\n5\n", "\nfive\n").replace("\n25\n", "\n25\n25a\n");
        assert_eq!(
            unified("a", "b", &old, &new),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -23,6 +23,7 @@\n 23\n 24\n 25\n+25a\n 26\n 27\n 28\n"
        );
        assert_eq!(unified("a", "b", &old, &old), "");
    }

    #[test]
    fn new_files_missing_ends_and_common_lines_are_as_diff_writes_them() {
        assert_eq!(unified("/dev/null", "b", "", "x\n"), "--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(
            unified("a", "b", "x\ny", "x\nz\ny\n"),
            "--- a\n+++ b\n@@ -1,2 +1,3 @@\n x\n-y\n\\ No newline at end of file\n+z\n+y\n"
        );
    }

    #[test]
    fn a_diff_leads_from_one_text_to_the_other() {
        let words = ["a\n", "b\n", "c\n"];
        for seed in 0_usize..2_000 {
            let text = |mut seed: usize| -> Vec<&str> {
                let mut lines = Vec::new();
                while seed > 0 {
                    lines.push(words[seed % 3]);
                    seed /= 3;
                }
                lines
            };
            let (old, new) = (text(seed), text(seed.wrapping_mul(7) % 3_000));
            let lines = compare(&old, &new);
            let side = |gone: bool| -> Vec<&str> {
                let kept = lines.iter().filter_map(|line| match line {
                    Line::Kept(text) => Some(*text),
                    Line::Gone(text) => gone.then_some(*text),
                    Line::New(text) => (!gone).then_some(*text),
                });
                kept.collect()
            };
            assert_eq!((side(true), side(false)), (old, new));
        }
    }
}
