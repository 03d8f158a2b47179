//! Proto3 JSON, read and written exactly as protobuf-go does it, driven by tables.
//!
//! [`decode`] turns text into a message under one of two [policies](Policy) and lists everything that was
//! unknown, ignored, repeated or of the wrong type. [`encode`] turns a message into text.

mod decode;
mod encode;
mod message;
mod number;
mod reader;
mod table;

pub use decode::{COMMENT, Decoded, Decoder, Policy, Refused, decode, decode_with_places, map_key};
pub(crate) use decode::{MOST_ISSUES, names, quote};
pub use encode::{Layout, Names, Options, Secrets, encode};
pub(crate) use encode::{encode_value, mask_url, size, string};
pub use message::{Bytes, EnumValue, Key, Message, Value, View};
pub use reader::{Problem, Reader, SyntaxError, Token};
pub use slipway_model::Secret;
pub use table::{EnumTable, Field, Format, Kind, Label, MessageTable, Sensitivity};
