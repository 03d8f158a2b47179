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
    /// How they are applied; none where another subject's walk or the decoder does it.
    check: Option<fn(&Contract, &mut Findings<'_>)>,
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

/// A subject whose findings are about values that stand in the contract.
const fn about_values(
    title: &'static str,
    rules: &'static [&'static Rule],
    check: Option<fn(&Contract, &mut Findings<'_>)>,
) -> Subject {
    Subject { title, rules, check, scope: Scope::Values }
}

/// A subject whose findings are also about what is missing.
const fn about_whole(
    title: &'static str,
    rules: &'static [&'static Rule],
    check: fn(&Contract, &mut Findings<'_>),
) -> Subject {
    Subject { title, rules, check: Some(check), scope: Scope::Whole }
}

/// Every rule, once, by subject.
pub static RULES: &[Subject] = &[
    about_values("Structure", structure::RULES, None),
    about_whole("Essentials", essentials::RULES, essentials::check),
    // One walk serves the shapes of these five subjects.
    about_values("Numbers and words", shapes::bounds::RULES, Some(shapes::check)),
    about_values("Certificates and encoded texts", shapes::encoded::RULES, None),
    about_values("Names and addresses", shapes::address::RULES, None),
    about_values("Kubernetes values", shapes::kube::RULES, None),
    about_values("Machine values", shapes::machine::RULES, None),
    about_values("Characters", characters::RULES, Some(characters::check)),
    about_whole("Credentials and identity", credentials::RULES, credentials::check),
    about_whole("Cloud", cloud::RULES, cloud::check),
    about_whole("Network", network::RULES, network::check),
    about_whole("Node-local DNS", localdns::RULES, localdns::check),
    about_whole("Container runtime", runtime::RULES, runtime::check),
    about_values("Kubelet flags", flags::RULES, Some(flags::check)),
    about_values("Node labels", labels::RULES, Some(labels::check)),
    about_whole("Kubelet configuration", kubelet::RULES, kubelet::check),
    about_whole("Eviction and reservations", reservations::RULES, reservations::check),
    about_whole("Operating system", os::RULES, os::check),
    about_whole("GPU", gpu::RULES, gpu::check),
    about_values("Fields without effect", unread::RULES, Some(unread::check)),
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

/// What no node can join without, and this contract lacks: the errors of the essentials, without places.
pub fn missing_essentials(contract: &Contract) -> Vec<Issue> {
    let mut findings = Findings::new(&|_| None, 0);
    essentials::check(contract, &mut findings);
    let mut issues = findings.finish();
    issues.retain(|issue| issue.severity == Severity::Error);
    issues
}

fn run(
    contract: &Contract,
    places: &dyn Fn(&str) -> Option<usize>,
    now: i64,
    wanted: fn(&Subject) -> bool,
) -> Vec<Issue> {
    let mut findings = Findings::new(places, now);
    for subject in RULES.iter().filter(|subject| wanted(subject)) {
        if let Some(check) = subject.check {
            check(contract, &mut findings);
        }
    }
    findings.finish()
}
