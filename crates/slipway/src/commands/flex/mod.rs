//! `slipway flex`: machines from anywhere.

mod arrival;
mod bundle;
mod config;
mod credential;
mod given;
mod goal;
mod identity;
mod images;
mod init;
mod join;
mod kept;
mod leave;
mod marks;
mod notes;
mod onboarding;
mod operator;
mod outward;
mod preflight;
mod readiness;
mod registration;
mod settled;
mod status;
mod stock;
mod store;
mod token;
mod tokens;
mod upgrade;

use std::path::Path;
use std::time::Duration;

use slipway_facts::{Fact, gather};
use slipway_host::Host;

use crate::cli::Flex;
use crate::failure::Failure;
use crate::native::knowledge;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(crate) fn run(
    command: &Flex,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    match command {
        Flex::Init(arguments) => init::write(arguments, around, screen),
        Flex::Config(arguments) => config::print(arguments, around, screen),
        Flex::Preflight(arguments) => preflight::run(arguments, around, screen),
        Flex::Join(arguments) => join::run(arguments, around, screen),
        Flex::Upgrade(arguments) => upgrade::run(arguments, around, screen),
        Flex::Goal(arguments) => goal::run(arguments, around, screen),
        Flex::Leave(arguments) => leave::run(arguments, around, screen),
        Flex::Status(arguments) => status::print(arguments, around, screen),
        Flex::Token(arguments) => token::run(arguments, around, screen),
        Flex::Bundle(command) => bundle::run(command, screen),
    }
}

/// The machine's name, from a file of facts or from the machine; empty where nobody knows it.
fn hostname(facts: Option<&Path>, host: &dyn Host) -> Result<String, Failure> {
    let facts = match facts {
        Some(file) => knowledge::parsed(file)?,
        None => gather(host, &[Fact::Hostname], None, Duration::from_secs(1)).facts,
    };
    Ok(facts.hostname.unwrap_or_default())
}
