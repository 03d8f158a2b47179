//! A contract beside a pre-rendered command: do both set the same variables?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_host as host;
use slipway_model::Mode;
use slipway_timeline::{EventLevel, Record};

use crate::assignments::assignments;
use crate::contract::Given;
use crate::report::Report;

const TASK: &str = "CompareEnvs";

/// Variables that command files have for reasons of their own.
const EXEMPT: &[&str] = &[
    "CLOUD_INIT_STATUS_SCRIPT",
    "HYPERKUBE_URL",
    "MCR_REPOSITORY_BASE",
    "BLOCK_OUTBOUND_NETWORK",
    "REPO_DEPOT_ENDPOINT",
    "SKIP_WAAGENT_HOLD",
];

/// Reports how the two differ, by the names of variables and never by their values.
pub(crate) fn compare(contract: &Path, command: &Path, mode: Mode, report: &Report) {
    let start = host::now();
    report.log(&Record::info("ProvisionConfig and NBCCmd both provided, comparing envs"));
    let given = Given::read(contract, mode, report);
    let variables = match given.as_ref().map_err(Clone::clone).and_then(|given| given.variables(mode, report))
    {
        Ok(variables) => variables,
        Err(error) => {
            let record = Record::error("compareEnvs: failed to build cmd from provision config");
            report.log(&record.with("error", error));
            return;
        }
    };
    let text = match host::read(command) {
        Ok(text) => text,
        Err(error) => {
            let record = Record::error("compareEnvs: failed to read nbc-cmd");
            report.log(&record.with("error", host::os_text(&error)));
            return;
        }
    };
    let ours: BTreeMap<String, Vec<u8>> = variables
        .iter()
        .map(|value| (value.name().to_owned(), value.reveal().as_bytes().to_vec()))
        .filter(|(name, value)| {
            std::env::var_os(name).is_none_or(|set| set.as_encoded_bytes() != value.as_slice())
        })
        .collect();
    let differences = differences(&ours, &assignments(&text));
    if differences.is_empty() {
        report.log(&Record::info(
            "env compare: no differences found between provision-config and nbc-cmd env vars",
        ));
        let message = "env vars match between provision-config and nbc-cmd";
        report.event(TASK, EventLevel::Informational, message, &start);
    } else {
        let message = format!("env var differences ({}): {}", differences.len(), differences.join("; "));
        report.log(&Record::info(message.clone()));
        report.event(TASK, EventLevel::Informational, &message, &start);
    }
}

fn differences(contract: &BTreeMap<String, Vec<u8>>, command: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: BTreeSet<&String> = contract.keys().chain(command.keys()).collect();
    names
        .into_iter()
        .filter_map(|name| {
            let exempt = EXEMPT.contains(&name.as_str());
            match (contract.get(name), command.get(name)) {
                (Some(_), None) => Some(format!("only-in-pc: {name}")),
                (None, Some(_)) if !exempt => Some(format!("only-in-nbc: {name}")),
                (Some(ours), Some(theirs)) if !exempt && !equal(ours, theirs) => {
                    Some(format!("differs: {name}"))
                }
                _ => None,
            }
        })
        .collect()
}

/// Equal as written, equal without double quotes, or texts in base64 that say the same.
fn equal(ours: &[u8], theirs: &[u8]) -> bool {
    let unquoted = |value: &[u8]| value.iter().copied().filter(|byte| *byte != b'"').collect::<Vec<_>>();
    if ours == theirs || unquoted(ours) == unquoted(theirs) {
        return true;
    }
    let text = |value: &[u8]| String::from_utf8(BASE64_STANDARD.decode(value).ok()?).ok();
    match (text(ours), text(theirs)) {
        (Some(ours), Some(theirs)) => {
            statements(&ours) == statements(&theirs) || template(&ours) == template(&theirs)
        }
        _ => false,
    }
}

/// What a configuration text states: its lines without white space, comments and order, each with the section that it
/// stands in. Sysctl files, those of containerd and of a Corefile all read that way.
fn statements(text: &str) -> BTreeSet<String> {
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line: String = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        if line.starts_with('[') {
            section.clone_from(&line);
        }
        if !line.is_empty() {
            found.insert(format!("{section}{line}"));
        }
    }
    found
}

/// A template without white space and without the names of its own variables.
fn template(text: &str) -> String {
    let mut parts = text.split('$');
    let first = parts.next().unwrap_or_default().to_owned();
    let nameless = |part: &str| part.trim_start_matches(|letter: char| letter.is_alphanumeric()).to_owned();
    parts.fold(first, |all, part| format!("{all}${}", nameless(part))).split_whitespace().collect()
}
