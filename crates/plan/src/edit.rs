//! Changes to files that are not ours alone. Each is a pure function of the text before, and doing it twice changes nothing
//! more.

/// A change to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// One line: the first that begins with `prefix` (leading white space aside) is replaced, others like it go; without
    /// one, the line is added at the end.
    Line {
        /// How the line is known.
        prefix: String,
        /// The whole line, without its end.
        line: String,
    },
    /// An option of the SSH server that holds for everyone: where it is set outside `Match` blocks, else before the
    /// first of them.
    SshOption {
        /// The option.
        name: String,
        /// Its value.
        value: String,
    },
    /// A member of a JSON document, wherever it has one value, gets another; the rest of the text stays as it is.
    JsonText {
        /// The member's name.
        member: String,
        /// The value that is replaced.
        from: String,
        /// The value that replaces it.
        to: String,
    },
    /// Lines whose word at a place, counted from zero, is this one become comments.
    Comment {
        /// The place.
        place: usize,
        /// The word.
        word: String,
    },
    /// Nothing but the file's being there: others write it.
    Present,
}

impl Change {
    /// The text after the change.
    pub fn apply(&self, before: &str) -> String {
        match self {
            Self::Line { prefix, line } => {
                replace(before, line, |old| old.trim_start().starts_with(prefix.as_str()))
            }
            Self::SshOption { name, value } => ssh_option(before, name, value),
            Self::JsonText { member, from, to } => json_text(before, member, from, to),
            Self::Comment { place, word } => comment(before, *place, word),
            Self::Present => before.to_owned(),
        }
    }
}

/// Puts a line in the place of the first of those that it stands for, or at the end.
fn replace(before: &str, line: &str, is_ours: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(before.len() + line.len() + 1);
    let mut written = false;
    for old in before.lines() {
        let ours = is_ours(old);
        if ours && written {
            continue;
        }
        out.push_str(if ours { line } else { old });
        out.push('\n');
        written |= ours;
    }
    if !written {
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn comment(before: &str, place: usize, word: &str) -> String {
    let is_it =
        |line: &str| !line.trim_start().starts_with('#') && line.split_whitespace().nth(place) == Some(word);
    let line = |line: &str| if is_it(line) { format!("#{line}") } else { line.to_owned() };
    before.split_inclusive('\n').map(line).collect()
}

fn ssh_option(before: &str, name: &str, value: &str) -> String {
    let word = |line: &str, word: &str| {
        line.split_ascii_whitespace().next().is_some_and(|first| first.eq_ignore_ascii_case(word))
    };
    let line = format!("{name} {value}");
    let mut global = String::new();
    let mut rest = String::new();
    for old in before.lines() {
        let part = if rest.is_empty() && !word(old, "Match") { &mut global } else { &mut rest };
        part.push_str(old);
        part.push('\n');
    }
    replace(&global, &line, |old| word(old, name)) + &rest
}

fn json_text(before: &str, member: &str, from: &str, to: &str) -> String {
    let name = format!("\"{member}\"");
    let old = format!("\"{from}\"");
    let mut out = String::with_capacity(before.len() + to.len());
    let mut rest = before;
    while let Some(at) = rest.find(&name) {
        let (head, tail) = rest.split_at(at + name.len());
        out.push_str(head);
        let value = tail.trim_start().strip_prefix(':').map(str::trim_start);
        rest = match value.and_then(|value| value.strip_prefix(&*old)) {
            Some(after) => {
                let skipped = tail.len() - after.len() - old.len();
                out.push_str(&tail[..skipped]);
                out.push('"');
                out.push_str(to);
                out.push('"');
                after
            }
            None => tail,
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stays(change: &Change, before: &str) -> String {
        let once = change.apply(before);
        assert_eq!(change.apply(&once), once);
        once
    }

    #[test]
    fn a_line_is_replaced_where_it_is_or_added_at_the_end_and_then_stays() {
        let change = Change::Line { prefix: "kernel/x".into(), line: "kernel/x = 2".into() };
        assert_eq!(stays(&change, "a\n  kernel/x = 1\nb\nkernel/x = 3"), "a\nkernel/x = 2\nb\n");
        assert_eq!(stays(&change, ""), "kernel/x = 2\n");
        assert_eq!(stays(&change, "a"), "a\nkernel/x = 2\n");
    }

    #[test]
    fn lines_with_a_word_at_a_place_become_comments() {
        let change = Change::Comment { place: 2, word: "swap".into() };
        let before =
            "# swap swap swap\n/dev/sda1 / ext4 rw 0 1\n/swapfile none swap sw 0 0\nUUID=x none\tswap sw";
        let after =
            "# swap swap swap\n/dev/sda1 / ext4 rw 0 1\n#/swapfile none swap sw 0 0\n#UUID=x none\tswap sw";
        assert_eq!(stays(&change, before), after);
        assert_eq!(stays(&change, ""), "");
    }

    #[test]
    fn an_ssh_option_changes_outside_match_blocks_only() {
        let change = Change::SshOption { name: "PubkeyAuthentication".into(), value: "no".into() };
        let matched = "Match User a\n  PubkeyAuthentication yes\n";
        assert_eq!(
            stays(&change, &format!("Port 22\n pubkeyauthentication yes\n{matched}")),
            format!("Port 22\nPubkeyAuthentication no\n{matched}")
        );
        assert_eq!(
            stays(&change, &format!("Port 22\n{matched}")),
            format!("Port 22\nPubkeyAuthentication no\n{matched}")
        );
        assert_eq!(
            stays(&change, "#PubkeyAuthentication yes"),
            "#PubkeyAuthentication yes\nPubkeyAuthentication no\n"
        );
    }

    #[test]
    fn a_member_of_a_document_changes_and_nothing_else_does() {
        let change =
            Change::JsonText { member: "mode".into(), from: "bridge".into(), to: "transparent".into() };
        let before = r#"{"plugins": [{"mode": "bridge", "bridge":"azure0"},{"mode":"bridge"}, {"mode": 1}]}"#;
        assert_eq!(
            stays(&change, before),
            r#"{"plugins": [{"mode": "transparent", "bridge":"azure0"},{"mode":"transparent"}, {"mode": 1}]}"#
        );
        assert_eq!(stays(&Change::Present, "as it is"), "as it is");
    }
}
