//! From a contract's field to a variable's text: one trait for each kind of variable.

use std::borrow::Cow;

use slipway_contract::messages::{LoadBalancerSku, NetworkPlugin, NetworkPolicy, VmType};
use slipway_model::Secret;

/// The text of a variable. Secrets stay wrapped until somebody reveals them.
#[derive(Clone)]
pub(crate) enum Text<'a> {
    /// Not a secret, or a URL, of which parts may be.
    Plain(Cow<'a, str>),
    /// A secret of the contract.
    Secret(&'a Secret<String>),
    /// Made from values that may be secrets.
    Made(Secret<String>),
}

impl Text<'_> {
    pub(crate) fn reveal(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(secret) => secret.expose(),
            Self::Made(secret) => secret.expose(),
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Plain(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self::Plain(Cow::Owned(text))
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self::Plain(text)
    }
}

/// A field that is passed on as it is; nothing where it is empty.
pub(crate) trait TextField {
    fn text(&self) -> Option<Text<'_>>;
}

impl TextField for String {
    fn text(&self) -> Option<Text<'_>> {
        (!self.is_empty()).then(|| self.as_str().into())
    }
}

impl TextField for Secret<String> {
    fn text(&self) -> Option<Text<'_>> {
        Some(Text::Secret(self))
    }
}

impl<T: TextField> TextField for Option<T> {
    fn text(&self) -> Option<Text<'_>> {
        self.as_ref().and_then(TextField::text)
    }
}

/// A field that holds a value, or may.
pub(crate) trait ScalarField<T> {
    fn value(&self) -> Option<T>;
}

impl<T: Copy> ScalarField<T> for T {
    fn value(&self) -> Option<T> {
        Some(*self)
    }
}

impl<T: Copy> ScalarField<T> for Option<T> {
    fn value(&self) -> Option<T> {
        *self
    }
}

/// An enum whose values the scripts know by a word. Values that have none are empty.
pub(crate) trait Word {
    fn word(&self) -> &'static str;
}

macro_rules! words {
    ($($type:ident { $($value:ident = $word:literal),* })*) => {$(
        impl Word for $type {
            fn word(&self) -> &'static str {
                match self { $(Self::$value => $word,)* Self::Unspecified | Self::Unknown(_) => "" }
            }
        }
    )*};
}

words! {
    VmType { Standard = "standard", Vmss = "vmss" }
    LoadBalancerSku { Basic = "basic", Standard = "standard" }
    NetworkPlugin { None = "none", Azure = "azure", Kubenet = "kubenet" }
    NetworkPolicy { None = "none", Azure = "azure", Calico = "calico" }
}
