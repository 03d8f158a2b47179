//! Slipway with the version that the recorded `aks-node-controller` was built with.

use std::process::ExitCode;

use slipway::Surroundings;

fn main() -> ExitCode {
    let around = Surroundings { version: "202601.15.0", ..Surroundings::real() };
    slipway::run_in(std::env::args_os(), &around)
}
