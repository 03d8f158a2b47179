//! A TOML document, written top to bottom. Every key and text is escaped, so no input can end its own line.

use std::fmt::Write as _;

use crate::quote::quoted;

/// A document in the making.
pub(crate) struct Toml {
    out: String,
}

impl Toml {
    pub(crate) fn new() -> Self {
        Self { out: String::with_capacity(4096) }
    }

    /// Starts the table at this path.
    pub(crate) fn table(&mut self, path: &[&str]) -> &mut Self {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        for (at, segment) in path.iter().enumerate() {
            self.out.push(if at == 0 { '[' } else { '.' });
            self.key(segment);
        }
        self.out.push_str("]\n");
        self
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.entry(key, |out| quoted(out, value, char::is_control))
    }

    pub(crate) fn texts(&mut self, key: &str, values: &[&str]) -> &mut Self {
        self.entry(key, |out| {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                quoted(out, value, char::is_control);
            }
            out.push(']');
        })
    }

    pub(crate) fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.entry(key, |out| out.push_str(if value { "true" } else { "false" }))
    }

    pub(crate) fn number(&mut self, key: &str, value: i64) -> &mut Self {
        self.entry(key, |out| {
            // Writing to a string cannot fail.
            let _ = write!(out, "{value}");
        })
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn entry(&mut self, key: &str, value: impl FnOnce(&mut String)) -> &mut Self {
        self.key(key);
        self.out.push_str(" = ");
        value(&mut self.out);
        self.out.push('\n');
        self
    }

    fn key(&mut self, key: &str) {
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if !key.is_empty() && key.bytes().all(bare) {
            self.out.push_str(key);
        } else {
            quoted(&mut self.out, key, char::is_control);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back_as_it_was() {
        let odd = "a\"b\\c\nd\re\tf\u{1}\u{7f}\u{85}[x]\nversion = 9 # é 🚀 $(id) `id` '''";
        let mut document = Toml::new();
        document.text("top", odd).table(&["plain", odd]).texts("list", &[odd, ""]).flag("on", true);
        document.number("n", -999);
        let text = document.finish();
        let read: toml::Table = text.parse().unwrap();
        assert_eq!(read["top"].as_str(), Some(odd));
        assert_eq!(read["plain"][odd]["list"][0].as_str(), Some(odd));
        assert_eq!(read["plain"][odd]["n"].as_integer(), Some(-999));
    }
}
