//! What the decoder cannot know: whether a contract makes sense on a node.
//!
//! Comes in: a contract, the places of its values, and the time. Goes out: issues, each by a [`Rule`] that has
//! an entry in `docs/reference/rules.md`. There are two kinds of rules. *Shapes* look at one value and follow
//! the column `format` of the contract's table; *relations* look at several fields and are written by hand,
//! one file for each subject.

mod characters;
mod cloud;
mod credentials;
mod essentials;
mod findings;
mod flag_table;
mod flag_values;
mod flags;
mod gpu;
mod kubelet;
mod kubernetes;
mod labels;
mod localdns;
mod network;
mod os;
mod reference;
mod reservations;
mod runtime;
mod shapes;
mod structure;
mod unread;

use std::collections::HashMap;

pub use reference::reference;

use crate::{Contract, Issue, Severity};
use findings::Findings;

/// Something that a contract is held to.
#[derive(Debug)]
pub struct Rule {
    /// The name that issues carry as their reason; stable, and the anchor in the reference.
    pub id: &'static str,
    /// How bad it is when a contract breaks the rule.
    pub severity: Severity,
    /// What the rule asks for, in one sentence.
    pub summary: &'static str,
    /// Why it matters on a node.
    pub reason: &'static str,
    /// A fragment of a contract that the rule accepts.
    pub good: &'static str,
    /// A fragment of a contract that the rule reports; empty where no fragment of today's contract can.
    pub bad: &'static str,
}

/// Rules about one subject, with the function that applies them.
#[derive(Debug)]
pub struct Subject {
    /// The heading in the reference.
    pub title: &'static str,
    /// The rules, in the order of the reference.
    pub rules: &'static [&'static Rule],
    check: fn(&Contract, &mut Findings<'_>),
    scope: Scope,
}

/// What a subject's findings are about, which decides whether a half-read contract can have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Values that stand in the contract.
    Values,
    /// Also values that do not.
    Whole,
}

/// Declares the rules of a file, each once: as a static that findings refer to, and in the file's list.
macro_rules! rules {
    ($($name:ident: $severity:ident $id:literal,
       summary: $summary:literal, reason: $reason:literal, good: $good:expr, bad: $bad:expr;)*) => {
        $(pub(in $crate::rules) static $name: $crate::rules::Rule = $crate::rules::Rule {
            id: $id,
            severity: $crate::Severity::$severity,
            summary: $summary,
            reason: $reason,
            good: $good,
            bad: $bad,
        };)*
        pub(in $crate::rules) static RULES: &[&$crate::rules::Rule] = &[$(&$name),*];
    };
}
use rules;

const fn subject(
    title: &'static str,
    rules: &'static [&'static Rule],
    check: fn(&Contract, &mut Findings<'_>),
    scope: Scope,
) -> Subject {
    Subject { title, rules, check, scope }
}

/// Every rule, once, by subject.
pub static RULES: &[Subject] = &[
    subject("Structure", structure::RULES, structure::check, Scope::Values),
    subject("Essentials", essentials::RULES, essentials::check, Scope::Whole),
    subject("Numbers and words", shapes::bounds::RULES, shapes::check, Scope::Values),
    subject("Certificates and encoded texts", shapes::encoded::RULES, shapes::applied, Scope::Values),
    subject("Names and addresses", shapes::address::RULES, shapes::applied, Scope::Values),
    subject("Kubernetes values", shapes::kube::RULES, shapes::applied, Scope::Values),
    subject("Machine values", shapes::machine::RULES, shapes::applied, Scope::Values),
    subject("Characters", characters::RULES, characters::check, Scope::Values),
    subject("Credentials and identity", credentials::RULES, credentials::check, Scope::Whole),
    subject("Cloud", cloud::RULES, cloud::check, Scope::Whole),
    subject("Network", network::RULES, network::check, Scope::Whole),
    subject("Node-local DNS", localdns::RULES, localdns::check, Scope::Whole),
    subject("Container runtime", runtime::RULES, runtime::check, Scope::Whole),
    subject("Kubelet flags", flags::RULES, flags::check, Scope::Values),
    subject("Node labels", labels::RULES, labels::check, Scope::Values),
    subject("Kubelet configuration", kubelet::RULES, kubelet::check, Scope::Whole),
    subject("Eviction and reservations", reservations::RULES, reservations::check, Scope::Whole),
    subject("Operating system", os::RULES, os::check, Scope::Whole),
    subject("GPU", gpu::RULES, gpu::check, Scope::Whole),
    subject("Fields without effect", unread::RULES, unread::check, Scope::Values),
];

/// All rules, in the order of the reference.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(|subject| subject.rules.iter().copied())
}

/// What a contract means for a node: everything that is wrong or doubtful about its values.
///
/// `places` says where each value stands in the text, by path, and may be empty; `now` is in seconds since 1970.
pub fn check<S: std::hash::BuildHasher>(
    contract: &Contract,
    places: &HashMap<String, usize, S>,
    now: i64,
) -> Vec<Issue> {
    run(contract, &|path| places.get(path).copied(), now, |_| true)
}

/// The same for a contract that was not read to its end: only what is there is looked at.
pub(crate) fn check_values<S: std::hash::BuildHasher>(
    contract: &Contract,
    places: &HashMap<String, usize, S>,
    now: i64,
) -> Vec<Issue> {
    run(contract, &|path| places.get(path).copied(), now, |subject| subject.scope == Scope::Values)
}

fn run(
    contract: &Contract,
    places: &dyn Fn(&str) -> Option<usize>,
    now: i64,
    wanted: fn(&Subject) -> bool,
) -> Vec<Issue> {
    let mut findings = Findings::new(places, now);
    for subject in RULES.iter().filter(|subject| wanted(subject)) {
        (subject.check)(contract, &mut findings);
    }
    findings.finish()
}
