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
}

impl Change {
    /// The text after the change.
    pub fn apply(&self, before: &str) -> String {
        let Self::Line { prefix, line } = self;
        let mut out = String::with_capacity(before.len() + line.len() + 1);
        let mut written = false;
        for old in before.lines() {
            let ours = old.trim_start().starts_with(prefix.as_str());
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_replaced_where_it_is_or_added_at_the_end_and_then_stays() {
        let change = Change::Line { prefix: "kernel/x".into(), line: "kernel/x = 2".into() };
        assert_eq!(change.apply("a\n  kernel/x = 1\nb\nkernel/x = 3"), "a\nkernel/x = 2\nb\n");
        assert_eq!(change.apply(""), "kernel/x = 2\n");
        let once = change.apply("a");
        assert_eq!(change.apply(&once), once);
    }
}
