//! The platform's limit, and what to say when nothing fits.

use std::fmt;
use std::io::Write as _;

use flate2::{Compression, GzBuilder};

use crate::Contract;
use crate::codec::{self, Field, Message, View, map_key};

/// Azure takes this many base64 characters of custom data: 65,535 octets.
pub const LIMIT: usize = 87_380;

/// How many fields an error names.
const NAMED: usize = 5;

/// Custom data that no form of compression makes small enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// Base64 characters of the compressed document.
    pub size: usize,
    /// The contract's largest values, the largest first.
    pub largest: Vec<Largest>,
}

/// A large value of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Largest {
    /// Which: `custom_ca_certs[0]`.
    pub path: String,
    /// Octets it takes in the contract's text, before compression.
    pub size: usize,
}

impl TooLarge {
    pub(super) fn new(size: usize, contract: &Contract) -> Self {
        let mut values = Vec::new();
        collect(contract, "", &mut values);
        // Sizes first, then the order of the contract, so that the same contract has the same error.
        values.sort_by_key(|value| std::cmp::Reverse(value.size));
        values.truncate(NAMED);
        Self { size, largest: values }
    }
}

fn collect(message: &dyn Message, parent: &str, into: &mut Vec<Largest>) {
    for (index, field) in message.table().fields.iter().enumerate() {
        let dot = if parent.is_empty() { "" } else { "." };
        let path = format!("{parent}{dot}{}", field.name);
        each(&message.view(index), field, &path, into);
    }
}

fn each(view: &View<'_>, field: &Field, path: &str, into: &mut Vec<Largest>) {
    match view {
        View::Absent => {}
        View::Message(inner) => collect(*inner, path, into),
        View::List(items) => {
            for (index, item) in items.iter().enumerate() {
                each(item, field, &format!("{path}[{index}]"), into);
            }
        }
        View::Map(entries) => {
            for (key, value) in entries {
                each(value, field, &format!("{path}{}", map_key(key)), into);
            }
        }
        value => into.push(Largest { path: path.to_owned(), size: codec::size(value, field) }),
    }
}

/// How long a document is in base64.
pub(super) fn base64_length(document: &[u8]) -> usize {
    document.len().div_ceil(3) * 4
}

/// Compresses; the same input gives the same output, because no time and no name is stored.
pub(super) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    // A vector takes everything, so neither call can fail.
    let _ = writer.write_all(plain);
    writer.finish().unwrap_or_default()
}

impl fmt::Display for TooLarge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, largest } = self;
        write!(
            out,
            "the custom data has {size} base64 characters after compression; the platform takes {LIMIT}"
        )?;
        for (rank, Largest { path, size }) in largest.iter().enumerate() {
            out.write_str(if rank == 0 { "; the largest fields are " } else { ", " })?;
            write!(out, "{path} ({size} bytes)")?;
        }
        Ok(())
    }
}

impl std::error::Error for TooLarge {}
