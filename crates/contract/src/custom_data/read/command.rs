//! Command lines of the custom script extension: ours, and the older ones with a variable for every value.

use slipway_model::Secret;

use super::words::{Token, Variables, assignment, tokens};
use super::{Command, Place, Search, Variable, What};

/// Parts of names whose values must not be seen. A name that is masked without need costs a look into the
/// document; one that is shown costs a credential.
const SECRET_PARTS: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSW",
    "PRIVATE",
    "CREDENTIAL",
    "KEY",
    "SAS",
    "SIGNATURE",
    "CLIENT_CONTENT",
    "FILE_CONTENT",
    "PROXY",
    "CONNECTION_STRING",
];
/// Parts that look like those and are not.
const PUBLIC_PARTS: &[&str] = &["PUBLIC_KEY", "KEYVAULT", "KUBE_PROXY"];

/// What commands of AKS nodes mention.
const MARKS: &[&str] = &["/opt/azure/", "aks-node-controller", "provision_start.sh"];

/// Whether a text is a command that concerns a node.
pub(super) fn is_command(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

impl Search {
    /// Reads a command line.
    pub(super) fn command(&mut self, text: &str, place: &Place) {
        let mut variables = Vec::new();
        let mut program = Vec::new();
        // An assignment counts where a command starts; the last command is the one that matters.
        let mut starts = true;
        for token in tokens(text, &mut Variables::default()) {
            match token {
                Token::Operator(operator) => {
                    starts = !operator.contains(['<', '>']);
                    program.push(operator);
                }
                Token::Word(word) => {
                    if let Some((name, value)) = assignment(&word).filter(|_| starts) {
                        program.clear();
                        variables.push(variable(name, value));
                    } else {
                        starts = matches!(word.as_str(), "do" | "then" | "else" | "export" | "env");
                        program.push(word);
                    }
                }
            }
        }
        let program = program.join(" ");
        let program = shown(program.trim_matches(['\n', ' ', ';']));
        let line = Secret::new(text.to_owned());
        self.add(place, What::Command(Command { program, variables, line }));
    }
}

fn variable(name: &str, value: &str) -> Variable {
    Variable { name: name.to_owned(), value: Secret::from(value), secret: is_secret(name) }
}

fn is_secret(name: &str) -> bool {
    let mut name = name.to_ascii_uppercase().replace('-', "_");
    for part in PUBLIC_PARTS {
        name = name.replace(part, "");
    }
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// A command as it may be seen. Arguments of a command that is not known here may be anything.
fn shown(program: &str) -> String {
    if !is_command(program) {
        return match program.split_once(' ') {
            Some((first, _)) => format!("{first} …"),
            None => program.to_owned(),
        };
    }
    masked(program)
}

/// A command without the values whose names say that they are secret.
pub(super) fn masked(command: &str) -> String {
    let mask = Secret::<String>::MASK;
    let mut words: Vec<String> = Vec::new();
    let mut hidden = false;
    for word in command.split(' ') {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        words.push(match value {
            _ if hidden => mask.to_owned(),
            Some(_) if is_secret(name) => format!("{name}={mask}"),
            _ => word.to_owned(),
        });
        hidden = value.is_none() && name.starts_with('-') && is_secret(name);
    }
    words.join(" ")
}
