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
    let gathered = knowledge::gathered(&*host);
    for problem in &gathered.problems {
        screen.warning(format_args!("{} is unknown: {}", problem.fact.key(), problem.reason));
    }
    screen.json(&gathered.facts);
    Ok(Outcome::Done)
}
