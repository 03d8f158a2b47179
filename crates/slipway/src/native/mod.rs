//! What the commands of native provisioning share: the contract as given, facts, the plan, and words for it.

pub(crate) mod boot;
pub(crate) mod given;
pub(crate) mod knowledge;
pub(crate) mod lock;
pub(crate) mod outside;
pub(crate) mod planned;
pub(crate) mod progress;
pub(crate) mod publish;
pub(crate) mod words;
