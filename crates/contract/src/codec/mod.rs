//! Proto3 JSON, read and written exactly as protobuf-go does it, driven by tables.
//!
//! [`decode`] turns text into a message under one of two [policies](Policy) and lists everything that was
//! unknown, ignored, repeated or of the wrong type. [`encode`] turns a message into text.

mod decode;
mod decoder;
mod encode;
mod message;
mod number;
mod reader;
mod table;
mod text;
mod words;

pub use decode::{COMMENT, Decoded, Policy, Refused, decode, decode_with_places};
pub use decoder::Decoder;
pub(crate) use decoder::MOST_ISSUES;
pub use encode::{Layout, Names, Options, Secrets, encode, mask_url};
pub(crate) use encode::{encode_value, size, string};
pub use message::{Bytes, EnumValue, Key, Message, Value, View};
pub use reader::{Problem, Reader, SyntaxError, Token};
pub use slipway_model::Secret;
pub use table::{EnumTable, Field, Format, Kind, Label, MessageTable, Sensitivity};
pub use words::map_key;
pub(crate) use words::{names, quote};
