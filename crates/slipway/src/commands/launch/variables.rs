//! `slipway launch variables`: what the image's scripts are told, and where each value came from.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use slipway_contract::codec::mask_url;
use slipway_launch::variables::{Explanation, Secrecy, Variables};
use slipway_launch::{Bootstrapper as _, VariablesScript};
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
    let refused =
        |error: &dyn std::fmt::Display| Failure::input("no-variables", "cannot make the variables", error);
    let payload = VariablesScript { fidelity }.payload(&node).map_err(|error| refused(&error))?;
    warn(&payload.findings, screen);
    let variables =
        slipway_launch::variables::variables(&node.bootstrap, fidelity).map_err(|error| refused(&error))?;
    let reveal = arguments.compat || arguments.show_secrets;
    if arguments.explain {
        let explained = explained(&variables, reveal);
        match arguments.output.unwrap_or(EnvOutput::Json) {
            EnvOutput::Json => screen.json(&explained),
            EnvOutput::Env => explained.values().for_each(|why| screen.line(line(why))),
        }
        return Ok(Outcome::Done);
    }
    let values = values(&variables, reveal);
    match arguments.output.unwrap_or(EnvOutput::Env) {
        EnvOutput::Json => screen.json(&values),
        EnvOutput::Env => {
            for (name, value) in &values {
                screen.line(format_args!("{name}={}", quoted(value)));
            }
        }
    }
    Ok(Outcome::Done)
}

/// A line that a shell reads, with the reason behind it.
fn line(why: &Explanation) -> String {
    let mut line = format!("{}={} # {}", why.name, quoted(&why.value), why.source);
    for lost in &why.overridden {
        // Writing to a string cannot fail.
        let _ = write!(line, ", over {} ({})", printable(&lost.value), lost.source);
    }
    line
}

/// Every variable and its reason, by name.
fn explained(variables: &Variables<'_>, reveal: bool) -> BTreeMap<&'static str, Explanation> {
    let mut explained: BTreeMap<_, _> =
        variables.explain(reveal).into_iter().map(|why| (why.name, why)).collect();
    for why in URLS.iter().filter(|_| !reveal).filter_map(|name| explained.remove(name)).collect::<Vec<_>>() {
        explained.insert(why.name, Explanation { value: mask_url(&why.value), ..why });
    }
    explained
}

/// The variables by script name. One stands twice in the script, with the same value.
fn values(variables: &Variables<'_>, reveal: bool) -> BTreeMap<Cow<'static, str>, String> {
    let shown = |name: &str, secrecy, value: &str| match secrecy {
        // That a secret is empty is no secret, and worth seeing.
        _ if reveal || value.is_empty() => value.to_owned(),
        Secrecy::Secret => Secret::<String>::MASK.to_owned(),
        Secrecy::Open if URLS.contains(&name) => mask_url(value),
        Secrecy::Open => value.to_owned(),
    };
    let lines = variables.assignments().into_iter();
    lines
        .map(|line| {
            let value = shown(&line.name, line.secrecy, &line.value);
            (line.name, value)
        })
        .collect()
}
