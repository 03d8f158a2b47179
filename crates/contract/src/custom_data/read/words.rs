//! Shell text as words and operators: enough to see what a script writes and starts, never to run it.

use std::collections::BTreeMap;

/// All that variables may add to a script's words.
const MOST_EXPANSION: usize = 1 << 20;
/// A value longer than this is data and is not put in place of its name.
const LONGEST_VALUE: usize = 4096;

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, quotes removed and known variables in place.
    Word(String),
    /// `|`, `&&`, `>`, `<<`, …
    Operator(String),
}

impl Token {
    /// The word, if this is one.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Operator(_) => None,
        }
    }

    /// Whether this is the operator.
    pub(super) fn is(&self, operator: &str) -> bool {
        matches!(self, Self::Operator(found) if found == operator)
    }
}

/// The variables that a script has set to plain values.
#[derive(Default)]
pub(super) struct Variables {
    known: BTreeMap<String, String>,
    spent: usize,
}

impl Variables {
    /// Remembers an assignment.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if value.len() <= LONGEST_VALUE && !value.contains(['$', '`']) {
            self.known.insert(name.to_owned(), value.to_owned());
        }
    }

    /// The values, in the order of their names.
    pub(super) fn values(&self) -> impl Iterator<Item = &String> {
        self.known.values()
    }

    fn value(&mut self, name: &str) -> Option<String> {
        let value = self.known.get(name)?;
        self.spent += value.len();
        (self.spent <= MOST_EXPANSION).then(|| value.clone())
    }
}

/// The name and value of a word that is an assignment.
pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.bytes().all(is_name)).then_some((name, value))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Takes a text apart. Quotes that are not closed end with the text.
pub(super) fn tokens(text: &str, variables: &mut Variables) -> Vec<Token> {
    let mut splitter = Splitter { text, at: 0, word: None, tokens: Vec::new(), variables };
    splitter.run();
    splitter.tokens
}

struct Splitter<'a> {
    text: &'a str,
    at: usize,
    word: Option<String>,
    tokens: Vec<Token>,
    variables: &'a mut Variables,
}

impl<'a> Splitter<'a> {
    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => self.operator("\n"),
                '#' if self.word.is_none() => self.skip_comment(),
                '\'' => {
                    let quoted = self.until('\'');
                    self.word.get_or_insert_default().push_str(quoted);
                }
                '"' => self.double_quoted(),
                '\\' => {
                    let escaped = self.next();
                    if let Some(escaped) = escaped.filter(|c| *c != '\n') {
                        self.word.get_or_insert_default().push(escaped);
                    }
                }
                '$' => self.dollar(),
                '|' | '&' | ';' | '<' | '>' | '(' | ')' => self.operators(c),
                other => self.word.get_or_insert_default().push(other),
            }
        }
        self.end_word();
    }

    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text up to a character, which is stepped over.
    fn until(&mut self, end: char) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(end).unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.text.len());
        &rest[..length]
    }

    fn skip_comment(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn double_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => {
                    if let Some(escaped) = self.next() {
                        let word = self.word.get_or_insert_default();
                        if !matches!(escaped, '"' | '\\' | '$' | '`') {
                            word.push('\\');
                        }
                        word.push(escaped);
                    }
                }
                '$' => self.dollar(),
                other => self.word.get_or_insert_default().push(other),
            }
        }
    }

    /// A variable, or a substitution that is kept as it stands.
    fn dollar(&mut self) {
        let start = self.at;
        if self.peek() == Some(b'(') {
            self.substitution();
            let kept = &self.text[start - 1..self.at];
            self.word.get_or_insert_default().push_str(kept);
            return;
        }
        let braces = self.peek() == Some(b'{');
        let from = start + usize::from(braces);
        let bytes = &self.text.as_bytes()[from..];
        let length = bytes.iter().take_while(|byte| is_name(**byte)).count();
        let end = from + length;
        let closed = !braces || self.text.as_bytes().get(end) == Some(&b'}');
        let value = (length > 0 && closed).then(|| self.variables.value(&self.text[from..end])).flatten();
        let word = self.word.get_or_insert_default();
        match value {
            Some(value) => {
                word.push_str(&value);
                self.at = end + usize::from(braces);
            }
            None => word.push('$'),
        }
    }

    /// Steps over `( … )` with what is nested in it.
    fn substitution(&mut self) {
        let mut open = 0usize;
        while let Some(c) = self.next() {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    fn operators(&mut self, first: char) {
        // A number before a redirection belongs to it.
        if matches!(first, '<' | '>')
            && self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
        {
            self.word = None;
        }
        let longest: &[&str] = match first {
            '|' => &["||"],
            '&' => &["&&", "&>"],
            '<' => &["<<<", "<<-", "<<"],
            '>' => &[">>", ">&"],
            _ => &[],
        };
        let rest = &self.text[self.at - 1..];
        let operator = longest.iter().find(|operator| rest.starts_with(**operator));
        match operator {
            Some(operator) => {
                self.at += operator.len() - 1;
                self.operator(operator);
            }
            None => self.operator(&first.to_string()),
        }
    }

    fn operator(&mut self, operator: &str) {
        self.end_word();
        self.tokens.push(Token::Operator(operator.to_owned()));
    }

    fn end_word(&mut self) {
        self.tokens.extend(self.word.take().map(Token::Word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut variables = Variables::default();
        variables.set("d", "/opt");
        let kept = |token| match token {
            Token::Word(word) => word,
            Token::Operator(operator) => format!("«{operator}»"),
        };
        tokens(text, &mut variables).into_iter().map(kept).collect()
    }

    #[test]
    fn words_lose_their_quotes_and_get_their_variables() {
        assert_eq!(
            split(r#"a "b c" 'd $d' $d/x "${d}"y \$d $z"#),
            ["a", "b c", "d $d", "/opt/x", "/opty", "$d", "$z"]
        );
        assert_eq!(
            split("x=$(a (b) c)z;y>>f 2>&1&"),
            ["x=$(a (b) c)z", "«;»", "y", "«>>»", "f", "«>&»", "1", "«&»"]
        );
        assert_eq!(
            split("cat <<'EOF' | base64 -d >$d/f # why"),
            ["cat", "«<<»", "EOF", "«|»", "base64", "-d", "«>»", "/opt/f"]
        );
        assert_eq!(split("\"open"), ["open"]);
        assert_eq!(split("$("), ["$("]);
    }

    #[test]
    fn expansion_of_variables_is_bounded() {
        let mut variables = Variables::default();
        variables.set("a", &"x".repeat(LONGEST_VALUE));
        let words = tokens(&"$a ".repeat(100_000), &mut variables);
        let total: usize = words.iter().filter_map(Token::word).map(str::len).sum();
        assert!(total < 2 * MOST_EXPANSION);
    }
}
