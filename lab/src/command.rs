//! Other programs: what they print belongs to the error when they fail.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::Error;

/// Running a command to its end.
pub(crate) trait Run {
    /// Gives what it printed, or fails with everything it said.
    fn printed(&mut self) -> Result<String, Error>;
    /// The same, with something to read.
    fn printed_from(&mut self, input: &[u8]) -> Result<String, Error>;
}

impl Run for Command {
    fn printed(&mut self) -> Result<String, Error> {
        let output = self.stdin(Stdio::null()).output().map_err(|source| not_started(self, source))?;
        judged(self, &output)
    }

    fn printed_from(&mut self, input: &[u8]) -> Result<String, Error> {
        let pipes = self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let spawned = pipes.spawn();
        let mut child = spawned.map_err(|source| not_started(self, source))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends before it has read everything says why by itself.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().map_err(|source| not_started(self, source))?;
        judged(self, &output)
    }
}

fn not_started(command: &Command, source: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), source }
}

fn judged(command: &Command, output: &Output) -> Result<String, Error> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let command = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let said = text(&output.stderr) + &text(&output.stdout);
    Err(Error::Failed { command, status: output.status, output: said })
}

/// Looks again and again, first often and then less so, until there is an answer.
pub(crate) fn eventually<T>(
    what: &str,
    longest: Duration,
    evidence: impl FnOnce() -> String,
    mut look: impl FnMut() -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if start.elapsed() > longest {
            return Err(Error::Late { what: what.to_owned(), waited: longest, evidence: evidence() });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
