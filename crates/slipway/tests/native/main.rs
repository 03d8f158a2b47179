//! What a native run leaves on disk, for one contract of each kind.
//!
//! Every case of `contracts/` is a contract and a machine, written as the difference to `plain.json`. The real binary provisions
//! each below a root that holds what a golden image holds (`image.txt`); the whole tree is compared with a reviewed
//! snapshot, and what is inside the files with what the scripts are told for the same contract.
//! `citations.rs` says for every path which row of the scripts' specification it comes from.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the tests run the binary and fail by panicking"
)]

#[path = "../../../scripts/tests/variables/azure_keys.rs"]
mod azure_keys;
mod case;
mod citations;
#[path = "../../../scripts/tests/variables/meaning.rs"]
mod meaning;
mod refusals;
mod root;
mod tree;
mod trees;
mod variables;
