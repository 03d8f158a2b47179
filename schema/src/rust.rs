//! Rust messages and the codec's tables.

use std::fmt::Write as _;

use crate::table::{Enum, Field, Kind, Label, Message, RETIRED, Schema};

const HEADER: &str = "\
// Generated from the tables in schema/ by `cargo schema`. Do not edit.

use std::collections::BTreeMap;

use CRATE::codec::{
    Bytes, Decoder, EnumTable, EnumValue, Field, Format, Kind, Label, Message, MessageTable, Refused, Secret,
    Sensitivity, View,
};

";

/// The whole file; `krate` is the path by which it reaches the codec.
pub(crate) fn messages(schema: &Schema, krate: &str) -> String {
    let mut out = HEADER.replace("CRATE", krate);
    for message in &schema.messages {
        structure(&mut out, schema, message);
        table(&mut out, message);
        implementation(&mut out, schema, message);
    }
    for known in &schema.enums {
        enumeration(&mut out, known, krate);
    }
    for (import, word) in [(" Bytes,", "Bytes"), (" Secret,", "Secret")] {
        // The list of imports stays minimal without an `allow` in generated code.
        if !out[HEADER.len()..].contains(&format!("{word}<"))
            && !out[HEADER.len()..].contains(&format!(": {word}"))
        {
            out = out.replacen(import, "", 1);
        }
    }
    out
}

fn structure(out: &mut String, schema: &Schema, message: &Message) {
    let _ = writeln!(out, "/// `{}`.\n#[derive(Debug, Clone, Default, PartialEq)]", message.name);
    let _ = writeln!(out, "pub struct {} {{", message.name);
    for field in &message.fields {
        let _ = writeln!(out, "    /// {}.", field.meaning.trim_end_matches('.'));
        let _ = writeln!(out, "    pub {}: {},", field.name, rust_type(schema, field));
    }
    out.push_str("}\n\n");
}

fn rust_type(schema: &Schema, field: &Field) -> String {
    let value = match &field.kind {
        Kind::Scalar(scalar) => match (scalar.as_str(), field.sensitivity.as_str()) {
            ("string", "secret") => "Secret<String>",
            (scalar, _) => scalar_type(scalar),
        }
        .to_owned(),
        Kind::Enum(name) | Kind::Message(name) => name.clone(),
    };
    match &field.label {
        Label::Repeated => format!("Vec<{value}>"),
        Label::Map(key) => format!("BTreeMap<{}, {value}>", scalar_type(key)),
        _ if is_boxed(schema, field) => format!("Option<Box<{value}>>"),
        Label::Singular if !matches!(field.kind, Kind::Message(_)) => value,
        _ => format!("Option<{value}>"),
    }
}

fn scalar_type(scalar: &str) -> &'static str {
    match scalar {
        "bool" => "bool",
        "int32" => "i32",
        "int64" => "i64",
        "uint32" => "u32",
        "uint64" => "u64",
        "float" => "f32",
        "double" => "f64",
        "bytes" => "Bytes",
        _ => "String",
    }
}

fn is_boxed(schema: &Schema, field: &Field) -> bool {
    matches!(&field.kind, Kind::Message(name) if schema.is_recursive(name))
        && !matches!(field.label, Label::Repeated | Label::Map(_))
}

fn table(out: &mut String, message: &Message) {
    let constant = screaming(&message.name);
    let _ = writeln!(out, "static {constant}: MessageTable = MessageTable {{");
    let _ = writeln!(out, "    name: {:?},\n    fields: &[", message.name);
    let mut oneofs: Vec<&str> = Vec::new();
    for field in &message.fields {
        let kind = match &field.kind {
            Kind::Scalar(scalar) => format!("Kind::{}", capitalised(scalar)),
            Kind::Enum(name) => format!("Kind::Enum({name}::TABLE)"),
            Kind::Message(name) => format!("Kind::Message(&{})", screaming(name)),
        };
        let label = match &field.label {
            Label::Singular => "Singular",
            Label::Optional | Label::Oneof(_) => "Optional",
            Label::Repeated => "Repeated",
            Label::Map(_) => "Map",
        };
        let oneof = match &field.label {
            Label::Oneof(name) => {
                let at = oneofs.iter().position(|known| known == name).unwrap_or_else(|| {
                    oneofs.push(name);
                    oneofs.len() - 1
                });
                format!("Some({at})")
            }
            _ => "None".to_owned(),
        };
        let sensitivity = match field.sensitivity.as_str() {
            "secret" => "Secret",
            "credentials" => "Credentials",
            _ => "Public",
        };
        let _ = writeln!(
            out,
            "        Field {{ name: {:?}, json_name: {:?}, kind: {kind}, label: Label::{label}, oneof: {oneof}, \
             sensitivity: Sensitivity::{sensitivity}, format: {} }},",
            field.name,
            field.json_name,
            format_literal(&field.format),
        );
    }
    let mut keys: Vec<(&str, usize)> = Vec::new();
    for (index, field) in message.fields.iter().enumerate() {
        keys.push((&field.name, index));
        keys.push((&field.json_name, index));
    }
    keys.sort_unstable();
    keys.dedup();
    let keys: Vec<String> = keys.iter().map(|(key, index)| format!("({key:?}, {index})")).collect();
    let retired = RETIRED.iter().find(|(name, _)| *name == message.name).map_or(&[][..], |(_, keys)| keys);
    let _ = writeln!(out, "    ],\n    keys: &[{}],\n    retired: &{retired:?},\n}};\n", keys.join(", "));
}

fn format_literal(format: &str) -> String {
    let bounds = |range: &str| {
        let (low, high) = range.split_once("..").unwrap_or((range, range));
        let high = if high.is_empty() { "i64::MAX" } else { high };
        format!("({low}, {high})")
    };
    match format.split_once(':') {
        None if format == "-" => "Format::Any".to_owned(),
        Some(("one-of", words)) => {
            format!("Format::OneOf(&{:?})", words.split('|').collect::<Vec<_>>())
        }
        Some(("range", range)) => format!("Format::Range{}", bounds(range)),
        Some(("sysctl", range)) => format!("Format::Sysctl{}", bounds(range)),
        _ => format!("Format::Named({format:?})"),
    }
}

fn implementation(out: &mut String, schema: &Schema, message: &Message) {
    let _ = writeln!(out, "impl Message for {} {{", message.name);
    let _ = writeln!(out, "    fn table(&self) -> &'static MessageTable {{ &{} }}", screaming(&message.name));
    out.push_str(
        "    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused> {\n",
    );
    out.push_str("        match index {\n");
    for (index, field) in message.fields.iter().enumerate() {
        let method = match &field.label {
            Label::Repeated => "list",
            Label::Map(_) => "map",
            _ if is_boxed(schema, field) => "boxed",
            Label::Singular if !matches!(field.kind, Kind::Message(_)) => "singular",
            _ => "optional",
        };
        let _ = writeln!(out, "            {index} => decoder.{method}(&mut self.{}),", field.name);
    }
    out.push_str("            _ => Ok(()),\n        }\n    }\n");
    out.push_str("    fn view(&self, index: usize) -> View<'_> {\n        match index {\n");
    for (index, field) in message.fields.iter().enumerate() {
        let view = match &field.label {
            Label::Repeated => format!("View::list(&self.{})", field.name),
            Label::Map(_) => format!("View::map(&self.{})", field.name),
            _ if is_boxed(schema, field) => format!("View::optional(self.{}.as_deref())", field.name),
            Label::Singular if !matches!(field.kind, Kind::Message(_)) => {
                format!("View::singular(&self.{})", field.name)
            }
            _ => format!("View::optional(self.{}.as_ref())", field.name),
        };
        let _ = writeln!(out, "            {index} => {view},");
    }
    out.push_str("            _ => View::Absent,\n        }\n    }\n}\n\n");
}

fn enumeration(out: &mut String, known: &Enum, krate: &str) {
    let prefix = format!("{}_", screaming(&known.name));
    let variants: Vec<(String, &str, i32)> = known
        .values
        .iter()
        .map(|(name, number)| (variant(name.strip_prefix(&prefix).unwrap_or(name)), name.as_str(), *number))
        .collect();
    let name = &known.name;
    let _ = writeln!(
        out,
        "/// `{name}`.\n#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]\npub enum {name} {{"
    );
    for (variant, proto, number) in &variants {
        let default = if *number == 0 { "    #[default]\n" } else { "" };
        let _ = writeln!(out, "    /// `{proto}`.\n{default}    {variant},");
    }
    out.push_str(
        "    /// A number that this version of the contract has no name for.\n    Unknown(i32),\n}\n\n",
    );
    let _ = writeln!(out, "impl EnumValue for {name} {{");
    let values: Vec<String> =
        variants.iter().map(|(_, proto, number)| format!("({proto:?}, {number})")).collect();
    let _ = writeln!(
        out,
        "    const TABLE: &'static EnumTable = &EnumTable {{ name: {name:?}, values: &[{}] }};",
        values.join(", ")
    );
    out.push_str("    fn from_number(number: i32) -> Self {\n        match number {\n");
    for (variant, _, number) in &variants {
        let _ = writeln!(out, "            {number} => Self::{variant},");
    }
    out.push_str("            other => Self::Unknown(other),\n        }\n    }\n");
    out.push_str("    fn number(self) -> i32 {\n        match self {\n");
    for (variant, _, number) in &variants {
        let _ = writeln!(out, "            Self::{variant} => {number},");
    }
    out.push_str("            Self::Unknown(number) => number,\n        }\n    }\n}\n\n");
    let _ = writeln!(out, "{krate}::enum_value!({name});\n");
}

/// `KubeBinaryConfig` as `KUBE_BINARY_CONFIG`, and `VmType` as `VM_TYPE`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        if index > 0 && letter.is_ascii_uppercase() && !letters[index - 1].is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

/// `SECURE_TLS_BOOTSTRAPPING` as `SecureTlsBootstrapping`.
fn variant(name: &str) -> String {
    name.split('_').map(|word| capitalised(&word.to_ascii_lowercase())).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
