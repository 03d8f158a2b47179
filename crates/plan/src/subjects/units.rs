//! Units in the states that several subjects want.

use slipway_model::Verb;

use crate::op::{Action, Unit};

/// A unit of the image runs now and after each boot; an image without it can do without.
pub(crate) fn image_unit(name: &str) -> Action {
    unit(name, Verb::Restart, true)
}

/// A unit that some images have runs neither now nor later.
pub(crate) fn stopped(name: &str) -> Action {
    unit(name, Verb::Stop, false)
}

/// A unit that some images have reads its configuration again.
pub(crate) fn reloaded(name: &str) -> Action {
    Action::Unit(Unit {
        name: name.to_owned(),
        verb: Some(Verb::Reload),
        enabled: None,
        wait: None,
        required: false,
    })
}

fn unit(name: &str, verb: Verb, enabled: bool) -> Action {
    Action::Unit(Unit {
        name: name.to_owned(),
        verb: Some(verb),
        enabled: Some(enabled),
        wait: None,
        required: false,
    })
}
