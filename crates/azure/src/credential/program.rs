use std::io;
use std::time::Duration;

use slipway_model::Secret;

/// How a program ended, with what it printed.
#[derive(Debug)]
pub struct ProgramEnd {
    /// Its exit code; `None` when it was killed or took too long.
    pub code: Option<i32>,
    /// What it printed, which may be a token.
    pub stdout: Secret<Vec<u8>>,
    /// What it complained.
    pub stderr: String,
}

/// One program of this machine that can be run with arguments. They are seen by everyone: no secrets in them.
pub trait RunProgram: Send + Sync {
    /// Runs it to its end, or kills it when its time is up.
    fn run(&self, arguments: &[&str], within: Duration) -> io::Result<ProgramEnd>;
}

impl<P: RunProgram + ?Sized> RunProgram for &P {
    fn run(&self, arguments: &[&str], within: Duration) -> io::Result<ProgramEnd> {
        (**self).run(arguments, within)
    }
}
