//! What holds for every message of the contract, not only for the measured cases: round trips, names, presence,
//! newer and older schemas, what is reported, and what large inputs cost.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod issues;
mod names;
mod round_trip;
mod size;
mod tables;
mod versions;
