//! `slipway facts`: what is known about this machine.

use crate::cli::FactsArguments;
use crate::failure::Failure;
use crate::native::knowledge;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(crate) fn print(
    arguments: &FactsArguments,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    screen.json(&knowledge::gathered(&*host));
    Ok(Outcome::Done)
}
