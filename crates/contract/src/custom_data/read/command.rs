//! Command lines of the custom script extension: ours, and the older ones with a variable for every value.

use slipway_model::Secret;

use super::words::{Token, Variables, assignment, tokens};
use super::{Command, Place, Search, Variable, What};

/// Parts of names whose values must not be seen. A name that is masked without need costs a look into the
/// document; one that is shown costs a credential.
const SECRET_PARTS: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "PRIVATE",
    "CREDENTIAL",
    "KEY",
    "SAS",
    "SIG",
    "CLIENT_CONTENT",
    "FILE_CONTENT",
    "PROXY_URLS",
    "CONNECTION_STRING",
];
/// Parts that say the opposite.
const PUBLIC_PARTS: &[&str] = &["PUBLIC", "KEYVAULT"];

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
        let program = program.trim_matches(['\n', ' ', ';']);
        let program = if is_command(program) {
            program.to_owned()
        } else {
            match program.split_once(' ') {
                Some((first, _)) => format!("{first} …"),
                None => program.to_owned(),
            }
        };
        let line = Secret::new(text.to_owned());
        self.add(place, What::Command(Command { program, variables, line }));
    }
}

fn variable(name: &str, value: &str) -> Variable {
    let upper = name.to_ascii_uppercase();
    let has = |parts: &[&str]| parts.iter().any(|part| upper.contains(part));
    let secret = has(SECRET_PARTS) && !has(PUBLIC_PARTS);
    Variable { name: name.to_owned(), value: Secret::from(value), secret }
}
