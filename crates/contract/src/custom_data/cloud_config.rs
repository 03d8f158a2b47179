//! The `write_files` form of cloud-config, written as JSON, which YAML includes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{Bring, DIRECTORY, FileText, Files, script};
use crate::codec::string;

/// The document. cloud-init writes a file first and sets its mode afterwards, so each file is made empty with
/// its mode before it gets its content: a file that exists keeps its mode while it is written.
pub(super) fn document(files: &Files, bring: Option<&Bring>) -> Vec<u8> {
    let mut entries = Vec::new();
    for FileText { name, content, plain } in files.each() {
        let file = format!("\"path\": \"{DIRECTORY}/{name}\", \"permissions\": \"0600\"");
        entries.push(format!("{{{file}}}"));
        // YAML does not put surrogate pairs together, so a text that is not plain cannot be escaped either.
        let content = if plain {
            format!("\"content\": {}", string(content))
        } else {
            format!("\"encoding\": \"b64\", \"content\": \"{}\"", BASE64_STANDARD.encode(content))
        };
        entries.push(format!("{{{file}, {content}}}"));
    }
    let start = string(&script::start(bring));
    format!(
        "#cloud-config\n{{\"write_files\": [\n{}\n],\n\"runcmd\": [[\"bash\", \"-c\", {start}]]}}\n",
        entries.join(",\n")
    )
    .into_bytes()
}
