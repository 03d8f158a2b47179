//! A file of JSON lines that only grows. A line that a crash cut short is no line, and the next one begins afresh.

use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use slipway_host::{Host, Writer};
use slipway_model::Attributes;

pub(crate) struct Lines {
    path: &'static Path,
    writer: Option<Box<dyn Writer>>,
    torn: bool,
}

impl Lines {
    /// The file, and what is in it.
    pub(crate) fn open<T: DeserializeOwned>(
        host: &dyn Host,
        path: &'static Path,
    ) -> io::Result<(Self, Vec<T>)> {
        let text = match host.read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            other => other?,
        };
        let torn = text.last().is_some_and(|last| *last != b'\n');
        let values = text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
        Ok((Self { path, writer: None, torn }, values.collect()))
    }

    pub(crate) fn append(&mut self, host: &dyn Host, value: &impl Serialize) -> io::Result<()> {
        let mut line = if self.torn { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut line, value)?;
        line.push(b'\n');
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(host.append(self.path, Attributes::root(0o600))?),
        };
        // Until all of it is there, whatever comes next must not continue it.
        self.torn = true;
        writer.write_all(&line)?;
        self.torn = false;
        Ok(())
    }

    /// Makes it survive a power cut.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.sync())
    }
}
