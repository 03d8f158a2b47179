//! The contract as tables, and everything that is made from them.
//!
//! Comes in: the TSV files beside this crate. Goes out: [`outputs`], the text of every generated file.
//! `cargo schema` writes them; a test proves that what is checked in is current. Never runs on a node.

mod json_schema;
mod reference;
mod rust;
mod table;

use table::Schema;

/// One generated file: its path in the repository and its text.
pub struct Output {
    /// Path from the root of the repository.
    pub path: &'static str,
    /// Content.
    pub text: String,
}

/// Every generated file.
///
/// # Errors
/// A line of a table that cannot be understood, with its file and number.
pub fn outputs() -> Result<Vec<Output>, String> {
    let contract = Schema::parse(
        ("aksnodeconfig-v1.tsv", include_str!("../aksnodeconfig-v1.tsv")),
        ("aksnodeconfig-v1-enums.tsv", include_str!("../aksnodeconfig-v1-enums.tsv")),
    )?;
    if let Some(message) = contract.messages.iter().find(|message| contract.is_recursive(&message.name)) {
        return Err(format!("{} contains itself: the decoder's recursion would have no bound", message.name));
    }
    let proto3 = Schema::parse(
        ("proto3-json.tsv", include_str!("../proto3-json.tsv")),
        ("proto3-json-enums.tsv", include_str!("../proto3-json-enums.tsv")),
    )?;
    Ok(vec![
        Output { path: "crates/contract/src/generated.rs", text: rust::messages(&contract, "crate") },
        Output {
            path: "crates/contract/tests/proto3_json/generated.rs",
            text: rust::messages(&proto3, "slipway_contract"),
        },
        Output { path: "schema/aksnodeconfig-v1.schema.json", text: json_schema::document(&contract) },
        Output { path: "docs/reference/contract.md", text: reference::page(&contract) },
    ])
}
