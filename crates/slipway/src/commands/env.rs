//! `slipway config env`: what the image's scripts are told.

use std::borrow::Cow;
use std::collections::BTreeMap;

use slipway_contract::codec::Policy;
use slipway_model::{Facts, Mode};
use slipway_scripts::variables;

use super::config::understood;
use crate::Outcome;
use crate::cli::{Env, EnvOutput};
use crate::failure::Failure;
use crate::files;
use crate::native::knowledge;
use crate::screen::Screen;

pub(crate) fn print(arguments: &Env, screen: &mut Screen) -> Result<Outcome, Failure> {
    let (policy, mode) =
        if arguments.compat { (Policy::Compatible, Mode::Compat) } else { (Policy::Careful, Mode::Ours) };
    let contract = understood(&files::read(&arguments.file)?, policy, screen)?;
    let facts = match &arguments.facts {
        Some(path) => knowledge::parsed(path)?,
        None => Facts::default(),
    };
    let variables = variables(&contract, &facts, mode).map_err(|error| {
        Failure::input(error.refusal.reason(), "cannot derive the variables", error)
            .with_hint("slipway config validate lists everything that is wrong with a contract")
    })?;
    for notice in &variables.notices {
        screen.warning(format_args!("{}: {}", notice.variable, notice.message));
    }
    let reveal = arguments.compat || arguments.show_secrets;
    let values: BTreeMap<&str, Cow<'_, str>> = variables
        .iter()
        .map(|value| (value.name(), if reveal { Cow::Borrowed(value.reveal()) } else { value.shown() }))
        .collect();
    match arguments.output {
        EnvOutput::Json => screen.json(&values),
        EnvOutput::Env => {
            for (name, value) in &values {
                screen.line(format_args!("{name}={}", quoted(value)));
            }
        }
    }
    Ok(Outcome::Done)
}

/// A value as a shell reads it back.
pub(super) fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}
