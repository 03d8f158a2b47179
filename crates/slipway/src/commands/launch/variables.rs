//! `slipway launch variables`: what the image's scripts are told, and where each value came from.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use slipway_contract::codec::mask_url;
use slipway_launch::variables::{Entry, LITERALS, Row, Secrecy, Variables};
use slipway_launch::{Bootstrapper as _, Source, VariablesScript};
use slipway_model::Secret;

use super::{fidelity, read, resolved, warn};
use crate::Outcome;
use crate::cli::{EnvOutput, LaunchVariables};
use crate::commands::env::quoted;
use crate::failure::Failure;
use crate::screen::{Screen, printable};

/// Variables that hold URLs, which may hold passwords.
const URLS: [&str; 2] = ["HTTP_PROXY_URLS", "HTTPS_PROXY_URLS"];

pub(crate) fn print(arguments: &LaunchVariables, screen: &mut Screen) -> Result<Outcome, Failure> {
    let fidelity = fidelity(arguments.compat);
    let request = read(&arguments.file, &arguments.live, screen)?;
    let node = resolved(&request, fidelity, screen)?;
    let refused = |error: &dyn std::fmt::Display| {
        Failure::input("no-variables", "cannot make the variables", error)
    };
    let payload = VariablesScript { fidelity }.payload(&node).map_err(|error| refused(&error))?;
    warn(&payload.findings, screen);
    let variables = slipway_launch::variables::variables(&node.bootstrap, fidelity)
        .map_err(|error| refused(&error))?;
    let shown = Shown { reveal: arguments.compat || arguments.show_secrets };
    if arguments.explain {
        let explained = shown.explained(&variables);
        match arguments.output.unwrap_or(EnvOutput::Json) {
            EnvOutput::Json => screen.json(&explained),
            EnvOutput::Env => explained.iter().for_each(|(name, why)| screen.line(why.line(name))),
        }
        return Ok(Outcome::Done);
    }
    let values = shown.values(&variables);
    match arguments.output.unwrap_or(EnvOutput::Env) {
        EnvOutput::Json => screen.json(&values),
        EnvOutput::Env => {
            values.iter().for_each(|(name, value)| screen.line(format_args!("{name}={}", quoted(value))));
        }
    }
    Ok(Outcome::Done)
}

/// A value, where it came from, and what it won over.
#[derive(Serialize)]
struct Explained<'v> {
    value: Cow<'v, str>,
    source: &'static str,
    overridden: Vec<Lost<'v>>,
}

#[derive(Serialize)]
struct Lost<'v> {
    value: Cow<'v, str>,
    source: &'static str,
}

impl Explained<'_> {
    /// A line that a shell reads, with the reason behind it.
    fn line(&self, name: &str) -> String {
        let lost: String = self
            .overridden
            .iter()
            .map(|lost| format!(", over {} ({})", printable(&lost.value), lost.source))
            .collect();
        format!("{name}={} # {}{lost}", quoted(&self.value), self.source)
    }
}

/// What may be seen.
#[derive(Clone, Copy)]
struct Shown {
    reveal: bool,
}

impl Shown {
    fn text<'v>(self, name: &str, secrecy: Secrecy, value: Cow<'v, str>) -> Cow<'v, str> {
        // That a secret is empty is no secret, and worth seeing.
        if self.reveal || value.is_empty() {
            value
        } else if secrecy == Secrecy::Secret {
            Cow::Borrowed(Secret::<String>::MASK)
        } else if URLS.contains(&name) {
            Cow::Owned(mask_url(&value))
        } else {
            value
        }
    }

    /// The variables by script name. One stands twice in the script, with the same value.
    fn values<'v>(self, variables: &'v Variables<'_>) -> BTreeMap<Cow<'static, str>, Cow<'v, str>> {
        let lines = variables.assignments().into_iter();
        lines
            .map(|line| {
                let value = self.text(&line.name, line.secrecy, Cow::Owned(line.value.into_owned()));
                (line.name, value)
            })
            .collect()
    }

    /// Every variable and its reason; the two that only steer the script go by their own names.
    fn explained<'v>(self, variables: &'v Variables<'_>) -> BTreeMap<Cow<'static, str>, Explained<'v>> {
        let mut explained: BTreeMap<_, _> = variables
            .iter()
            .map(|(row, entry)| {
                let name = if row.name.is_empty() { row.field } else { row.name };
                (Cow::Borrowed(name), self.why(row, entry))
            })
            .collect();
        for line in variables.assignments() {
            let source = if LITERALS.iter().any(|(name, ..)| *name == line.name) {
                Source::Fixed
            } else {
                Source::GlobalOptions
            };
            explained.entry(line.name.clone()).or_insert_with(|| Explained {
                value: self.text(&line.name, line.secrecy, Cow::Owned(line.value.into_owned())),
                source: source.as_str(),
                overridden: Vec::new(),
            });
        }
        explained
    }

    fn why<'v>(self, row: &'static Row, entry: &'v Entry<'_>) -> Explained<'v> {
        let text = |value| self.text(row.name, row.secrecy, value);
        Explained {
            value: text(entry.value.text()),
            source: entry.source.as_str(),
            overridden: entry
                .overridden
                .iter()
                .map(|lost| Lost { value: text(Cow::Borrowed(&lost.value)), source: lost.source.as_str() })
                .collect(),
        }
    }
}
