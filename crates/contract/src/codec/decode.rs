//! Reading a message from JSON text: one decoder, two policies.

use std::collections::HashMap;

use super::decoder::Decoder;
use super::message::Message;
use crate::issue::{Issue, locate};

/// Keys that start like this are comments. Every reader of the contract ignores them.
pub const COMMENT: &str = "//";

/// What to do about a value that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Skip it, report it, keep everything else.
    Careful,
    /// Stop there and keep what was read so far, as the Go program does.
    Compatible,
}

/// Why a value was not read.
#[derive(Debug)]
pub enum Refused {
    /// Reading ended here; the reason is among the issues.
    Stopped,
    /// The value is not what the field takes. The reader stands behind it or at its opening bracket.
    Wrong(String),
}

/// A message as it was read, with everything there is to say about its text.
#[derive(Debug)]
pub struct Decoded<M> {
    /// What was understood.
    pub message: M,
    /// All issues, in the order of the text.
    pub issues: Vec<Issue>,
    /// Whether reading ended before the end of the text, so that what followed is not in the message.
    pub stopped: bool,
    /// Where each value that was read stands, by path; empty unless asked for.
    pub places: HashMap<String, usize>,
}

/// Reads a message.
pub fn decode<M: Message + Default>(text: &[u8], policy: Policy) -> Decoded<M> {
    run(text, policy, false)
}

/// Reads a message and remembers where each value stands.
pub fn decode_with_places<M: Message + Default>(text: &[u8], policy: Policy) -> Decoded<M> {
    run(text, policy, true)
}

fn run<M: Message + Default>(text: &[u8], policy: Policy, with_places: bool) -> Decoded<M> {
    let mut decoder = Decoder::new(text, policy, with_places);
    let mut message = M::default();
    let stopped = decoder.document(&mut message).is_err();
    let (mut issues, places) = decoder.finish(text.len());
    if stopped && policy == Policy::Compatible {
        // The first pass ended at the first error. What a reader should know about the rest comes from a
        // careful second pass; only what the message holds is the first one's.
        issues = run::<M>(text, Policy::Careful, false).issues;
    }
    locate(text, &mut issues);
    Decoded { message, issues, stopped, places }
}
