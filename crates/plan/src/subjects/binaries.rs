//! Which kubelet and kubectl run: from the image's cache or from an artifact.

use slipway_model::{Facts, Node};

use crate::draft::Draft;

pub(crate) fn steps(_node: &Node, _facts: &Facts, _draft: &mut Draft) {}
