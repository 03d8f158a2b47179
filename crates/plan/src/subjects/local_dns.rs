//! The DNS server on the node.

use slipway_model::{Facts, Node};

use crate::draft::Draft;

pub(crate) fn steps(_node: &Node, _facts: &Facts, _draft: &mut Draft) {}
