//! Findings on the screen, for people and for programs: the same for everything that examines a machine.

use serde_json::{Value, json};
use slipway_flex::preflight::{Examined, Finding, Severity};

use crate::screen::Screen;

/// The report for programs. `verdict` names what is said first, and `holds` says whether it does.
pub(crate) fn document(verdict: &str, holds: bool, examined: &[Examined]) -> Value {
    let found = |one: &Examined| -> Vec<Value> {
        let finding = |finding: &Finding| {
            json!({
                "check": one.id,
                "severity": finding.severity.to_string(),
                "message": finding.message,
                "advice": finding.advice,
            })
        };
        one.findings.iter().map(finding).collect()
    };
    json!({
        verdict: holds,
        "checks": examined.iter().map(|one| one.id).collect::<Vec<_>>(),
        "not_looked_at": examined.iter().filter(|one| !one.seen).map(|one| one.id).collect::<Vec<_>>(),
        "findings": examined.iter().flat_map(found).collect::<Vec<_>>(),
    })
}

/// The report for people: every check with its mark, and what it found.
pub(crate) fn text(examined: &[Examined], screen: &mut Screen) {
    for one in examined {
        let worst = one.findings.iter().map(|finding| finding.severity).max();
        let mark = match (worst, one.seen) {
            (Some(Severity::Blocks), _) => "!!",
            (Some(Severity::Warns), _) => " !",
            (Some(Severity::Fine), _) | (None, true) => "ok",
            (None, false) => "--",
        };
        screen.line(format_args!("{mark}  {}: {}", one.id, one.asks));
        for Finding { severity, message, advice } in &one.findings {
            screen.line(format_args!("      {message}"));
            let word = if *severity == Severity::Fine { "note" } else { "advice" };
            screen.line(format_args!("      {word}: {advice}"));
        }
    }
    let count = |severity| {
        examined.iter().flat_map(|one| &one.findings).filter(|finding| finding.severity == severity).count()
    };
    screen.line(match (count(Severity::Blocks), count(Severity::Warns)) {
        (0, 0) => "nothing found".to_owned(),
        (1, 0) | (0, 1) => "1 finding".to_owned(),
        (blocks, warns) => format!("{} findings", blocks + warns),
    });
}
