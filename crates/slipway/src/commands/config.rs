//! `slipway config`: contracts, checked, shown and compared.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde::Serialize;
use serde_json::value::RawValue;
use slipway_contract::codec::{Decoded, Options, Policy, Secrets, decode, encode};
use slipway_contract::{Change, Contract, Issue, Severity};
use slipway_host::unix_seconds;

use super::{env, new};
use crate::Outcome;
use crate::cli::{Config, Diff, Output, Show, Validate};
use crate::failure::Failure;
use crate::files::{self, Input};
use crate::screen::Screen;

/// The contract's JSON Schema, generated from the same tables as the codec; compressed by the build.
const SCHEMA: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schema.json.gz"));

/// Reasons that `--strict` turns into errors.
const STRICT: &[&str] = &["unknown-field", "unknown-enum-value"];

pub(crate) fn run(command: &Config, screen: &mut Screen) -> Result<Outcome, Failure> {
    match command {
        Config::Validate(arguments) => validate(arguments, screen),
        Config::Show(arguments) => show(arguments, screen),
        Config::Diff(arguments) => diff(arguments, screen),
        Config::Schema => schema(screen),
        Config::New(arguments) => new::contract(arguments, screen),
        Config::Env(arguments) => env::print(arguments, screen),
    }
}

fn validate(arguments: &Validate, screen: &mut Screen) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    let issues = slipway_contract::validate(&input.text, unix_seconds());
    let severity = |issue: &Issue| {
        if arguments.strict && STRICT.contains(&issue.reason) { Severity::Error } else { issue.severity }
    };
    let count = |wanted| issues.iter().filter(|issue| severity(issue) == wanted).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    match arguments.output {
        Output::Text => {
            for issue in &issues {
                screen.issue(&input.name, issue, severity(issue));
            }
            let verdict = if errors == 0 { "valid" } else { "invalid" };
            let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
            screen.line(format_args!("{}: {verdict}, {errors}, {warnings}", input.name));
        }
        Output::Json => {
            let issues = issues.iter().map(|issue| IssueReport::new(issue, severity(issue))).collect();
            screen.json(&ValidationReport { valid: errors == 0, issues });
        }
    }
    Ok(if errors == 0 { Outcome::Done } else { Outcome::Negative })
}

fn show(arguments: &Show, screen: &mut Screen) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    let policy = if arguments.compat { Policy::Compatible } else { Policy::Careful };
    let contract = understood(&input, policy, screen)?;
    let options = shown(arguments.show_secrets);
    match arguments.output {
        Output::Json => screen.line(encode(&contract, options)),
        Output::Text => {
            for change in slipway_contract::diff(&Contract::default(), &contract, options) {
                screen.line(format_args!("{} = {}", change.path, change.after.unwrap_or_default()));
            }
        }
    }
    Ok(Outcome::Done)
}

fn diff(arguments: &Diff, screen: &mut Screen) -> Result<Outcome, Failure> {
    let before = understood(&files::read(&arguments.before)?, Policy::Careful, screen)?;
    let after = understood(&files::read(&arguments.after)?, Policy::Careful, screen)?;
    let changes = slipway_contract::diff(&before, &after, shown(arguments.show_secrets));
    let same = changes.is_empty();
    match arguments.output {
        Output::Text => {
            for change in &changes {
                for (sign, value) in [('-', &change.before), ('+', &change.after)] {
                    if let Some(value) = value {
                        screen.line(format_args!("{sign} {} = {value}", change.path));
                    }
                }
            }
        }
        Output::Json => {
            let changes = changes.iter().map(ChangeReport::new).collect::<Result<_, _>>();
            let changes =
                changes.map_err(|error| Failure::machine("output-unwritable", "cannot write JSON", error))?;
            screen.json(&DiffReport { same, changes });
        }
    }
    Ok(if same { Outcome::Done } else { Outcome::Different })
}

/// A contract as read, its issues remarked on; a failure where the careful policy stops.
pub(super) fn understood(input: &Input, policy: Policy, screen: &Screen) -> Result<Contract, Failure> {
    let decoded: Decoded<Contract> = decode(&input.text, policy);
    for issue in decoded.issues.iter().filter(|issue| issue.severity > Severity::Note) {
        screen.remark(&input.name, issue, issue.severity);
    }
    if !decoded.stopped || policy == Policy::Compatible {
        return Ok(decoded.message);
    }
    let found = "it is not JSON of a contract";
    Err(Failure::input("not-a-contract", format!("cannot read {}", input.name), found)
        .with_hint("mend the error above; --compat shows what the Go program would keep"))
}

pub(super) fn shown(show_secrets: bool) -> Options {
    Options { secrets: if show_secrets { Secrets::Reveal } else { Secrets::Mask }, ..Options::SHOWN }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn schema(screen: &mut Screen) -> Result<Outcome, Failure> {
    let mut schema = Vec::new();
    let unpacked = GzDecoder::new(SCHEMA).read_to_end(&mut schema);
    unpacked.map_err(|error| Failure::machine("unreadable-program", "unpack the schema", error))?;
    screen.raw(&schema);
    Ok(Outcome::Done)
}

/// What is wrong with a text, for programs.
#[derive(Serialize)]
pub(super) struct ValidationReport<'a> {
    valid: bool,
    issues: Vec<IssueReport<'a>>,
}

impl<'a> ValidationReport<'a> {
    /// Issues as they are.
    pub(super) fn new(valid: bool, issues: &'a [Issue]) -> Self {
        Self { valid, issues: issues.iter().map(|issue| IssueReport::new(issue, issue.severity)).collect() }
    }
}

#[derive(Serialize)]
pub(super) struct IssueReport<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    severity: String,
    reason: &'static str,
    message: &'a str,
    hint: Option<&'a str>,
}

impl<'a> IssueReport<'a> {
    pub(super) fn new(issue: &'a Issue, severity: Severity) -> Self {
        Self {
            path: &issue.path,
            line: issue.line,
            column: issue.column,
            severity: severity.to_string(),
            reason: issue.reason,
            message: &issue.message,
            hint: issue.hint.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct DiffReport<'a> {
    same: bool,
    changes: Vec<ChangeReport<'a>>,
}

#[derive(Serialize)]
struct ChangeReport<'a> {
    path: &'a str,
    before: Option<&'a RawValue>,
    after: Option<&'a RawValue>,
}

impl<'a> ChangeReport<'a> {
    fn new(change: &'a Change) -> serde_json::Result<Self> {
        let value = |text: &'a Option<String>| text.as_deref().map(serde_json::from_str).transpose();
        Ok(Self { path: &change.path, before: value(&change.before)?, after: value(&change.after)? })
    }
}
