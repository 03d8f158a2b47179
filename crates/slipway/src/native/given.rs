//! The contract as it was given, read with care.

use std::collections::HashMap;
use std::path::Path;

use slipway_contract::codec::{Decoded, Policy, decode_with_places};
use slipway_contract::rules::missing_essentials;
use slipway_contract::{Contract, Issue, Severity};

use crate::failure::Failure;
use crate::files::{self, Input};
use crate::screen::Screen;

/// The guest agent takes events of 3 KiB, and results should be no longer.
const MOST_BYTES: usize = 2_000;

/// A contract, and where its values stand in the text.
pub(crate) struct Given {
    /// How the file is called in messages.
    pub(crate) name: String,
    pub(crate) contract: Contract,
    text: Vec<u8>,
    places: HashMap<String, usize>,
    issues: Vec<Issue>,
}

/// A field that stands in the way of native provisioning.
pub(crate) struct Obstacle {
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Given {
    /// Reads a contract; what cannot be read is remarked on and left out, as far as the rest is a contract at all.
    pub(crate) fn read(path: &Path, screen: &Screen) -> Result<Self, Failure> {
        let Input { name, text } = files::read(path)?;
        let decoded: Decoded<Contract> = decode_with_places(&text, Policy::Careful);
        for issue in decoded.issues.iter().filter(|issue| issue.severity > Severity::Note) {
            screen.remark(&name, issue, issue.severity);
        }
        let Decoded { message: contract, issues, stopped, places } = decoded;
        let given = Self { name, contract, text, places, issues };
        if stopped {
            return Err(given.failure("not-a-contract", given.first_error("it is not JSON of a contract")));
        }
        if !matches!(given.contract.version.as_str(), "v0" | "v1") {
            let found = format!("unsupported version: {:?}", given.contract.version);
            return Err(given.failure("unsupported-version", found));
        }
        Ok(given)
    }

    /// Whether a node can be made of it: what no node can do without is there.
    pub(crate) fn suffices(&self, screen: &Screen) -> Result<(), Failure> {
        let missing = missing_essentials(&self.contract);
        for issue in &missing {
            screen.remark(&self.name, &self.placed(issue.clone()), Severity::Error);
        }
        if missing.is_empty() {
            return Ok(());
        }
        let missing: Vec<&str> = missing.iter().map(|issue| issue.message.as_str()).collect();
        Err(self.failure("contract-incomplete", missing.join("; ")))
    }

    /// What of the text is not in the contract, in one line; `None` where all of it is.
    pub(crate) fn lost(&self) -> Option<String> {
        let matters = self.issues.iter().filter(|issue| issue.severity > Severity::Note);
        let mut text = matters
            .map(|issue| format!("{}: {} [{}]", issue.path, issue.message, issue.reason))
            .collect::<Vec<_>>()
            .join("; ");
        text.truncate(text.floor_char_boundary(MOST_BYTES));
        (!text.is_empty()).then_some(text)
    }

    /// Says which fields stand in the way, each at its place.
    pub(crate) fn refused(&self, reason: &'static str, fields: &[Obstacle], screen: &Screen) -> Failure {
        let mut by_message: Vec<(&str, Vec<&str>)> = Vec::new();
        for Obstacle { path, message, hint } in fields {
            let issue = Issue {
                path: path.clone(),
                offset: 0,
                line: 1,
                column: 1,
                severity: Severity::Error,
                reason,
                message: message.clone(),
                hint: hint.clone(),
            };
            screen.remark(&self.name, &self.placed(issue), Severity::Error);
            match by_message.iter_mut().find(|(known, _)| known == message) {
                Some((_, paths)) => paths.push(path),
                None => by_message.push((message, vec![path])),
            }
        }
        let found: Vec<String> =
            by_message.iter().map(|(message, paths)| format!("{}: {message}", paths.join(", "))).collect();
        Failure::input(reason, format!("cannot provision {} natively", self.name), found.join("; "))
    }

    fn failure(&self, reason: &'static str, found: String) -> Failure {
        Failure::input(reason, format!("cannot use {}", self.name), found).with_hint(format!(
            "slipway config validate {} lists everything that is wrong with it",
            self.name
        ))
    }

    fn first_error(&self, otherwise: &str) -> String {
        let error = self.issues.iter().find(|issue| issue.severity == Severity::Error);
        error.map_or(otherwise.to_owned(), |issue| {
            format!("line {}:{}: {}", issue.line, issue.column, issue.message)
        })
    }

    /// An issue with the line and column of its field, or of the nearest message around it.
    fn placed(&self, mut issue: Issue) -> Issue {
        let mut path = issue.path.as_str();
        let offset = loop {
            match (self.places.get(path), path.rfind(['.', '['])) {
                (Some(offset), _) => break *offset,
                (None, Some(end)) => path = &path[..end],
                (None, None) => break 0,
            }
        };
        let before = String::from_utf8_lossy(self.text.get(..offset).unwrap_or_default());
        issue.line = 1 + before.matches('\n').count();
        issue.column = 1 + before.rsplit('\n').next().map_or(0, |line| line.chars().count());
        issue
    }
}
