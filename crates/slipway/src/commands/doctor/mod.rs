//! `slipway doctor`: what keeps this machine from being a node, and what to do about it.

mod checks;
mod observed;

use slipway_flex::preflight::{CHECKS as PREFLIGHT, ON_EVERY_NODE, Severity, examine, worst};

use super::findings;
use crate::cli::{Doctor, Output};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

use checks::CHECKS;
use observed::Observed;

pub(crate) fn run(
    arguments: &Doctor,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let observed = Observed::gather(&*host, arguments, screen);
    let mut examined = examine(CHECKS, &observed);
    // On a machine of its owner's, whatever was asked before it joined counts on.
    let shared = if observed.is_own { PREFLIGHT } else { ON_EVERY_NODE };
    let counts = |id: &str| ON_EVERY_NODE.iter().any(|check| check.id == id);
    let shared = examine(shared, &observed.machine).into_iter();
    examined.extend(shared.filter(|one| one.seen || counts(one.id)));
    let healthy = worst(&examined).is_none_or(|worst| worst == Severity::Fine);
    match arguments.output {
        Output::Json => screen.json(&findings::document("healthy", healthy, &examined)),
        Output::Text => findings::text(&examined, screen),
    }
    Ok(if healthy { Outcome::Done } else { Outcome::Negative })
}
