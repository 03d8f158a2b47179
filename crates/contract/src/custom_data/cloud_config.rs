//! The `write_files` form of cloud-config, written as JSON, which YAML includes.

use super::{Bring, DIRECTORY, Files, script};
use crate::codec::string;

/// The document. cloud-init writes a file first and sets its mode afterwards, so each file is made empty with
/// its mode before it gets its content: a file that exists keeps its mode while it is written.
pub(super) fn document(files: &Files, bring: Option<&Bring>) -> Vec<u8> {
    let mut entries = Vec::new();
    for (name, content) in files.each() {
        let file = format!("\"path\": \"{DIRECTORY}/{name}\", \"permissions\": \"0600\"");
        entries.push(format!("{{{file}}}"));
        entries.push(if content.is_ascii() {
            format!("{{{file}, \"content\": {}}}", string(content))
        } else {
            format!("{{{file}, \"encoding\": \"b64\", \"content\": \"{}\"}}", base64(content))
        });
    }
    let start = string(&script::start(bring));
    format!(
        "#cloud-config\n{{\"write_files\": [\n{}\n],\n\"runcmd\": [[\"bash\", \"-c\", {start}]]}}\n",
        entries.join(",\n")
    )
    .into_bytes()
}

fn base64(content: &str) -> String {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode(content)
}
