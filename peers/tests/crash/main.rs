//! The real process over real contracts: killed at every operation, with every operation failing, undone from wherever
//! it came to. One process makes one change after the other, so that operations have the same numbers each time; samples
//! with many at once follow.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests make their own directories and processes"
)]
#![expect(clippy::unwrap_used, reason = "what is not as a test needs it fails the test")]

mod cases;
mod crash;
mod faults;
mod reset;
mod second_run;
mod site;
mod tree;
