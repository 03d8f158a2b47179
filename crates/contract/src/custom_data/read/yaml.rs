//! The plain block style of YAML that `write_files` documents are written in: mappings, sequences, quoted and
//! plain scalars, block scalars and `!!binary`. Anything else is an error that names its line, except flow
//! collections, which are read if they are JSON and kept as text otherwise.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::ReadProblem;
use crate::custom_data::tree::{DEEPEST, Tree};

/// Reads a document.
pub(super) fn parse(text: &str) -> Result<Tree, ReadProblem> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_end() == "..." {
            break;
        }
        let content = line.trim_start_matches(' ');
        let start = if line.trim_end() == "---" { "" } else { content };
        lines.push(Line { number: index + 1, indent: line.len() - content.len(), content: start, raw: line });
    }
    let mut parser = Parser { lines, at: 0 };
    let tree = parser.block(0, 0)?;
    match parser.peek() {
        None => Ok(tree),
        Some(line) => Err(line.error("this line is indented in a way that is not read here")),
    }
}

#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    indent: usize,
    /// What follows the indentation and the dashes that were read.
    content: &'a str,
    raw: &'a str,
}

impl<'a> Line<'a> {
    fn error(&self, what: &'static str) -> ReadProblem {
        ReadProblem::Yaml { line: self.number, what }
    }

    fn is_item(&self) -> bool {
        self.content == "-" || self.content.starts_with("- ")
    }

    /// The key and the rest of the line, if it has a key.
    fn entry(&self) -> Option<(String, &'a str)> {
        let content = self.content;
        if content.starts_with(['"', '\'']) {
            let (key, rest) = quoted(content)?;
            let rest = rest.trim_start().strip_prefix(':')?;
            return (rest.is_empty() || rest.starts_with(' ')).then(|| (key, rest.trim()));
        }
        if content.starts_with(['{', '[', '|', '>', '!', '&', '*', '%', '@', '`']) {
            return None;
        }
        if let Some((key, rest)) = content.split_once(": ") {
            return Some((key.trim().to_owned(), rest.trim()));
        }
        let key = content.trim_end().strip_suffix(':')?;
        Some((key.trim().to_owned(), ""))
    }
}

struct Parser<'a> {
    lines: Vec<Line<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    /// The next line that says something.
    fn peek(&mut self) -> Option<Line<'a>> {
        while let Some(line) = self.lines.get(self.at) {
            let content = line.content.trim_end();
            if !content.is_empty() && !content.starts_with('#') {
                return Some(*line);
            }
            self.at += 1;
        }
        None
    }

    /// The value that starts on the next line, if that is indented at least this much.
    fn block(&mut self, least: usize, depth: usize) -> Result<Tree, ReadProblem> {
        let Some(line) = self.peek().filter(|line| line.indent >= least) else { return Ok(Tree::Null) };
        if depth == DEEPEST {
            return Err(line.error("this is nested too deep"));
        }
        if line.content.starts_with('\t') {
            return Err(line.error("a tab cannot indent YAML"));
        }
        if line.is_item() {
            return self.sequence(line.indent, depth);
        }
        if line.entry().is_some() {
            return self.mapping(line.indent, depth);
        }
        self.at += 1;
        // What a block scalar on its own line belongs to is the item around it.
        self.scalar(&line, line.content.trim(), least.saturating_sub(1))
    }

    fn sequence(&mut self, indent: usize, depth: usize) -> Result<Tree, ReadProblem> {
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent && line.is_item()) {
            let rest = line.content[1..].trim_start_matches(' ');
            if rest.is_empty() || rest.starts_with('#') {
                self.at += 1;
            } else if let Some(current) = self.lines.get_mut(self.at) {
                // The rest of the line is the item's first line, indented to where it stands.
                current.indent = indent + line.content.len() - rest.len();
                current.content = rest;
            }
            items.push(self.block(indent + 1, depth + 1)?);
        }
        Ok(Tree::List(items))
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Result<Tree, ReadProblem> {
        let mut members = Vec::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent && !line.is_item()) {
            let Some((key, rest)) = line.entry() else {
                return Err(line.error("a key with a colon has to stand here"));
            };
            self.at += 1;
            let value = if rest.is_empty() || rest.starts_with('#') {
                // A sequence may stand as far left as the key it belongs to.
                let least = match self.peek() {
                    Some(next) if next.indent == indent && next.is_item() => indent,
                    _ => indent + 1,
                };
                self.block(least, depth + 1)?
            } else {
                self.scalar(&line, rest, indent)?
            };
            members.push((key, value));
        }
        Ok(Tree::Object(members))
    }

    /// A value that starts with `text` on a line whose owner is indented by `indent`.
    fn scalar(&mut self, line: &Line<'_>, text: &str, indent: usize) -> Result<Tree, ReadProblem> {
        let (tag, text) = match text.strip_prefix('!') {
            Some(tagged) => tagged.split_once(' ').map_or((tagged, ""), |(tag, text)| (tag, text.trim())),
            None => ("", text),
        };
        let value = match text.bytes().next() {
            Some(b'|' | b'>') => self.block_scalar(line, text, indent)?,
            Some(b'"' | b'\'') => match quoted(text) {
                Some((value, rest)) if rest.trim().is_empty() || rest.trim().starts_with('#') => value,
                _ => return Err(line.error("a quoted text over several lines is not read here")),
            },
            Some(b'&' | b'*' | b'%' | b'@' | b'`') => {
                return Err(line.error("anchors and aliases are not read here"));
            }
            Some(b'{' | b'[') => {
                return Ok(Tree::from_json(text.as_bytes()).unwrap_or_else(|_| Tree::Text(text.to_owned())));
            }
            _ => {
                let plain = text.split_once(" #").map_or(text, |(plain, _)| plain.trim_end());
                if tag.is_empty() {
                    return Ok(plain_value(plain));
                }
                plain.to_owned()
            }
        };
        match tag {
            "" | "!str" => Ok(Tree::Text(value)),
            "!binary" => {
                let digits: String = value.chars().filter(|c| !c.is_ascii_whitespace()).collect();
                BASE64_STANDARD.decode(digits).map(Tree::Octets).map_err(|_| ReadProblem::Base64)
            }
            _ => Err(line.error("this tag is not read here")),
        }
    }

    /// The lines of `|` or `>` that are indented more than their owner.
    fn block_scalar(&mut self, line: &Line<'_>, head: &str, indent: usize) -> Result<String, ReadProblem> {
        let marks = head.split_once('#').map_or(head, |(marks, _)| marks).trim_end();
        let explicit = marks.chars().skip(1).find_map(|c| c.to_digit(10));
        let mut width = explicit.and_then(|digit| usize::try_from(digit).ok()).map(|digit| indent + digit);
        if !marks.chars().skip(1).all(|c| matches!(c, '+' | '-' | '1'..='9')) {
            return Err(line.error("this cannot follow the sign of a block of text"));
        }
        let folds = head.starts_with('>');
        let mut text = String::new();
        while let Some(next) = self.lines.get(self.at) {
            let raw = next.raw;
            let blank = raw.trim_matches(' ').is_empty();
            let spaces = raw.len() - raw.trim_start_matches(' ').len();
            if !blank && spaces <= indent {
                break;
            }
            let width = if blank { width.unwrap_or(0) } else { *width.get_or_insert(spaces) };
            text.push_str(raw.get(width..).unwrap_or_default());
            text.push(if folds && !blank { ' ' } else { '\n' });
            self.at += 1;
        }
        let kept = text.trim_end_matches(['\n', ' ']);
        let kept_length = if folds { kept.len() } else { text.trim_end_matches('\n').len() };
        if marks.contains('-') {
            text.truncate(kept_length);
        } else if !marks.contains('+') {
            text.truncate(kept_length);
            if kept_length > 0 {
                text.push('\n');
            }
        }
        Ok(text)
    }
}

fn plain_value(text: &str) -> Tree {
    match text {
        "" | "~" | "null" => Tree::Null,
        "true" | "True" | "yes" => Tree::Bool(true),
        "false" | "False" | "no" => Tree::Bool(false),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => Tree::Number(text.to_owned()),
        _ => Tree::Text(text.to_owned()),
    }
}

/// The quoted text at the start, and what follows its closing quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next()?;
    let mut value = String::new();
    let mut rest = text[1..].chars();
    while let Some(c) = rest.next() {
        if c == '\\' && quote == '"' {
            value.push(escaped(&mut rest)?);
        } else if c != quote {
            value.push(c);
        } else if quote == '\'' && rest.as_str().starts_with('\'') {
            rest.next();
            value.push('\'');
        } else {
            return Some((value, rest.as_str()));
        }
    }
    None
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let digits = match rest.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        '0' => return Some('\0'),
        'e' => return Some('\u{1b}'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let code = rest.as_str().get(..digits)?;
    rest.nth(digits - 1);
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}
