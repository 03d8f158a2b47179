//! A document as a tree of values, for the documents around a contract: JSON here, YAML in `read::yaml`.

use crate::codec::{Reader, SyntaxError, Token};

/// Documents may be nested this deep. Trees are walked by recursion, so this also bounds the stack.
pub(super) const DEEPEST: usize = 64;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    /// Nothing, or something that says nothing here: null, booleans.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number as written.
    Number(String),
    /// Text.
    Text(String),
    /// Octets, which only YAML can say.
    Octets(Vec<u8>),
    /// Values in order.
    List(Vec<Tree>),
    /// Values by name, in the order of the document.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Reads a JSON document.
    pub(super) fn from_json(text: &[u8]) -> Result<Self, SyntaxError> {
        let mut reader = Reader::new(text);
        let start = reader.position();
        // A first pass finds what is too deep, so that the second cannot go there.
        reader.skip(DEEPEST)?;
        reader.finish()?;
        reader.rewind(start);
        value(&mut reader)
    }

    /// The member of an object; the first of several.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if this is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements; none if this is not a list.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

fn value(reader: &mut Reader<'_>) -> Result<Tree, SyntaxError> {
    Ok(match reader.token()? {
        Token::Null => Tree::Null,
        Token::Bool(value) => Tree::Bool(value),
        Token::Number(digits) => Tree::Number(digits.to_owned()),
        Token::Text(text) => Tree::Text(text.into_owned()),
        Token::List => {
            reader.enter();
            let mut items = Vec::new();
            while reader.element(items.is_empty())? {
                items.push(value(reader)?);
            }
            Tree::List(items)
        }
        Token::Object => {
            reader.enter();
            let mut members = Vec::new();
            while let Some((key, _)) = reader.key(members.is_empty())? {
                members.push((key.into_owned(), value(reader)?));
            }
            Tree::Object(members)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Problem;

    #[test]
    fn a_document_as_deep_as_allowed_is_read_and_a_deeper_one_is_refused() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Tree::from_json(nested(DEEPEST).as_bytes()).is_ok());
        let error = Tree::from_json(nested(DEEPEST + 1).as_bytes()).unwrap_err();
        assert_eq!(error.problem, Problem::TooDeep);
        assert!(Tree::from_json(nested(1_000_000).as_bytes()).is_err());
    }

    #[test]
    fn values_are_found_by_name() {
        let tree = Tree::from_json(br#" {"a": [1, "x", null, true], "b": {"c": "d"}} "#).unwrap();
        assert_eq!(tree.get("a").unwrap().items().len(), 4);
        assert_eq!(tree.get("b").and_then(|b| b.get("c")).and_then(Tree::text), Some("d"));
        assert_eq!(tree.get("x"), None);
    }
}
