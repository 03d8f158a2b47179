//! The TSV tables, read into types.

use std::collections::HashSet;

pub(crate) struct Schema {
    pub(crate) messages: Vec<Message>,
    pub(crate) enums: Vec<Enum>,
}

pub(crate) struct Message {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) number: u32,
    pub(crate) kind: Kind,
    pub(crate) label: Label,
    pub(crate) json_name: String,
    pub(crate) sensitivity: String,
    pub(crate) format: String,
    pub(crate) meaning: String,
}

#[derive(Clone, PartialEq)]
pub(crate) enum Kind {
    /// A scalar, by its proto name.
    Scalar(String),
    Enum(String),
    Message(String),
}

#[derive(Clone, PartialEq)]
pub(crate) enum Label {
    Singular,
    Optional,
    Repeated,
    /// A member of the oneof with this name.
    Oneof(String),
    /// A map with keys of this scalar type.
    Map(String),
}

pub(crate) struct Enum {
    pub(crate) name: String,
    pub(crate) values: Vec<(String, i32)>,
}

/// Keys that older contracts had, by message. Their numbers and names are reserved.
pub(crate) const RETIRED: &[(&str, &[&str])] = &[
    ("Configuration", &["teleport_config", "teleportConfig"]),
    (
        "BootstrappingConfig",
        &[
            "custom_aad_resource",
            "customAadResource",
            "custom_aad_client_id",
            "customAadClientId",
            "secure_tls_bootstrapping_deadline",
            "secureTlsBootstrappingDeadline",
        ],
    ),
];

const SCALARS: &[&str] =
    &["bool", "int32", "int64", "uint32", "uint64", "float", "double", "string", "bytes"];

/// A field's bit in the decoder's set of seen fields has to exist.
const MOST_FIELDS: usize = 64;

impl Schema {
    /// Reads a table of fields and a table of enum values; each is given with its file name.
    pub(crate) fn parse(fields: (&str, &str), enums: (&str, &str)) -> Result<Self, String> {
        let mut schema = Self { messages: Vec::new(), enums: Vec::new() };
        for (place, cells) in rows(enums) {
            let [name, value, number] = cells[..] else { return Err(format!("{place}: 3 columns expected")) };
            let number = number.parse().map_err(|_| format!("{place}: {number} is not a number"))?;
            if schema.enums.last().is_none_or(|last| last.name != name) {
                schema.enums.push(Enum { name: name.to_owned(), values: Vec::new() });
            }
            schema.enums.last_mut().into_iter().for_each(|last| last.values.push((value.to_owned(), number)));
        }
        let message_names: HashSet<&str> =
            rows(fields).filter_map(|(_, cells)| cells.first().copied()).collect();
        for (place, cells) in rows(fields) {
            let [message, name, number, kind, label, json_name, sensitivity, format, meaning] = cells[..]
            else {
                return Err(format!("{place}: 9 columns expected"));
            };
            let (key, value) = match kind.strip_prefix("map<").and_then(|inner| inner.strip_suffix('>')) {
                Some(inner) => {
                    let (key, value) =
                        inner.split_once(',').ok_or(format!("{place}: {kind} is not a map"))?;
                    (Some(key), value)
                }
                None => (None, kind),
            };
            let label = match (label, key) {
                ("map", Some(key)) => Label::Map(key.to_owned()),
                ("singular", None) => Label::Singular,
                ("optional", None) => Label::Optional,
                ("repeated", None) => Label::Repeated,
                (other, None) if other.starts_with("oneof:") => {
                    Label::Oneof(other["oneof:".len()..].to_owned())
                }
                _ => return Err(format!("{place}: label {label} does not fit type {kind}")),
            };
            let kind = match value {
                scalar if SCALARS.contains(&scalar) => Kind::Scalar(scalar.to_owned()),
                name if schema.enums.iter().any(|known| known.name == name) => Kind::Enum(name.to_owned()),
                name if message_names.contains(name) => Kind::Message(name.to_owned()),
                other => return Err(format!("{place}: type {other} is not known")),
            };
            if schema.messages.last().is_none_or(|last| last.name != message) {
                schema.messages.push(Message { name: message.to_owned(), fields: Vec::new() });
            }
            let Some(last) = schema.messages.last_mut() else { continue };
            last.fields.push(Field {
                name: name.to_owned(),
                number: number.parse().map_err(|_| format!("{place}: {number} is not a number"))?,
                kind,
                label,
                json_name: json_name.to_owned(),
                sensitivity: sensitivity.to_owned(),
                format: format.to_owned(),
                meaning: meaning.to_owned(),
            });
            if last.fields.len() > MOST_FIELDS {
                return Err(format!("{place}: {message} has more than {MOST_FIELDS} fields"));
            }
        }
        Ok(schema)
    }

    /// Whether a message can hold itself, directly or further down.
    pub(crate) fn is_recursive(&self, name: &str) -> bool {
        let mut reached = HashSet::new();
        let mut open = vec![name];
        while let Some(message) = open.pop() {
            for field in self.messages.iter().filter(|known| known.name == message).flat_map(|m| &m.fields) {
                match &field.kind {
                    Kind::Message(inner) if inner == name => return true,
                    Kind::Message(inner) if reached.insert(inner.as_str()) => open.push(inner),
                    _ => {}
                }
            }
        }
        false
    }

    pub(crate) fn enum_named(&self, name: &str) -> Option<&Enum> {
        self.enums.iter().find(|known| known.name == name)
    }
}

/// The rows of a table below its header, each with its place.
fn rows<'t>((file, text): (&'t str, &'t str)) -> impl Iterator<Item = (String, Vec<&'t str>)> {
    text.lines()
        .enumerate()
        .skip(1)
        .map(move |(index, line)| (format!("{file}:{}", index + 1), line.split('\t').collect()))
}
