//! `slipway custom-data`: what a VM is created with, written and read.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use slipway_contract::codec::{Decoded, Policy, decode, encode};
use slipway_contract::custom_data::{self, Bring, Contents, File, Finding, Order, TooLarge, What};
use slipway_contract::{Contract, Severity};

use super::config::{IssueReport, shown};
use crate::Outcome;
use crate::cli::{CustomData, Encoding, Form, Output};
use crate::failure::Failure;
use crate::files::{self, Input};
use crate::screen::{Screen, printable};

pub(crate) fn run(arguments: &CustomData, screen: &mut Screen) -> Result<Outcome, Failure> {
    match (&arguments.decode, &arguments.file) {
        (Some(path), _) => inside(&files::read(path)?, arguments, screen),
        (None, Some(path)) => write(&files::read(path)?, arguments, screen),
        (None, None) => Err(Failure::input("no-file", "cannot write custom data", "no contract was named")),
    }
}

fn write(input: &Input, arguments: &CustomData, screen: &mut Screen) -> Result<Outcome, Failure> {
    let bring = match (&arguments.bring, &arguments.sha256) {
        (Some(url), Some(sha256)) => Some(
            Bring::parse(url, sha256)
                .map_err(|error| Failure::input("bad-bring", "cannot use --bring", error))?,
        ),
        _ => None,
    };
    let mut contract = readable(input, screen)?;
    contract.enabled_features.extend(arguments.feature.iter().cloned());
    let form = match arguments.format {
        Form::Boothook => custom_data::Form::Boothook,
        Form::Ignition => custom_data::Form::Ignition,
        Form::CloudConfig => custom_data::Form::CloudConfig,
        Form::Cse => {
            let text = arguments.encoding != Some(Encoding::Base64);
            screen.line(if text {
                custom_data::CSE.to_owned()
            } else {
                BASE64_STANDARD.encode(custom_data::CSE)
            });
            return Ok(Outcome::Done);
        }
    };
    let order = Order { contract: &contract, form, bring: bring.as_ref() };
    let made = custom_data::render(&order).map_err(|error| too_large(&input.name, &error))?;
    for warning in &made.warnings {
        screen.warning(warning);
    }
    match arguments.encoding {
        Some(Encoding::Text) => {
            if made.compressed && form != custom_data::Form::Ignition {
                screen.warning(
                    "the document is compressed to fit; what follows is gzip, which cloud-init unpacks",
                );
            }
            screen.raw(made.document.expose());
        }
        _ => screen.line(made.base64().expose()),
    }
    Ok(Outcome::Done)
}

/// A contract that loses nothing on its way to the node. What is odd about its meaning is worth a warning; values that
/// could not be read are a failure, because the node would go without them.
fn readable(input: &Input, screen: &Screen) -> Result<Contract, Failure> {
    let decoded: Decoded<Contract> = decode(&input.text, Policy::Careful);
    let lost = decoded.issues.iter().any(|issue| issue.severity == Severity::Error);
    let issues = if lost {
        decoded.issues
    } else {
        slipway_contract::validate(&input.text, slipway_host::unix_seconds())
    };
    for issue in issues.iter().filter(|issue| issue.severity > Severity::Note) {
        screen.remark(&input.name, issue, if lost { issue.severity } else { Severity::Warning });
    }
    if !lost {
        return Ok(decoded.message);
    }
    Err(Failure::input("not-a-contract", format!("cannot ship {}", input.name), "part of it cannot be read")
        .with_hint("mend the errors above"))
}

fn too_large(name: &str, error: &TooLarge) -> Failure {
    Failure::input("custom-data-too-large", format!("cannot ship {name}"), error)
        .with_hint("shorten the largest fields, or have the node fetch what they hold")
}

fn inside(input: &Input, arguments: &CustomData, screen: &mut Screen) -> Result<Outcome, Failure> {
    let contents = custom_data::read(&input.text)
        .map_err(|error| Failure::input("unreadable", format!("cannot decode {}", input.name), error))?;
    match arguments.output {
        Output::Text => {
            for finding in &contents.findings {
                describe(finding, arguments.show_secrets, screen);
            }
        }
        Output::Json => screen.json(&report(&contents, arguments.show_secrets)?),
    }
    for problem in &contents.problems {
        screen.warning(problem);
    }
    Ok(if contents.problems.is_empty() { Outcome::Done } else { Outcome::Negative })
}

fn describe(finding: &Finding, show_secrets: bool, screen: &mut Screen) {
    let place = match &finding.what {
        // The path is said anyway.
        What::File(file) => finding.place.trim_end_matches(&file.path).trim_end_matches(" > "),
        _ => &finding.place,
    };
    let place = if place.is_empty() { String::new() } else { format!("  ({place})") };
    match &finding.what {
        What::File(file) => {
            let mode = file.mode.map_or(String::new(), |mode| format!(", mode {mode:04o}"));
            let size = file.content.expose().len();
            screen.line(format_args!("file      {}{mode}, {size} bytes{place}", printable(&file.path)));
            if let Some(text) = content(file, show_secrets) {
                text.lines().for_each(|line| screen.line(format_args!("          {}", printable(line))));
            }
        }
        What::Contract(found) => {
            screen.line(format_args!("contract{place}"));
            let text = encode(&found.contract, shown(show_secrets));
            text.lines().for_each(|line| screen.line(format_args!("          {}", printable(line))));
            found.issues.iter().for_each(|issue| screen.issue("contract", issue, issue.severity));
        }
        What::Command(command) => {
            screen.line(format_args!("command   {}{place}", printable(&command.program)));
            for variable in &command.variables {
                let value = if show_secrets { variable.value.expose() } else { variable.shown() };
                screen.line(format_args!("          {}={}", printable(&variable.name), printable(value)));
            }
        }
        What::Start(what) => screen.line(format_args!("starts    {}{place}", printable(what))),
        What::Download(download) => {
            let path =
                download.path.as_ref().map_or(String::new(), |path| format!(" to {}", printable(path)));
            let sha256 = download.sha256.as_deref().unwrap_or("unverified");
            screen.line(format_args!(
                "fetches   {}{path}, SHA-256 {}{place}",
                printable(&download.url),
                printable(sha256)
            ));
        }
    }
}

/// A file's text, if it may be seen. A contract's file is shown as a contract, with its secrets masked.
fn content(file: &File, show_secrets: bool) -> Option<&str> {
    (show_secrets || file.path.ends_with("/enabled_features.sh"))
        .then(|| std::str::from_utf8(file.content.expose()).ok())
        .flatten()
}

#[derive(Serialize)]
struct Report<'a> {
    findings: Vec<FindingReport<'a>>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct FindingReport<'a> {
    place: &'a str,
    #[serde(flatten)]
    what: WhatReport<'a>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum WhatReport<'a> {
    File { path: &'a str, mode: Option<String>, size: usize, content: Option<&'a str> },
    Command { program: &'a str, variables: serde_json::Map<String, serde_json::Value> },
    Contract { contract: serde_json::Value, issues: Vec<IssueReport<'a>> },
    Start { program: &'a str },
    Download { url: &'a str, sha256: Option<&'a str>, path: Option<&'a str> },
}

fn report(contents: &Contents, show_secrets: bool) -> Result<Report<'_>, Failure> {
    let findings = contents.findings.iter().map(|finding| {
        let what = match &finding.what {
            What::File(file) => WhatReport::File {
                path: &file.path,
                mode: file.mode.map(|mode| format!("{mode:04o}")),
                size: file.content.expose().len(),
                content: content(file, show_secrets),
            },
            What::Command(command) => {
                let variables = command.variables.iter().map(|variable| {
                    let value = if show_secrets { variable.value.expose() } else { variable.shown() };
                    (variable.name.clone(), value.into())
                });
                WhatReport::Command { program: &command.program, variables: variables.collect() }
            }
            What::Contract(found) => WhatReport::Contract {
                contract: serde_json::from_str(&encode(&found.contract, shown(show_secrets)))?,
                issues: found.issues.iter().map(|issue| IssueReport::new(issue, issue.severity)).collect(),
            },
            What::Start(program) => WhatReport::Start { program },
            What::Download(download) => WhatReport::Download {
                url: &download.url,
                sha256: download.sha256.as_deref(),
                path: download.path.as_deref(),
            },
        };
        Ok(FindingReport { place: &finding.place, what })
    });
    let findings = findings
        .collect::<serde_json::Result<_>>()
        .map_err(|error| Failure::machine("output-unwritable", "cannot write JSON", error))?;
    Ok(Report { findings, problems: contents.problems.iter().map(ToString::to_string).collect() })
}
