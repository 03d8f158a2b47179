use slipway_model::node::CloudProvider;

use super::{Fate, Refused};
use crate::Contract;

/// What becomes of the fields that this file reads.
pub(super) const FATES: &[(&str, Fate)] = &[];

pub(super) fn read(_contract: &Contract, _refused: &mut Vec<Refused>) -> CloudProvider {
    CloudProvider {}
}
