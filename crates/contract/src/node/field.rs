//! Taking a field out of a contract together with its name.

use std::collections::BTreeMap;

use slipway_model::{Secret, Source, Sourced};

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
