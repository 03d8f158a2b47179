//! What can wait until the node is Ready.

use slipway_model::{Facts, Node};

use crate::draft::Draft;

pub(crate) fn steps(_node: &Node, _facts: &Facts, _draft: &mut Draft) {}
