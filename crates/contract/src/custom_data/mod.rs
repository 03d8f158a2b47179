//! Custom data: what a virtual machine is created with so that it becomes a node.
//!
//! Comes in: a [`Contract`] and a [`Form`]. Goes out: the document that the machine's agent (cloud-init or
//! Ignition) receives, the same bytes for the same order. [`read`] goes the other way: from any such
//! document, or from the JSON of a resource that carries one, to what is inside.

mod boothook;
mod bring;
mod cloud_config;
mod features;
mod ignition;
mod read;
mod script;
mod size;
mod tree;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_model::Secret;

use crate::Contract;
use crate::codec::{Options, encode};

pub use bring::{Bring, BringError};
pub use read::{
    Command, Contents, Download, File, Finding, FoundContract, ReadError, ReadProblem, Variable, What, read,
};
pub use size::{LIMIT, Largest, TooLarge};

/// What the custom script extension runs: it waits for the result of provisioning.
pub const CSE: &str = "/opt/azure/containers/aks-node-controller provision-wait";

/// Where everything below is on a node.
const DIRECTORY: &str = "/opt/azure/containers";
/// The contract's file in [`DIRECTORY`].
const CONTRACT: &str = "aks-node-controller-config.json";
/// The feature toggles' file in [`DIRECTORY`].
const FEATURES: &str = "enabled_features.sh";

/// Which agent reads the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// cloud-init: a MIME document whose boothook runs early in every boot.
    Boothook,
    /// Ignition, on Flatcar.
    Ignition,
    /// cloud-init: `write_files` and `runcmd`, late in the first boot.
    CloudConfig,
}

/// What custom data is made from.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// What the node should be, feature toggles included.
    pub contract: &'a Contract,
    /// Who reads it.
    pub form: Form,
    /// A Slipway for an image that has none.
    pub bring: Option<&'a Bring>,
}

/// A document to create a machine with.
#[derive(Debug)]
pub struct CustomData {
    /// What the machine's agent gets; it holds the contract's secrets.
    pub document: Secret<Vec<u8>>,
    /// Whether the document or the files in it had to be compressed to fit.
    pub compressed: bool,
    /// What the author should know, free of secrets.
    pub warnings: Vec<String>,
}

impl CustomData {
    /// The document as the platform takes it.
    pub fn base64(&self) -> Secret<String> {
        Secret::new(BASE64_STANDARD.encode(self.document.expose()))
    }
}

/// Writes custom data, compressed only when that is what fits.
pub fn render(order: &Order<'_>) -> Result<CustomData, TooLarge> {
    let features = features::Features::of(&order.contract.enabled_features);
    let files = Files {
        contract: Secret::new(encode(order.contract, Options::EMBEDDED) + "\n"),
        features: features.text,
    };
    let mut document = match order.form {
        Form::Boothook => boothook::document(&files, order.bring),
        Form::Ignition => ignition::document(&files, order.bring, false),
        Form::CloudConfig => cloud_config::document(&files, order.bring),
    };
    let compressed = size::base64_length(&document) > LIMIT;
    if compressed {
        document = match order.form {
            Form::Boothook | Form::CloudConfig => size::gzip(&document),
            // Ignition does not unpack its document, only the files in it.
            Form::Ignition => ignition::document(&files, order.bring, true),
        };
    }
    if size::base64_length(&document) > LIMIT {
        return Err(TooLarge::new(size::base64_length(&document), order.contract));
    }
    Ok(CustomData { document: Secret::new(document), compressed, warnings: features.warnings })
}

/// The files that a document puts on the node, all of them 0600.
struct Files {
    /// One line of ASCII.
    contract: Secret<String>,
    /// One line for each toggle; `None` when there is nothing to toggle.
    features: Option<String>,
}

impl Files {
    /// Names and contents, in the order of writing.
    fn each(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let contract = (CONTRACT, self.contract.expose().as_str());
        std::iter::once(contract).chain(self.features.as_deref().map(|text| (FEATURES, text)))
    }
}
