//! Writing a message as JSON text: declaration order, proto names, defaults left out.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_model::Secret;

use super::message::{Message, View};
use super::table::{Field, Sensitivity};
use super::text::plain_length;

/// How a message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Which names the keys have.
    pub names: Names,
    /// How the text is laid out.
    pub layout: Layout,
    /// What happens to values that must not be seen.
    pub secrets: Secrets,
    /// Whether characters outside ASCII are written as escapes.
    pub ascii: bool,
}

/// Which of a field's two names is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// `vm_size`, as in contract files.
    Proto,
    /// `vmSize`, as in kubelet's configuration file.
    Json,
}

/// White space between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// None.
    Compact,
    /// A line for each value, indented by this many spaces for each level.
    Indented(usize),
}

/// What is written for secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// The value: the text is a payload.
    Reveal,
    /// A mask: the text is for eyes.
    Mask,
}

impl Options {
    /// A contract file, as the peer's library writes it.
    pub const FILE: Self =
        Self { names: Names::Proto, layout: Layout::Indented(2), secrets: Secrets::Reveal, ascii: false };
    /// The smallest text, as it is embedded in custom data: safe in any 7-bit document.
    pub const EMBEDDED: Self =
        Self { names: Names::Proto, layout: Layout::Compact, secrets: Secrets::Reveal, ascii: true };
    /// What a person may see.
    pub const SHOWN: Self =
        Self { names: Names::Proto, layout: Layout::Indented(2), secrets: Secrets::Mask, ascii: false };
}

/// Writes a message.
pub fn encode(message: &dyn Message, options: Options) -> String {
    let mut encoder = Encoder { out: String::with_capacity(1024), options, depth: 0 };
    encoder.message(message);
    encoder.out
}

/// Writes one value of a field on one line.
pub(crate) fn encode_value(view: &View<'_>, field: &Field, options: Options) -> String {
    let options = Options { layout: Layout::Compact, ..options };
    let mut encoder = Encoder { out: String::new(), options, depth: 0 };
    encoder.view(view, field);
    encoder.out
}

/// Writes a JSON string in ASCII, for documents that are put together from text.
pub(crate) fn string(text: &str) -> String {
    let out = String::with_capacity(text.len() + 16);
    let mut encoder = Encoder { out, options: Options::EMBEDDED, depth: 0 };
    encoder.string(text);
    encoder.out
}

/// How many octets a field's value takes in the smallest text.
pub(crate) fn size(view: &View<'_>, field: &Field) -> usize {
    encode_value(view, field, Options::EMBEDDED).len()
}

struct Encoder {
    out: String,
    options: Options,
    depth: usize,
}

impl Encoder {
    fn message(&mut self, message: &dyn Message) {
        self.open('{');
        let mut first = true;
        for (index, field) in message.table().fields.iter().enumerate() {
            let view = message.view(index);
            if matches!(view, View::Absent) {
                continue;
            }
            self.next(&mut first);
            self.key(match self.options.names {
                Names::Proto => field.name,
                Names::Json => field.json_name,
            });
            self.view(&view, field);
        }
        self.close('}', first);
    }

    fn view(&mut self, view: &View<'_>, field: &Field) {
        match view {
            View::Absent => self.out.push_str("null"),
            View::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            View::Int(value) => self.write(format_args!("{value}")),
            View::Long(value) => self.write(format_args!("\"{value}\"")),
            View::Double(value) => self.number(
                *value,
                value.is_finite(),
                value.abs() != 0.0 && !(1e-6..1e21).contains(&value.abs()),
            ),
            View::Float(value) => self.number(
                *value,
                value.is_finite(),
                value.abs() != 0.0 && !(1e-6..1e21).contains(&value.abs()),
            ),
            View::Text(text) if self.masks(field) => {
                let shown = mask_url(text);
                self.string(&shown);
            }
            View::Text(text) => self.string(text),
            View::Secret(secret) => {
                self.string(match self.options.secrets {
                    // That a secret is empty is no secret, and worth seeing.
                    Secrets::Mask if !secret.expose().is_empty() => Secret::<String>::MASK,
                    _ => secret.expose(),
                });
            }
            View::Bytes(octets) => self.string(&BASE64_STANDARD.encode(octets)),
            View::Enum(_, Some(name)) => self.string(name),
            View::Enum(number, None) => self.write(format_args!("{number}")),
            View::Message(message) => self.message(*message),
            View::List(values) => {
                self.open('[');
                let mut first = true;
                for value in values {
                    self.next(&mut first);
                    self.view(value, field);
                }
                self.close(']', first);
            }
            View::Map(entries) => {
                self.open('{');
                let mut first = true;
                for (key, value) in entries {
                    self.next(&mut first);
                    self.key(key);
                    self.view(value, field);
                }
                self.close('}', first);
            }
        }
    }

    fn masks(&self, field: &Field) -> bool {
        self.options.secrets == Secrets::Mask && field.sensitivity == Sensitivity::Credentials
    }

    fn number<T: std::fmt::Display + std::fmt::LowerExp>(&mut self, value: T, finite: bool, exponent: bool) {
        match (finite, exponent) {
            (true, false) => self.write(format_args!("{value}")),
            (true, true) => self.write(format_args!("{value:e}")),
            (false, _) => {
                let name = match value.to_string().as_str() {
                    "inf" => "\"Infinity\"",
                    "-inf" => "\"-Infinity\"",
                    _ => "\"NaN\"",
                };
                self.out.push_str(name);
            }
        }
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(text);
    }

    fn key(&mut self, key: &str) {
        self.string(key);
        self.out.push(':');
        if self.options.layout != Layout::Compact {
            self.out.push(' ');
        }
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
    }

    fn next(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(',');
        }
        self.line();
    }

    fn close(&mut self, bracket: char, empty: bool) {
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if let Layout::Indented(width) = self.options.layout {
            const BLANKS: &str = "                                ";
            self.out.push('\n');
            let mut missing = width * self.depth;
            while missing > 0 {
                let part = missing.min(BLANKS.len());
                self.out.push_str(&BLANKS[..part]);
                missing -= part;
            }
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        loop {
            let at = self.plain_length(rest);
            self.out.push_str(&rest[..at]);
            let Some(special) = rest[at..].chars().next() else { break };
            match special {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                other => {
                    for unit in other.encode_utf16(&mut [0; 2]) {
                        self.write(format_args!("\\u{unit:04x}"));
                    }
                }
            }
            rest = &rest[at + special.len_utf8()..];
        }
        self.out.push('"');
    }

    /// How much of the text can be written as it is.
    fn plain_length(&self, text: &str) -> usize {
        let length = plain_length(text.as_bytes());
        if !self.options.ascii {
            return length;
        }
        text.as_bytes()[..length].iter().position(|byte| *byte > b'~').unwrap_or(length)
    }
}

/// A URL with its user information and query hidden. A password may hold any character, so everything up to
/// the last `@` counts as user information.
pub fn mask_url(url: &str) -> String {
    let mask = Secret::<String>::MASK;
    let start = url.find("://").map_or(0, |at| at + 3);
    let (shown, rest) = match url[start..].rfind('@') {
        Some(at) => (format!("{}{mask}", &url[..start]), &url[start + at..]),
        None => (String::new(), url),
    };
    match rest.find('?') {
        Some(at) => format!("{shown}{}?{mask}", &rest[..at]),
        None => format!("{shown}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_url_has_neither_user_nor_query() {
        for (url, shown) in [
            ("http://proxy:3128/", "http://proxy:3128/"),
            ("http://me:pw@proxy:3128", "http://<secret>@proxy:3128"),
            ("https://h/x.tgz?sv=1&sig=abc", "https://h/x.tgz?<secret>"),
            ("me:p@ss@proxy", "<secret>@proxy"),
            ("http://me:p/w?x@proxy/?a", "http://<secret>@proxy/?<secret>"),
        ] {
            assert_eq!(mask_url(url), shown);
        }
    }
}
