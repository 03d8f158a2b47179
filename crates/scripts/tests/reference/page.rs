//! The page of variables, made from their table.

use std::fmt::Write as _;

use slipway_contract::Contract;
use slipway_model::Facts;
use slipway_scripts::{Mode, TABLE, Variable, variables};

/// What the kinds of the table mean to a reader.
const KINDS: [(&str, &str); 7] = [
    ("constant", "always the same"),
    ("text", "the field as it is"),
    ("switch", "`true` or `false`"),
    ("number", "the number in decimal; doubles as Go prints them"),
    ("word", "the enum's value by the scripts' word for it"),
    ("decision", "`true` or `false`, decided by these fields"),
    ("computed", "made from these fields and facts"),
];

/// The page as Markdown.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "# Script variables\n\n\
         Generated from the table in `crates/scripts`; a test keeps it current.\n\n\
         What the image's provisioning scripts are told, and which fields of the contract and facts of the machine\n\
         (`facts.…`) decide it. A message stands for all its fields. `CUSTOM_CA_CERT_<i>` comes on top, one for each\n\
         entry of `custom_ca_certs`.\n",
    );
    let (contract, facts) = (Contract::default(), Facts::default());
    let defaults = variables(&contract, &facts, Mode::Ours).ok();
    let default = |name: &str| match defaults.as_ref().and_then(|defaults| defaults.get(name)) {
        Some(value) if value.reveal().len() > 64 => "a file, as base64".to_owned(),
        Some(value) if !value.reveal().is_empty() => format!("`{}`", value.reveal()),
        _ => String::new(),
    };
    for (kind, meaning) in KINDS {
        let head = "| Variable | From | With an empty contract |\n|---|---|---|";
        let _ = writeln!(page, "\n## {kind}: {meaning}\n\n{head}");
        let mut rows: Vec<&Variable> = TABLE.iter().filter(|variable| variable.kind() == kind).collect();
        rows.sort_by_key(|variable| variable.name);
        for variable in rows {
            let sources: Vec<_> = variable.sources.iter().map(|source| format!("`{source}`")).collect();
            let _ = writeln!(
                page,
                "| `{}` | {} | {} |",
                variable.name,
                sources.join(", "),
                default(variable.name)
            );
        }
    }
    page
}
