//! The `slipwayd` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    slipwayd::run(std::env::args_os())
}
