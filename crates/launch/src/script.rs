//! The script that a node is bootstrapped by: our own text around the variables.
//!
//! The image's scripts wait for what this one leaves behind: an end mark in the manifest, the events directory of an
//! extension that is not there in this mode, and exported variables.

use std::fmt::Write as _;

use slipway_model::Secret;

use crate::Fidelity;
use crate::variables::{Assignment, Quoting, Variable, Variables};

const WAIT: &str = r#"#!/bin/bash
# Brings up a Kubernetes node: hands its variables to the scripts of the node image.

# Waits until a script of the image is complete, which its last line says.
await_script() {
    for ((second = 0; second < 1200; second++)); do
        grep -qF EOF "$1" 2>/dev/null && return
        sleep 1
    done
    exit 100
}

echo '#EOF' >>/opt/azure/manifest.json
mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events
echo "$(date),$(hostname)" >/var/log/azure/cluster-provision-cse-output.log
await_script /opt/azure/containers/provision.sh
"#;

const START: &str = "nohup /bin/bash /opt/azure/containers/provision_start.sh\n";

/// A value that no shell variable can hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the variable {name} has a NUL character in it, which no script can hold; take it out of the request"
)]
pub struct Unwritable {
    /// The variable.
    pub name: String,
}

/// The whole script.
pub fn script(variables: &Variables<'_>, fidelity: Fidelity) -> Result<Secret<String>, Unwritable> {
    let assignments = variables.assignments();
    let mut text = String::with_capacity(WAIT.len() + START.len() + room(&assignments));
    text.push_str(WAIT);
    let mut rest = assignments.as_slice();
    if let ([depot, others @ ..], true) = (rest, variables.is_custom_cloud()) {
        let path = variables.get(Variable::InitAKSCustomCloudFilepath).value.text();
        let mut word = String::with_capacity(path.len() + 2);
        push_quoted(&mut word, "InitAKSCustomCloudFilepath", &path)?;
        let path = if word.is_empty() { "''".to_owned() } else { word };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "await_script {path}\nset -o allexport");
        write_line(&mut text, depot, fidelity)?;
        let _ = writeln!(text, "/bin/bash {path} >>/var/log/azure/cluster-provision.log 2>&1");
        rest = others;
    } else {
        text.push_str("set -o allexport\n");
    }
    for assignment in rest {
        write_line(&mut text, assignment, fidelity)?;
    }
    text.push_str(START);
    Ok(Secret::new(text))
}

/// The lines that set the variables, without the text around them.
pub fn assignment_block(variables: &Variables<'_>, fidelity: Fidelity) -> Result<Secret<String>, Unwritable> {
    let assignments = variables.assignments();
    let mut text = String::with_capacity(room(&assignments));
    for assignment in &assignments {
        write_line(&mut text, assignment, fidelity)?;
    }
    Ok(Secret::new(text))
}

/// What lines take, with some room for what stands around them: a text that has to move leaves a copy of itself behind.
fn room(lines: &[Assignment<'_>]) -> usize {
    1024 + lines.iter().map(|line| line.name.len() + line.value.len() + 4).sum::<usize>()
}

/// What a byte means to a shell.
mod meaning {
    /// Nothing but itself.
    pub(super) const PLAIN: u8 = 0;
    /// Something, outside of quotes.
    pub(super) const SPECIAL: u8 = 1;
    /// The end of a quoted text.
    pub(super) const QUOTE: u8 = 2;
    /// The end of everything.
    pub(super) const NUL: u8 = 4;

    /// The meaning of each byte.
    pub(super) static OF: [u8; 256] = {
        let mut of = [SPECIAL; 256];
        let mut byte = 0_u8;
        while byte < 128 {
            of[byte as usize] = match byte {
                0 => NUL,
                b'\'' => QUOTE | SPECIAL,
                // `-` to `:` are `-`, `.`, `/`, digits and `:`.
                b'A'..=b'Z' | b'a'..=b'z' | b'-'..=b':' | b'_' | b'+' | b'=' => PLAIN,
                _ => SPECIAL,
            };
            byte += 1;
        }
        of
    };

    /// The meanings of all bytes of a text together.
    pub(super) fn of_text(text: &str) -> u8 {
        text.bytes().fold(PLAIN, |meaning, byte| meaning | OF[usize::from(byte)])
    }
}

/// The peer escapes nothing; ours quotes what a shell would read as anything but itself.
fn write_line(text: &mut String, line: &Assignment<'_>, fidelity: Fidelity) -> Result<(), Unwritable> {
    text.push_str(&line.name);
    text.push('=');
    match (fidelity, line.quoting) {
        (Fidelity::Ours, _) => push_quoted(text, &line.name, &line.value)?,
        (Fidelity::Compat, Quoting::Quoted) => text.extend(["\"", &line.value, "\""]),
        (Fidelity::Compat, Quoting::Bare) => text.push_str(&line.value),
    }
    text.push('\n');
    Ok(())
}

/// Writes the value of a variable as one word of the shell; an empty one is nothing. Between single quotes nothing has a
/// meaning but the quote itself.
fn push_quoted(text: &mut String, name: &str, value: &str) -> Result<(), Unwritable> {
    let meaning = meaning::of_text(value);
    if meaning & meaning::NUL != 0 {
        return Err(Unwritable { name: name.to_owned() });
    }
    if meaning == meaning::PLAIN {
        text.push_str(value);
        return Ok(());
    }
    text.push('\'');
    if meaning & meaning::QUOTE == 0 {
        text.push_str(value);
    } else {
        for (at, part) in value.split('\'').enumerate() {
            text.push_str(if at > 0 { r"'\''" } else { "" });
            text.push_str(part);
        }
    }
    text.push('\'');
    Ok(())
}
