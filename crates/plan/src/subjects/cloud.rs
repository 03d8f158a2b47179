//! What Azure's agents on the node read: azure.json and a custom cloud's environment.

use slipway_model::{Facts, Node};

use crate::draft::Draft;

pub(crate) fn steps(_node: &Node, _facts: &Facts, _draft: &mut Draft) {}
