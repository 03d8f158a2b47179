use std::fmt::Write as _;

use jiff::Zoned;
use serde_json::Value;

/// How much a log record matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Info,
    /// Odd, and handled.
    Warn,
    /// Something failed.
    Error,
}

/// One line of the log.
#[derive(Debug, Clone)]
pub struct Record {
    level: Level,
    message: String,
    attributes: Vec<(&'static str, Value)>,
}

impl Record {
    /// A record that all is well.
    pub fn info(message: impl Into<String>) -> Self {
        Self { level: Level::Info, message: message.into(), attributes: Vec::new() }
    }

    /// A record of something odd.
    pub fn warn(message: impl Into<String>) -> Self {
        Self { level: Level::Warn, ..Self::info(message) }
    }

    /// A record of a failure.
    pub fn error(message: impl Into<String>) -> Self {
        Self { level: Level::Error, ..Self::info(message) }
    }

    /// The same record with one more attribute; attributes are written in the order in which they were added.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((key, value.into()));
        self
    }

    /// The record as a line of JSON, without the line's end.
    pub fn line(&self, time: &Zoned) -> String {
        let level = match self.level {
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error => "ERROR",
        };
        let time = time.strftime("%Y-%m-%dT%H:%M:%S%.f%:z").to_string();
        // Go writes the zone of UTC as Z.
        let time = time.strip_suffix("+00:00").map_or(time.clone(), |utc| format!("{utc}Z"));
        let mut line =
            format!("{{\"time\":\"{time}\",\"level\":\"{level}\",\"msg\":{}", Value::from(&*self.message));
        for (key, value) in &self.attributes {
            // Writing to a string cannot fail.
            let _ = write!(line, ",\"{key}\":{value}");
        }
        line.push('}');
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line_with_its_attributes_in_order() {
        let time: Zoned = "2026-11-15T10:00:00.123456789+00:00[+00:00]".parse().unwrap();
        let record =
            Record::error("failed <&>").with("exitCode", 7).with("error", Value::Null).with("a", "x\ny");
        assert_eq!(
            record.line(&time),
            r#"{"time":"2026-11-15T10:00:00.123456789Z","level":"ERROR","msg":"failed <&>","exitCode":7,"error":null,"a":"x\ny"}"#
        );
    }
}
