//! Taints that a node registers with.

use crate::request::{NodeClaim, Taint};

/// The taint that keeps pods away until the launcher has seen the node.
const UNREGISTERED: (&str, &str) = ("karpenter.sh/unregistered", "NoExecute");

/// The taints of a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Taints {
    /// Those that the node keeps.
    pub general: Vec<Taint>,
    /// Those that something takes away when the node is ready for work.
    pub startup: Vec<Taint>,
}

impl Taints {
    /// The taints of a node claim, and the one that the launcher takes away.
    pub fn of(claim: &NodeClaim) -> Self {
        let mut taints = Self { general: claim.taints.clone(), startup: claim.startup_taints.clone() };
        if !taints.iter().any(|taint| (taint.key.as_str(), taint.effect.as_str()) == UNREGISTERED) {
            let (key, effect) = UNREGISTERED;
            taints.startup.push(Taint {
                key: key.to_owned(),
                value: String::new(),
                effect: effect.to_owned(),
            });
        }
        taints
    }

    /// All of them, in the order in which kubelet gets them.
    pub fn iter(&self) -> impl Iterator<Item = &Taint> {
        self.general.iter().chain(&self.startup)
    }
}

/// A taint as kubelet reads it.
pub fn taint_text(taint: &Taint) -> String {
    let Taint { key, value, effect } = taint;
    match (value.is_empty(), effect.is_empty()) {
        (true, true) => key.clone(),
        (true, false) => format!("{key}:{effect}"),
        (false, _) => format!("{key}={value}:{effect}"),
    }
}

/// Taints as kubelet's flag has them.
pub fn taint_texts<'t>(taints: impl Iterator<Item = &'t Taint>) -> String {
    taints.map(taint_text).collect::<Vec<_>>().join(",")
}
