//! The `slipway` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    slipway::run(std::env::args_os())
}
