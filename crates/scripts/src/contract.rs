//! From a contract file to the scripts' variables.

use std::path::Path;

use slipway_contract::codec::{Decoded, Policy, decode};
use slipway_contract::rules::missing_essentials;
use slipway_contract::{Contract, Issue, Severity};
use slipway_host::{self as host, Child, Exit};
use slipway_model::{Containerd, Facts, JsonText, Mode};
use slipway_timeline::{Record, text};

use crate::lost::Lost;
use crate::report::Report;
use crate::{Refusal, Variables, paths, variables};

/// What the Go program says when it goes on with part of a contract; operators search for it.
const PARTIAL: &str = "Unmarshalling aksNodeConfigv1 encounters error but the process will continue.This may be due to version mismatch. Usually it is newer aksNodeConfig being parsed by older aks-node-controller. Continuing with partial configuration, but unrecognized fields will be ignored.";

/// What the variables are derived from.
pub(crate) struct Given {
    contract: Contract,
    facts: Facts,
    /// What of the contract's text is not in the contract.
    pub(crate) lost: Lost,
}

impl Given {
    /// Reads a contract and looks at the machine.
    pub(crate) fn read(path: &Path, mode: Mode, report: &Report) -> Result<Self, String> {
        let shown = path.display();
        let bytes = host::read(path).map_err(|error| {
            format!("open provision file {shown}: open {shown}: {}", host::os_text(&error))
        })?;
        let (contract, lost) = match mode {
            Mode::Compat => (as_peer(&bytes, report), Lost::default()),
            Mode::Ours => carefully(&bytes, report)?,
        };
        match contract.version.as_str() {
            "v1" => {}
            "v0" => report.log(&Record::error("v0 version is deprecated, please use v1 instead")),
            other => return Err(format!("unsupported version: {other}")),
        }
        let facts =
            Facts { components: components(mode, report)?, containerd: containerd(), ..Facts::default() };
        Ok(Self { contract, facts, lost })
    }

    /// Derives the variables.
    pub(crate) fn variables(&self, mode: Mode, report: &Report) -> Result<Variables<'_>, String> {
        let variables =
            variables(&self.contract, &self.facts, mode).map_err(|error| match error.refusal {
                Refusal::Manifest(problem) => format!("failed to load GPU config: {problem}"),
                _ => error.to_string(),
            })?;
        for notice in &variables.notices {
            report.log(&Record::warn(notice.message.as_str()).with("variable", notice.variable));
        }
        Ok(variables)
    }
}

/// The contract as far as the Go program reads it.
fn as_peer(bytes: &[u8], report: &Report) -> Contract {
    let decoded: Decoded<Contract> = decode(bytes, Policy::Compatible);
    if decoded.stopped {
        let problem = decoded.issues.iter().find(|issue| issue.severity == Severity::Error).map(in_words);
        report.log(&Record::info(PARTIAL).with("error", problem.unwrap_or_default()));
    }
    decoded.message
}

/// The contract without the values that cannot be read, if a node can do without them.
fn carefully(bytes: &[u8], report: &Report) -> Result<(Contract, Lost), String> {
    let decoded: Decoded<Contract> = decode(bytes, Policy::Careful);
    for issue in decoded.issues.iter().filter(|issue| issue.severity > Severity::Note) {
        let record = if issue.severity == Severity::Error { Record::error } else { Record::warn };
        report.log(
            &record("contract")
                .with("path", issue.path.as_str())
                .with("reason", issue.reason)
                .with("error", in_words(issue)),
        );
    }
    let unread = decoded.issues.iter().find(|issue| issue.severity == Severity::Error).map(in_words);
    if decoded.stopped {
        return Err(format!("the contract cannot be read: {}", unread.unwrap_or_default()));
    }
    // What was never there is its author's business; what was there and is lost may be what the node needs.
    if let Some(unread) = unread {
        let missing: Vec<String> =
            missing_essentials(&decoded.message).into_iter().map(|issue| issue.message).collect();
        if !missing.is_empty() {
            return Err(format!(
                "the contract was read in part, and not enough of it: {}; {unread}",
                missing.join(", ")
            ));
        }
    }
    Ok((decoded.message, Lost::from_issues(&decoded.issues)))
}

fn in_words(issue: &Issue) -> String {
    format!("(line {}:{}): {}: {}", issue.line, issue.column, issue.path, issue.message)
}

/// The image's component manifest. The Go program cannot do without; a node without a GPU can.
fn components(mode: Mode, report: &Report) -> Result<Option<JsonText>, String> {
    let path = Path::new(paths::COMPONENTS);
    let problem = match host::read_text(path) {
        Ok(text) => return Ok(Some(JsonText(text))),
        Err(error) => format!("read {0}: open {0}: {1}", path.display(), host::os_text(&error)),
    };
    match mode {
        Mode::Compat => Err(format!("failed to load GPU config: {problem}")),
        Mode::Ours => {
            report.log(&Record::warn("no component manifest: GPU facts are unknown").with("error", problem));
            Ok(None)
        }
    }
}

/// The installed containerd, by its own word.
fn containerd() -> Containerd {
    match Child::new("containerd", ["--version"]).run() {
        Ok(ended) if ended.exit == Exit::Code(0) => text(&ended.stdout)
            .split_whitespace()
            .nth(2)
            .map_or(Containerd::Missing, |version| Containerd::Version(version.to_owned())),
        _ => Containerd::Missing,
    }
}
