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
    let mut text = String::with_capacity(16 * 1024);
    text.push_str(WAIT);
    let assignments = variables.assignments();
    let mut rest = assignments.as_slice();
    if let ([depot, others @ ..], true) = (rest, variables.is_custom_cloud()) {
        let path = variables.get(Variable::InitAKSCustomCloudFilepath).value.text();
        check("InitAKSCustomCloudFilepath", &path)?;
        let path = quoted(&path);
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
    let mut text = String::with_capacity(12 * 1024);
    for assignment in variables.assignments() {
        write_line(&mut text, &assignment, fidelity)?;
    }
    Ok(Secret::new(text))
}

/// The peer escapes nothing; ours quotes what a shell would read as anything but itself.
fn write_line(text: &mut String, line: &Assignment<'_>, fidelity: Fidelity) -> Result<(), Unwritable> {
    text.push_str(&line.name);
    text.push('=');
    match (fidelity, line.quoting) {
        (Fidelity::Ours, _) => {
            check(&line.name, &line.value)?;
            push_quoted(text, &line.value);
        }
        (Fidelity::Compat, Quoting::Quoted) => text.extend(["\"", &line.value, "\""]),
        (Fidelity::Compat, Quoting::Bare) => text.push_str(&line.value),
    }
    text.push('\n');
    Ok(())
}

fn check(name: &str, value: &str) -> Result<(), Unwritable> {
    if value.contains('\0') { Err(Unwritable { name: name.to_owned() }) } else { Ok(()) }
}

fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    push_quoted(&mut text, value);
    if text.is_empty() { "''".to_owned() } else { text }
}

/// Writes a value as one word of the shell. Between single quotes nothing has a meaning but the quote itself.
fn push_quoted(text: &mut String, value: &str) {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b':' | b'-' | b'+' | b'=')
    };
    if value.bytes().all(plain) {
        text.push_str(value);
        return;
    }
    text.push('\'');
    for (at, part) in value.split('\'').enumerate() {
        if at > 0 {
            text.push_str(r"'\''");
        }
        text.push_str(part);
    }
    text.push('\'');
}
