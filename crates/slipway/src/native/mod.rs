//! What the commands of native provisioning share: the contract as given, facts, the plan, and words for it.

pub(crate) mod given;
pub(crate) mod knowledge;
pub(crate) mod planned;
pub(crate) mod words;
