//! The reference page of the contract.

use std::fmt::Write as _;

use crate::table::{Field, Kind, Label, RETIRED, Schema};

pub(crate) fn page(schema: &Schema) -> String {
    let fields: usize = schema.messages.iter().map(|message| message.fields.len()).sum();
    let mut out = format!(
        "# The contract: aksnodeconfig.v1\n\n\
         <!-- Generated from the tables in schema/ by `cargo schema`. Do not edit. -->\n\n\
         {fields} fields in {} messages, and {} enums. A contract is one `{}` as JSON. Each field may be written \
         by its name or by its JSON name, not by both. *singular* fields do not tell unset from zero; *optional* \
         ones do. Keys that start with `//` are comments. Fields marked 🔒 are secrets: they are masked wherever \
         Slipway prints a contract.\n\n\
         The column *shape* says what `slipway config validate` expects of a value beyond its type; the rules are \
         explained in [rules.md](rules.md).\n",
        schema.messages.len(),
        schema.enums.len(),
        schema.messages[0].name,
    );
    for message in &schema.messages {
        let _ = write!(
            out,
            "\n## {}\n\n| No. | Field | JSON name | Type | Label | Shape | Meaning |\n|---|---|---|---|---|---|---|\n",
            message.name
        );
        for field in &message.fields {
            let lock = if field.sensitivity == "secret" { " 🔒" } else { "" };
            let _ = writeln!(
                out,
                "| {} | `{}`{lock} | `{}` | {} | {} | {} | {} |",
                field.number,
                field.name,
                field.json_name,
                type_name(field),
                label_name(field),
                shape(&field.format),
                field.meaning.replace('|', "\\|"),
            );
        }
        if let Some((_, keys)) = RETIRED.iter().find(|(name, _)| *name == message.name) {
            let names: Vec<String> = keys.iter().step_by(2).map(|key| format!("`{key}`")).collect();
            let _ = writeln!(out, "\nRetired and ignored: {}.", names.join(", "));
        }
    }
    out.push_str("\n## Enums\n\nA name that is not listed is ignored with a warning; a number is kept.\n\n");
    out.push_str("| Enum | Values (number) |\n|---|---|\n");
    for known in &schema.enums {
        let values: Vec<String> =
            known.values.iter().map(|(name, number)| format!("`{name}` ({number})")).collect();
        let _ = writeln!(out, "| {} | {} |", known.name, values.join(", "));
    }
    out
}

fn type_name(field: &Field) -> String {
    let value = match &field.kind {
        Kind::Scalar(name) | Kind::Enum(name) => format!("`{name}`"),
        Kind::Message(name) => format!("[`{name}`](#{})", name.to_ascii_lowercase()),
    };
    match &field.label {
        Label::Map(key) => format!("map of `{key}` to {value}"),
        _ => value,
    }
}

fn label_name(field: &Field) -> &'static str {
    match &field.label {
        Label::Singular => "singular",
        Label::Optional | Label::Oneof(_) => "optional",
        Label::Repeated => "repeated",
        Label::Map(_) => "map",
    }
}

fn shape(format: &str) -> String {
    match format.split_once(':') {
        None if format == "-" => String::new(),
        Some(("one-of", words)) => {
            words.split('|').map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ")
        }
        Some(("range", range)) => format!("[{}](rules.md#range)", range.replace("..", " to ").trim()),
        Some(("sysctl", range)) => format!("[{}](rules.md#sysctl-range)", range.replace("..", " to ")),
        _ => format!("[{format}](rules.md#{format})"),
    }
}
