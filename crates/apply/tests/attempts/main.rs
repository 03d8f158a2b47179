//! Attempts over small plans: their order, their results, what they leave, and the way back.
#![expect(clippy::disallowed_methods, reason = "tests make their own directories and processes")]
#![expect(clippy::unwrap_used, reason = "what is not as a test needs it fails the test")]

mod certificates;
mod crash;
mod edits;
mod faults;
mod holdings;
mod images;
mod network;
mod order;

mod second_run;
mod site;
mod traces;
mod undoing;
mod units;
