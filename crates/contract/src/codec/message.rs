//! Messages and values, as the codec sees them: through tables and two small traits.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use slipway_model::Secret;

use super::decode::Refused;
use super::decoder::Decoder;
use super::number;
use super::reader::Token;
use super::table::{EnumTable, MessageTable};

/// A message: a table, and the way to each field by its index in that table. Implemented by the generator.
pub trait Message {
    /// The message's table.
    fn table(&self) -> &'static MessageTable;
    /// Reads the value at the decoder's position into a field.
    fn read_field(&mut self, index: usize, decoder: &mut Decoder<'_>) -> Result<(), Refused>;
    /// A field's value.
    fn view(&self, index: usize) -> View<'_>;
}

/// A field's value, borrowed. `Absent` is what a document would leave out.
pub enum View<'a> {
    /// Unset, or the zero value where the two are the same.
    Absent,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A 64-bit whole number, which JSON writes as a string; sign and magnitude fit both kinds.
    Long(i128),
    /// A number.
    Double(f64),
    /// A number of 32-bit precision.
    Float(f32),
    /// Text.
    Text(&'a str),
    /// Text that is hidden unless asked for.
    Secret(&'a Secret<String>),
    /// Octets.
    Bytes(&'a [u8]),
    /// An enum's number and, if it is a known one, its name.
    Enum(i32, Option<&'static str>),
    /// Another message.
    Message(&'a dyn Message),
    /// Values in order.
    List(Vec<View<'a>>),
    /// Values by key, in the order of their keys.
    Map(Vec<(Cow<'a, str>, View<'a>)>),
}

/// Anything that a field can hold once.
pub trait Value: Sized {
    /// Reads one value; `None` is a value that is ignored, such as an enum name of a newer contract.
    fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused>;
    /// The value, borrowed.
    fn view(&self) -> View<'_>;
    /// Whether a field without presence leaves this value out.
    fn is_zero(&self) -> bool;
}

/// An enum type of the contract. Numbers that have no name are kept.
pub trait EnumValue: Copy {
    /// Names and numbers.
    const TABLE: &'static EnumTable;
    /// The value with a number.
    fn from_number(number: i32) -> Self;
    /// The number of a value.
    fn number(self) -> i32;
}

/// Anything that a map can be keyed by.
pub trait Key: Ord + Sized {
    /// What a key has to be, for messages.
    const EXPECTED: &'static str;
    /// The key that a JSON key stands for.
    fn parse(text: &str) -> Option<Self>;
    /// The key as a JSON key.
    fn text(&self) -> Cow<'_, str>;
}

/// Octets, written as base64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl View<'_> {
    /// A field without presence: its zero value is left out.
    pub fn singular<T: Value>(value: &T) -> View<'_> {
        if value.is_zero() { View::Absent } else { value.view() }
    }

    /// A field with presence.
    pub fn optional<T: Value>(value: Option<&T>) -> View<'_> {
        value.map_or(View::Absent, Value::view)
    }

    /// A list.
    pub fn list<T: Value>(values: &[T]) -> View<'_> {
        if values.is_empty() { View::Absent } else { View::List(values.iter().map(Value::view).collect()) }
    }

    /// A map.
    pub fn map<K: Key, T: Value>(values: &BTreeMap<K, T>) -> View<'_> {
        if values.is_empty() {
            return View::Absent;
        }
        View::Map(values.iter().map(|(key, value)| (key.text(), value.view())).collect())
    }
}

impl<M: Message + Default> Value for M {
    fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
        let mut message = M::default();
        decoder.message(&mut message)?;
        Ok(Some(message))
    }
    fn view(&self) -> View<'_> {
        View::Message(self)
    }
    fn is_zero(&self) -> bool {
        false
    }
}

impl Value for bool {
    fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
        match decoder.token()? {
            Token::Bool(value) => Ok(Some(value)),
            other => Err(decoder.wrong("true or false", &other)),
        }
    }
    fn view(&self) -> View<'_> {
        View::Bool(*self)
    }
    fn is_zero(&self) -> bool {
        !self
    }
}

impl Value for String {
    fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
        match decoder.token()? {
            Token::Text(text) => Ok(Some(text.into_owned())),
            other => Err(decoder.wrong("a string", &other)),
        }
    }
    fn view(&self) -> View<'_> {
        View::Text(self)
    }
    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}

impl Value for Secret<String> {
    fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
        Ok(String::read(decoder)?.map(Secret::new))
    }
    fn view(&self) -> View<'_> {
        View::Secret(self)
    }
    fn is_zero(&self) -> bool {
        self.expose().is_empty()
    }
}

macro_rules! whole_number {
    ($($type:ty, $expected:literal, $view:expr;)*) => {$(
        impl Value for $type {
            fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
                let token = decoder.token()?;
                let text = match &token {
                    Token::Number(text) => Some(*text),
                    Token::Text(text) => number::quoted(text),
                    _ => None,
                };
                match text.and_then(number::integer).map(<$type>::try_from) {
                    Some(Ok(value)) => Ok(Some(value)),
                    _ => Err(decoder.wrong($expected, &token)),
                }
            }
            fn view(&self) -> View<'_> {
                $view(*self)
            }
            fn is_zero(&self) -> bool {
                *self == 0
            }
        }
        impl Key for $type {
            const EXPECTED: &'static str = $expected;
            fn parse(text: &str) -> Option<Self> {
                // Go takes a plus sign for signed numbers only.
                if <$type>::MIN == 0 && text.starts_with('+') {
                    return None;
                }
                text.parse().ok()
            }
            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }
        }
    )*};
}

whole_number! {
    i32, "a whole number of 32 bits", |value| View::Int(i64::from(value));
    u32, "a whole number from 0 to 4294967295", |value| View::Int(i64::from(value));
    i64, "a whole number of 64 bits", |value| View::Long(i128::from(value));
    u64, "a whole number from 0 to 18446744073709551615", |value| View::Long(i128::from(value));
}

macro_rules! floating_number {
    ($($type:ty, $view:expr;)*) => {$(
        impl Value for $type {
            fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
                let token = decoder.token()?;
                let text = match &token {
                    Token::Number(text) => Some(*text),
                    Token::Text(text) => match &**text {
                        "NaN" => return Ok(Some(<$type>::NAN)),
                        "Infinity" => return Ok(Some(<$type>::INFINITY)),
                        "-Infinity" => return Ok(Some(<$type>::NEG_INFINITY)),
                        text => number::quoted(text),
                    },
                    _ => None,
                };
                match text.and_then(|text| text.parse::<$type>().ok()) {
                    Some(value) if value.is_finite() => Ok(Some(value)),
                    _ => Err(decoder.wrong("a number", &token)),
                }
            }
            fn view(&self) -> View<'_> {
                $view(*self)
            }
            fn is_zero(&self) -> bool {
                self.to_bits() == 0
            }
        }
    )*};
}

floating_number! {
    f64, View::Double;
    f32, View::Float;
}

impl Value for Bytes {
    fn read(decoder: &mut Decoder<'_>) -> Result<Option<Self>, Refused> {
        let token = decoder.token()?;
        match &token {
            Token::Text(text) => decode_base64(text).map(|octets| Some(Self(octets))),
            _ => None,
        }
        .ok_or_else(|| decoder.wrong("base64 text", &token))
    }
    fn view(&self) -> View<'_> {
        View::Bytes(&self.0)
    }
    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
}

/// Base64 as protobuf-go reads it: either alphabet, padding by the text's length, line breaks ignored.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let padding = match text.len() % 4 {
        0 => DecodePaddingMode::RequireCanonical,
        _ => DecodePaddingMode::RequireNone,
    };
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(padding).with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(alphabet, config).decode(text.replace(['\r', '\n'], "")).ok()
}

/// Makes an enum type of the contract a value; the generator calls it for each.
#[macro_export]
#[doc(hidden)]
macro_rules! enum_value {
    ($type:ty) => {
        impl $crate::codec::Value for $type {
            fn read(
                decoder: &mut $crate::codec::Decoder<'_>,
            ) -> Result<Option<Self>, $crate::codec::Refused> {
                decoder.enumeration::<$type>()
            }
            fn view(&self) -> $crate::codec::View<'_> {
                use $crate::codec::EnumValue as _;
                let number = self.number();
                $crate::codec::View::Enum(number, Self::TABLE.name_of(number))
            }
            fn is_zero(&self) -> bool {
                $crate::codec::EnumValue::number(*self) == 0
            }
        }
    };
}

impl Key for String {
    const EXPECTED: &'static str = "a string";
    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Key for bool {
    const EXPECTED: &'static str = "true or false";
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(if *self { "true" } else { "false" })
    }
}

/// The number that a token stands for in an enum field.
pub(super) fn enum_number(token: &Token<'_>) -> Option<i32> {
    match token {
        Token::Number(text) => number::integer(text).and_then(|number| i32::try_from(number).ok()),
        _ => None,
    }
}
