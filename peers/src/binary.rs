//! The program as it is shipped.

use std::path::PathBuf;

use slipway_lab::{Progress, product};

/// The build that `SLIPWAY` names, or this source's release build, brought up to date.
pub fn slipway() -> PathBuf {
    product::provide(Progress::silent()).expect("slipway does not build")
}

/// The same on a host where one thing goes wrong: the build that `SLIPWAY_FAULTY` names, or this source's.
pub fn faulty() -> PathBuf {
    product::build("slipway-faulty", "SLIPWAY_FAULTY", Progress::silent())
        .expect("slipway-faulty does not build")
}
