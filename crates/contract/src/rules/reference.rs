//! The reference page of the rules.

use std::fmt::Write as _;

use super::{RULES, Rule, all};

/// The text of `docs/reference/rules.md`.
pub fn reference() -> String {
    let mut page = format!(
        "# The rules of a contract\n\n\
         <!-- Generated from the rules by `cargo run -p slipway-contract --example rules-reference`. Do not edit. -->\n\n\
         What `slipway config validate` checks: {} rules. Each issue carries the id of its rule as its reason. \
         An **error** is something that does not work or is lost; a **warning** works, but probably not as meant; \
         a **note** is worth knowing. The contract's fields are in [contract.md](contract.md). Examples are \
         fragments; long values are shortened.\n",
        all().count(),
    );
    for subject in RULES {
        let _ = write!(page, "\n## {}\n", subject.title);
        for rule in subject.rules {
            entry(&mut page, rule);
        }
    }
    page
}

// Writing to a string cannot fail.
fn entry(page: &mut String, rule: &Rule) {
    let _ = write!(page, "\n### {}\n\n**{}.** {}\n\n{}\n", rule.id, rule.severity, rule.summary, rule.reason);
    for (title, fragment) in [("Good", rule.good), ("Reported", rule.bad)] {
        if !fragment.is_empty() {
            let _ = write!(page, "\n{title}:\n\n```json\n{}\n```\n", shortened(fragment.trim_end()));
        }
    }
}

/// The fragment with long texts cut, since nobody reads a certificate.
fn shortened(fragment: &str) -> String {
    const LONGEST: usize = 120;
    let parts = fragment.split('"').map(|part| match part.char_indices().nth(LONGEST) {
        Some(_) => format!("{}…", part.chars().take(40).collect::<String>()),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("\"")
}
