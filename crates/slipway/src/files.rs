//! The edge where commands meet files: names on the command line become texts.

use std::io::Read as _;
use std::path::Path;

use crate::failure::Failure;

/// A file that the user named, with its text.
pub(crate) struct Input {
    /// How the file is called in messages.
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// Reads a file; `-` is standard input.
#[expect(clippy::disallowed_methods, reason = "this is the edge of the binary")]
pub(crate) fn read(path: &Path) -> Result<Input, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        return match std::io::stdin().lock().read_to_end(&mut text) {
            Ok(_) => Ok(Input { name: "standard input".to_owned(), text }),
            Err(error) => Err(Failure::machine("file-unreadable", "cannot read standard input", error)),
        };
    }
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => Err(Failure::input("file-unreadable", format!("cannot read {name}"), error)
            .with_hint("check the path and your permissions; - reads standard input")),
    }
}
