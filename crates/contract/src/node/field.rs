//! Taking a field out of a contract together with its name.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use slipway_model::node::Download;
use slipway_model::{Secret, Source, Sourced, Sources};
use zeroize::Zeroize as _;

use super::Refused;
use crate::messages::{
    BootstrappingAuthMethod, KubeletDisk, LoadBalancerSku, NetworkPlugin, NetworkPolicy, VmType,
};

/// The value of a field of the contract, and whether it is set there: `take!(contract, cluster_config.vm_type)`.
/// A message on the way that is absent leaves the field unset.
macro_rules! take {
    ($contract:expr, $($path:ident).+) => {
        $crate::node::field::taken(
            take!(@text $($path).+),
            take!(@walk $contract, $($path).+),
        )
    };
    (@text $first:ident $(. $rest:ident)*) => { concat!(stringify!($first) $(, ".", stringify!($rest))*) };
    (@walk $at:expr, $field:ident) => { Some(&$at.$field) };
    (@walk $at:expr, $message:ident . $($rest:ident).+) => {
        $at.$message.as_ref().and_then(|message| take!(@walk message, $($rest).+))
    };
}
pub(crate) use take;

/// A field's value as the contract holds it.
pub(crate) trait Field: Clone + Default {
    /// Whether the contract says anything: proto3 cannot tell zero from nothing, except where the field is optional.
    fn is_set(&self) -> bool;
}

pub(crate) fn taken<T: Field>(path: &'static str, field: Option<&T>) -> Sourced<T> {
    match field.filter(|field| field.is_set()) {
        Some(field) => Sourced::new(field.clone(), Source::Contract(path.into())),
        None => Sourced::new(T::default(), Source::Unset(path.into())),
    }
}

/// The field's path.
pub(crate) fn path<T>(field: &Sourced<T>) -> &str {
    match field.sources().iter().next() {
        Some(Source::Contract(path) | Source::Unset(path)) => path,
        _ => "",
    }
}

/// A text that says nothing when it is empty.
pub(crate) fn said(field: &Sourced<String>) -> Sourced<Option<String>> {
    field.map(|text| Some(text.clone()).filter(|text| !text.is_empty()))
}

/// An optional text that says nothing when it is empty.
pub(crate) fn said_if_any(field: &Sourced<Option<String>>) -> Sourced<Option<String>> {
    field.map(|text| text.clone().filter(|text| !text.is_empty()))
}

/// A field that may be absent, with what the contract says about absence.
pub(crate) fn or<T: Clone>(field: &Sourced<Option<T>>, default: T) -> Sourced<T> {
    field.map(|value| value.clone().unwrap_or(default))
}

/// The text inside base64, or nothing where the field is empty.
pub(crate) fn decoded(field: &Sourced<String>, refused: &mut Vec<Refused>) -> Sourced<Option<String>> {
    let text = field.map(|text| unwrapped(text).transpose());
    settled(&text, refused, "it is not a text in base64; encode it again")
}

/// The secret inside base64, or nothing where the field is empty.
pub(crate) fn decoded_secret(
    field: &Sourced<Secret<String>>,
    refused: &mut Vec<Refused>,
) -> Sourced<Option<Secret<String>>> {
    let text = field.map(|text| unwrapped(text.expose()).transpose().map(|text| text.map(Secret::new)));
    settled(&text, refused, "it is not a text in base64; encode it again")
}

/// Something to fetch, or nothing where the field is empty.
pub(crate) fn download(field: &Sourced<String>, refused: &mut Vec<Refused>) -> Sourced<Option<Download>> {
    let address =
        field.map(|url| Some(url).filter(|url| !url.is_empty()).map(|url| Download::parse(url)).transpose());
    settled(&address, refused, "it has a checksum that is none: 64 hexadecimal digits follow #sha256=")
}

/// Refuses a value that asks for what there is not.
pub(crate) fn demand<T>(
    field: &Sourced<T>,
    fits: impl FnOnce(&T) -> bool,
    refused: &mut Vec<Refused>,
    reason: &str,
) {
    if !Sources::none().read(&field.map(fits)) {
        refused.push(Refused::because(path(field), reason));
    }
}

/// The first that says something; both decide.
pub(crate) fn either<T: Clone>(
    first: &Sourced<Option<T>>,
    second: &Sourced<Option<T>>,
) -> Sourced<Option<T>> {
    first.with(second, |first, second| first.as_ref().or(second.as_ref()).cloned())
}

/// What could be read; what could not is refused.
fn settled<T: Clone, E>(
    field: &Sourced<Result<Option<T>, E>>,
    refused: &mut Vec<Refused>,
    reason: &str,
) -> Sourced<Option<T>> {
    let path = path(field).to_owned();
    field.map(|read| {
        if read.is_err() {
            refused.push(Refused::because(&path, reason));
        }
        read.as_ref().ok().cloned().flatten()
    })
}

/// What base64 holds, however it was wrapped; padding may be missing.
fn unwrapped(text: &str) -> Option<Result<String, ()>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    if text.is_empty() {
        return None;
    }
    let mut line: String = text.split_whitespace().collect();
    let octets = LENIENT.decode(&line);
    line.zeroize();
    Some(octets.ok().and_then(|octets| String::from_utf8(octets).ok()).ok_or(()))
}

impl Field for String {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}

impl Field for Secret<String> {
    fn is_set(&self) -> bool {
        !self.expose().is_empty()
    }
}

impl Field for bool {
    fn is_set(&self) -> bool {
        *self
    }
}

impl Field for i32 {
    fn is_set(&self) -> bool {
        *self != 0
    }
}

impl<T: Clone> Field for Option<T> {
    fn is_set(&self) -> bool {
        self.is_some()
    }
}

impl<T: Clone> Field for Vec<T> {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}

impl<V: Clone> Field for BTreeMap<String, V> {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}

macro_rules! words {
    ($($name:ident),*) => {$(
        impl Field for $name {
            fn is_set(&self) -> bool {
                *self != Self::Unspecified
            }
        }
    )*};
}
words!(BootstrappingAuthMethod, KubeletDisk, LoadBalancerSku, NetworkPlugin, NetworkPolicy, VmType);
