//! Network plugins: directories, kubenet's template, Azure CNI's configuration.

use slipway_model::{Facts, Node};

use crate::draft::Draft;

pub(crate) fn steps(_node: &Node, _facts: &Facts, _draft: &mut Draft) {}
