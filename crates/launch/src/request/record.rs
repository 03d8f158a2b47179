//! Records and words of the request, declared once: type, JSON names, and the description behind schema and checks.

use std::collections::BTreeMap;

use slipway_model::Secret;

/// What a value of the request may be.
#[derive(Debug)]
pub enum Shape {
    /// A string.
    Text,
    /// A string that must not be shown.
    Secret,
    /// A string in the form of a Go duration, or one of the words.
    Duration(&'static [&'static str]),
    /// One of these strings.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// A whole number in this range.
    Integer(i64, i64),
    /// A number.
    Number,
    /// A list.
    List(&'static Shape),
    /// An object with free keys.
    Map(&'static Shape),
    /// An object with known members.
    Object(&'static Record),
}

/// An object with known members.
#[derive(Debug)]
pub struct Record {
    /// Its name in the schema.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its members.
    pub fields: &'static [Field],
}

/// A member of an object. Every member may be left out; what a launch cannot do without is asked for when it is needed.
#[derive(Debug)]
pub struct Field {
    /// Its JSON name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What it may be.
    pub shape: &'static Shape,
}

/// A type that a request may hold.
pub trait Described {
    /// What its JSON may be.
    const SHAPE: Shape;
}

impl Described for String {
    const SHAPE: Shape = Shape::Text;
}

impl Described for Secret<String> {
    const SHAPE: Shape = Shape::Secret;
}

impl Described for bool {
    const SHAPE: Shape = Shape::Bool;
}

impl Described for i32 {
    const SHAPE: Shape = Shape::Integer(i32::MIN as i64, i32::MAX as i64);
}

impl Described for i64 {
    const SHAPE: Shape = Shape::Integer(i64::MIN, i64::MAX);
}

impl Described for f64 {
    const SHAPE: Shape = Shape::Number;
}

impl<T: Described> Described for Option<T> {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Described> Described for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Described> Described for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Map(&T::SHAPE);
}

/// Declares an object: the struct, how serde reads it, its description, and a default where the defaults are those of
/// the members' types.
macro_rules! record {
    ($(#[doc = $about:literal])+ pub struct $name:ident {
        $($(#[doc = $field_about:literal])+ $field:ident: $type:ty = $json:literal,)+
    }) => {
        $crate::request::record::record! {
            @without_default $(#[doc = $about])+ pub struct $name {
                $($(#[doc = $field_about])+ $field: $type = $json,)+
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: Default::default(),)+ }
            }
        }
    };
    (@without_default $(#[doc = $about:literal])+ pub struct $name:ident {
        $($(#[doc = $field_about:literal])+ $field:ident: $type:ty = $json:literal,)+
    }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[doc = $field_about])+ #[serde(rename = $json, deserialize_with = "crate::request::check::member")] pub $field: $type,)+
        }

        impl $crate::request::record::Described for $name {
            const SHAPE: $crate::request::record::Shape =
                $crate::request::record::Shape::Object(&$crate::request::record::Record {
                    name: stringify!($name),
                    about: concat!($($about),+),
                    fields: &[$($crate::request::record::Field {
                        name: $json,
                        about: concat!($($field_about),+),
                        shape: &<$type as $crate::request::record::Described>::SHAPE,
                    }),+],
                });
        }
    };
}

/// Declares an enum whose JSON is one word of several.
macro_rules! words {
    ($(#[doc = $about:literal])+ pub enum $name:ident { $($(#[doc = $word_about:literal])+ $(#[$default:ident])? $word:ident = $json:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize, Default)]
        pub enum $name {
            $($(#[doc = $word_about])+ $(#[$default])? #[serde(rename = $json)] $word,)+
        }

        impl $name {
            /// The word itself.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $json,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl $crate::request::record::Described for $name {
            const SHAPE: $crate::request::record::Shape = $crate::request::record::Shape::Word(&[$($json),+]);
        }
    };
}

pub(crate) use {record, words};
