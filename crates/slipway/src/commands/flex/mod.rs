//! `slipway flex`: machines from anywhere.

mod bundle;
mod given;
mod join;
mod leave;
mod stock;

use crate::cli::Flex;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(crate) fn run(
    command: &Flex,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    match command {
        Flex::Join(arguments) => join::run(arguments, around, screen),
        Flex::Leave(arguments) => leave::run(arguments, around, screen),
        Flex::Bundle(command) => bundle::run(command, screen),
    }
}
