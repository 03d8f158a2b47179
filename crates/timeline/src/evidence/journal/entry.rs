//! A record of the journal, with the members that matter here.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use jiff::Timestamp;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::super::{Stamp, Tick};

/// The fields that are looked at; `journalctl` prints times and boot anyway.
pub const JOURNAL_FIELDS: [&str; 7] =
    ["_SYSTEMD_UNIT", "UNIT", "SYSLOG_IDENTIFIER", "_PID", "MESSAGE", "MESSAGE_ID", "CODE_FUNC"];

/// A record.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Entry<'a> {
    #[serde(rename = "__REALTIME_TIMESTAMP", borrow)]
    pub(super) realtime: Text<'a>,
    #[serde(rename = "__MONOTONIC_TIMESTAMP", borrow)]
    pub(super) monotonic: Text<'a>,
    #[serde(rename = "_BOOT_ID", borrow)]
    pub(super) boot: Text<'a>,
    #[serde(rename = "_SYSTEMD_UNIT", borrow)]
    pub(super) unit: Text<'a>,
    #[serde(rename = "UNIT", borrow)]
    pub(super) about: Text<'a>,
    #[serde(rename = "SYSLOG_IDENTIFIER", borrow)]
    pub(super) identifier: Text<'a>,
    #[serde(rename = "_PID", borrow)]
    pub(super) pid: Text<'a>,
    #[serde(rename = "MESSAGE", borrow)]
    pub(super) message: Text<'a>,
    #[serde(rename = "MESSAGE_ID", borrow)]
    pub(super) message_id: Text<'a>,
    #[serde(rename = "CODE_FUNC", borrow)]
    pub(super) function: Text<'a>,
}

impl Entry<'_> {
    /// When the record was written.
    pub(super) fn time(&self) -> Option<Stamp> {
        let wall = Timestamp::from_microsecond(self.realtime.parse().ok()?).ok()?;
        Some(Stamp { monotonic: self.monotonic.parse().ok(), ..wall.into() })
    }

    pub(super) fn tick(&self) -> Option<Tick> {
        Some(Tick { wall: self.realtime.parse().ok()?, monotonic: self.monotonic.parse().ok()? })
    }

    /// Takes a field of the export format.
    pub(super) fn set(&mut self, name: &str, value: &[u8]) {
        let field = match name {
            "__REALTIME_TIMESTAMP" => &mut self.realtime,
            "__MONOTONIC_TIMESTAMP" => &mut self.monotonic,
            "_BOOT_ID" => &mut self.boot,
            "_SYSTEMD_UNIT" => &mut self.unit,
            "UNIT" => &mut self.about,
            "SYSLOG_IDENTIFIER" => &mut self.identifier,
            "_PID" => &mut self.pid,
            "MESSAGE" => &mut self.message,
            "MESSAGE_ID" => &mut self.message_id,
            "CODE_FUNC" => &mut self.function,
            _ => return,
        };
        *field = Text(Cow::Owned(crate::text(value)));
    }
}

/// A value of the journal: text, bytes as numbers where it is no text, a list where a field came twice, or nothing.
#[derive(Debug, Default)]
pub(super) struct Text<'a>(Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

/// A part of a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Item {
    Byte(u8),
    Text(String),
    Other(serde::de::IgnoredAny),
}

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text, bytes or nothing")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(number.to_string())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let (mut bytes, mut first) = (Vec::new(), None);
        while let Some(item) = items.next_element()? {
            match item {
                Item::Byte(byte) => bytes.push(byte),
                Item::Text(text) => first = first.or(Some(text)),
                Item::Other(_) => {}
            }
        }
        Ok(Text(Cow::Owned(first.unwrap_or_else(|| crate::text(&bytes)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_that_are_asked_for_are_those_that_are_read() {
        let mut entry = Entry::default();
        for field in JOURNAL_FIELDS {
            entry.set(field, field.as_bytes());
        }
        let Entry { unit, about, identifier, pid, message, message_id, function, .. } = &entry;
        let read = [unit, about, identifier, pid, message, message_id, function].map(|text| &**text);
        assert_eq!(read, JOURNAL_FIELDS);
    }
}
