//! The `write_files` of a cloud-config, as far as script overrides use it.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

/// No script is larger than this when unpacked.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A file that a cloud-config wants written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenFile {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    pub(super) permissions: u32,
}

/// An entry as it stands.
#[derive(Debug, Default)]
struct Entry {
    path: Vec<u8>,
    permissions: Vec<u8>,
    encoding: Vec<u8>,
    owner: Vec<u8>,
    content: Vec<u8>,
}

/// The entries of a cloud-config, in order. An entry that cannot be used is an error in its place, because the peer
/// has applied the ones before it by then.
pub(super) fn write_files(text: &str) -> Result<Vec<Result<WrittenFile, String>>, String> {
    let mut events = Events { parser: Parser::new_from_str(text) };
    let entries = events.document()?;
    Ok(entries
        .iter()
        .enumerate()
        .map(|(at, entry)| entry.file().map_err(|why| format!("write_files[{at}]: {why}")))
        .collect())
}

impl Entry {
    fn file(&self) -> Result<WrittenFile, String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if self.path.is_empty() {
            return Err("it has no path".to_owned());
        }
        if !matches!(&self.owner[..], b"" | b"root") {
            return Err(format!("owner {:?} is not root", text(&self.owner)));
        }
        let permissions = text(&self.permissions);
        let octal = !permissions.is_empty() && permissions.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        let permissions = match u32::from_str_radix(&permissions, 8) {
            _ if permissions.is_empty() => 0o644,
            Ok(bits) if octal => bits,
            _ => return Err(format!("permissions {permissions:?} are not octal")),
        };
        let content = match &self.encoding[..] {
            b"" => self.content.clone(),
            b"base64" => unbase64(&self.content)?,
            b"gzip" => ungzip(&self.content)?,
            other => return Err(format!("encoding {:?} is not known", text(other))),
        };
        Ok(WrittenFile { path: text(&self.path), content, permissions })
    }
}

fn unbase64(encoded: &[u8]) -> Result<Vec<u8>, String> {
    let encoded: Vec<u8> = encoded.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD.decode(encoded).map_err(|error| format!("base64: {error}"))
}

fn ungzip(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let read = MultiGzDecoder::new(packed).take(LARGEST + 1).read_to_end(&mut content);
    read.map_err(|error| format!("gzip: {error}"))?;
    if content.len() as u64 > LARGEST {
        Err("gzip: it unpacks to more than 64 MiB".to_owned())
    } else {
        Ok(content)
    }
}

struct Events<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
}

/// YAML that is not what is expected there.
fn unexpected(what: &str) -> String {
    format!("{what} is expected there")
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<Event<'a>, String> {
        match self.parser.next() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => Err(error.to_string()),
            None => Ok(Event::StreamEnd),
        }
    }

    /// The first document's `write_files`.
    fn document(&mut self) -> Result<Vec<Entry>, String> {
        let mut entries = Vec::new();
        let root = loop {
            match self.next()? {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                other => break other,
            }
        };
        match root {
            Event::StreamEnd => {}
            Event::Scalar(value, style, _, tag) if is_null(&value, style, tag.as_deref()) => {}
            Event::MappingStart(..) => {
                let mut seen = Vec::new();
                while let Some(key) = self.key(&mut seen)? {
                    if key == "write_files" {
                        entries = self.entries()?;
                    } else {
                        let first = self.next()?;
                        self.skip(&first)?;
                    }
                }
            }
            _ => return Err(unexpected("a mapping with write_files")),
        }
        Ok(entries)
    }

    /// The next key of a mapping; `None` at its end.
    fn key(&mut self, seen: &mut Vec<String>) -> Result<Option<String>, String> {
        match self.next()? {
            Event::MappingEnd => Ok(None),
            Event::Scalar(key, ..) if seen.iter().any(|other| **other == *key) => {
                Err(format!("the key {key:?} is there twice"))
            }
            Event::Scalar(key, ..) => {
                seen.push(key.to_string());
                Ok(Some(key.into_owned()))
            }
            _ => Err(unexpected("a plain key")),
        }
    }

    fn entries(&mut self) -> Result<Vec<Entry>, String> {
        let mut entries = Vec::new();
        match self.next()? {
            Event::SequenceStart(..) => {}
            Event::Scalar(value, style, _, tag) if is_null(&value, style, tag.as_deref()) => {
                return Ok(entries);
            }
            _ => return Err(unexpected("a list of files after write_files")),
        }
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(entries),
                Event::MappingStart(..) => entries.push(self.entry()?),
                Event::Scalar(value, style, _, tag) if is_null(&value, style, tag.as_deref()) => {
                    entries.push(Entry::default());
                }
                _ => return Err(unexpected("a file's mapping in write_files")),
            }
        }
    }

    fn entry(&mut self) -> Result<Entry, String> {
        let mut entry = Entry::default();
        let mut seen = Vec::new();
        while let Some(key) = self.key(&mut seen)? {
            let field = match key.as_str() {
                "path" => Some(&mut entry.path),
                "permissions" => Some(&mut entry.permissions),
                "encoding" => Some(&mut entry.encoding),
                "owner" => Some(&mut entry.owner),
                "content" => Some(&mut entry.content),
                _ => None,
            };
            match (field, self.next()?) {
                (Some(field), Event::Scalar(value, style, _, tag)) => {
                    *field = scalar(&value, style, tag.as_deref()).map_err(|why| format!("{key}: {why}"))?;
                }
                (Some(_), _) => return Err(unexpected(&format!("a text for {key}"))),
                (None, other) => self.skip(&other)?,
            }
        }
        Ok(entry)
    }

    /// Passes over the rest of a value whose first event was this.
    fn skip(&mut self, first: &Event<'a>) -> Result<(), String> {
        let mut depth = 0_usize;
        let mut step = |event: &Event<'a>| {
            match event {
                Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
                Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
                Event::StreamEnd => return Err("it ends too early".to_owned()),
                _ => {}
            }
            Ok(depth == 0)
        };
        let mut done = step(first)?;
        while !done {
            let event = match self.parser.next() {
                Some(Ok((event, _))) => event,
                Some(Err(error)) => return Err(error.to_string()),
                None => Event::StreamEnd,
            };
            done = step(&event)?;
        }
        Ok(())
    }
}

/// A scalar's bytes: the text of whatever it is, nothing for null, the bytes themselves for `!!binary`.
fn scalar(value: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Vec<u8>, String> {
    if tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "binary") {
        return unbase64(value.as_bytes());
    }
    Ok(if is_null(value, style, tag) { Vec::new() } else { value.as_bytes().to_vec() })
}

fn is_null(value: &str, style: ScalarStyle, tag: Option<&Tag>) -> bool {
    style == ScalarStyle::Plain && tag.is_none() && matches!(value, "" | "~" | "null" | "Null" | "NULL")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, content: &[u8], permissions: u32) -> WrittenFile {
        WrittenFile { path: path.to_owned(), content: content.to_vec(), permissions }
    }

    #[test]
    fn files_are_read_in_every_encoding() {
        // gzip of "hello\n", in base64.
        let packed = "H4sIAAAAAAACA8tIzcnJ5wIAIDA6NgYAAAA=";
        let (head, tail) = packed.split_at(10);
        let text = format!(
            "#cloud-config\nbootcmd: [a, {{b: [c]}}]\nwrite_files:\n- path: /a\n  permissions: \"0744\"\n  owner: root\n  \
             content: |\n    #!/bin/bash\n    echo \"a: b\" # c\n\n- {{path: /b, permissions: 0600, content: !!binary {packed}, \
             encoding: gzip, defer: true}}\n- path: /c\n  encoding: gzip\n  content: !!binary |\n    {head}\n    {tail}\n\
             - path: /d\n  encoding: base64\n  content: aGVs\n  owner: ~\n- path: /e\n  content: >-\n    a\n    b\n\
             - path: /f\nruncmd:\n- [x]\n"
        );
        let expected = [
            file("/a", b"#!/bin/bash\necho \"a: b\" # c\n", 0o744),
            file("/b", b"hello\n", 0o600),
            file("/c", b"hello\n", 0o644),
            file("/d", b"hel", 0o644),
            file("/e", b"a b", 0o644),
            file("/f", b"", 0o644),
        ];
        assert_eq!(write_files(&text).unwrap(), expected.map(Ok));
    }

    #[test]
    fn nothing_to_write_is_fine() {
        for text in
            ["", "# comment\n", "---\n", "null\n", "{}", "write_files:\n", "write_files: []\n", "a: 1\n"]
        {
            assert_eq!(write_files(text), Ok(Vec::new()), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (entry, expected) in [
            ("{content: x}", "write_files[0]: it has no path"),
            ("{path: /a, owner: 'root:root'}", "write_files[0]: owner \"root:root\" is not root"),
            ("{path: /a, permissions: '0o644'}", "write_files[0]: permissions \"0o644\" are not octal"),
            ("{path: /a, permissions: rw}", "write_files[0]: permissions \"rw\" are not octal"),
            ("{path: /a, encoding: gz+b64}", "write_files[0]: encoding \"gz+b64\" is not known"),
        ] {
            let files = write_files(&format!("write_files: [{entry}]")).unwrap();
            assert_eq!(files, [Err(expected.to_owned())]);
        }
        for text in [
            "write_files: {}",
            "write_files: [a]",
            "write_files: [{path: [a]}]",
            "write_files: [{path: a, path: b}]",
            "write_files: [{content: !!binary '*'}]",
            "write_files: [{path: &a x}, {path: *a}]",
            "write_files: [",
            "[]",
            "text",
            "a: 1\na: 2\n",
        ] {
            assert!(write_files(text).is_err(), "{text}");
        }
        let broken = write_files("write_files: [{path: /a, encoding: gzip, content: x}]").unwrap();
        assert!(broken[0].as_ref().unwrap_err().starts_with("write_files[0]: gzip: "));
    }
}
