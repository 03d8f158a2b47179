//! The JSON of a machine, a scale set or an activity-log entry: payloads are members of known names, at any
//! depth, also in texts that are JSON themselves.

use super::{Place, ReadProblem, Search};
use crate::custom_data::tree::Tree;

/// What the text of a member is.
#[derive(Clone, Copy)]
enum Payload {
    /// A document.
    Document,
    /// A document if it can be read, otherwise something else that is nobody's concern.
    Perhaps,
    /// A command line.
    Command,
    /// JSON, or the same encrypted.
    Settings,
}

/// Members that carry something, in lower case and without separators.
const MEMBERS: &[(&str, Payload)] = &[
    ("customdata", Payload::Document),
    ("userdata", Payload::Document),
    ("commandtoexecute", Payload::Command),
    ("protectedsettings", Payload::Settings),
    ("script", Payload::Perhaps),
];

impl Search {
    /// Looks through a document's members.
    pub(super) fn resource(&mut self, tree: &Tree, place: &Place) {
        match tree {
            Tree::Object(members) => {
                for (name, value) in members {
                    let here = place.member(name);
                    match (payload(name), value) {
                        (Some(kind), Tree::Text(text)) => self.payload(kind, text, &here),
                        _ => self.resource(value, &here),
                    }
                }
            }
            Tree::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.resource(item, &place.element(index));
                }
            }
            Tree::Text(text) => self.escaped(text, place),
            _ => {}
        }
    }

    fn payload(&mut self, kind: Payload, text: &str, place: &Place) {
        if text.trim().is_empty() {
            return;
        }
        match kind {
            Payload::Document => {
                if let Err(error) = self.anything(text.as_bytes(), place) {
                    self.note(error);
                }
            }
            Payload::Perhaps => {
                let _ = self.anything(text.as_bytes(), place);
            }
            Payload::Command => self.command(text, place),
            Payload::Settings => {
                if !is_json(text) {
                    self.note(place.error(ReadProblem::Encrypted));
                }
                self.escaped(text, place);
            }
        }
    }

    /// Looks into a text that is a document of its own.
    fn escaped(&mut self, text: &str, place: &Place) {
        if !is_json(text) {
            return;
        }
        if self.depth == super::DEEPEST {
            self.note(place.error(ReadProblem::TooDeep));
            return;
        }
        self.depth += 1;
        if let Ok(tree) = Tree::from_json(text.as_bytes()) {
            self.resource(&tree, &place.document());
        }
        self.depth -= 1;
    }
}

fn payload(name: &str) -> Option<Payload> {
    const LONGEST: usize = 24;
    if name.len() > LONGEST {
        return None;
    }
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    MEMBERS.iter().find(|(known, _)| plain.eq_ignore_ascii_case(known)).map(|(_, payload)| *payload)
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
}
