use crate::attempt::{Attempt, StepReport};

/// Whoever wants to know how it goes. Called from the threads that do the work, so it must be quick.
pub trait Watcher: Sync {
    /// Something happened.
    fn saw(&self, event: &Event<'_>);
}

/// What happens in an attempt or a reset.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// An attempt began.
    AttemptBegan {
        /// Its name in the journal.
        id: &'a str,
        /// How many steps it will take.
        steps: usize,
    },
    /// A step began.
    StepBegan {
        /// Its name.
        step: &'static str,
        /// What it does, in a few words.
        title: &'static str,
    },
    /// An operation changed something.
    Changed {
        /// Its step.
        step: &'static str,
        /// What it is about.
        what: &'a str,
    },
    /// A step ended.
    StepEnded(&'a StepReport),
    /// An attempt ended.
    AttemptEnded(&'a Attempt),
    /// A reset undid something.
    Undone {
        /// What it is about.
        what: &'a str,
    },
}

/// Nobody wants to know.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn saw(&self, _event: &Event<'_>) {}
}
