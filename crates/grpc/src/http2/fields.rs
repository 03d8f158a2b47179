use slipway_model::Secret;

use super::integer;

/// A field to be sent.
pub(crate) struct Literal<'a> {
    pub(crate) name: &'static str,
    pub(crate) value: &'a str,
    /// Whether nobody on the way may put it into a table.
    pub(crate) secret: bool,
}

/// The fields of a header or of trailers that arrived, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields(pub(super) Vec<(Vec<u8>, Vec<u8>)>);

impl Fields {
    /// The first field of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.iter().find(|(other, _)| other == name.as_bytes());
        found.map(|(_, value)| value.as_slice())
    }

    /// The three digits of an answer's status; `None` unless there are exactly those.
    pub(crate) fn status(&self) -> Option<u16> {
        let digits = self.get(":status")?;
        let well_formed = digits.len() == 3 && digits.iter().all(u8::is_ascii_digit);
        str::from_utf8(digits).ok().filter(|_| well_formed)?.parse().ok()
    }

    /// Whether the names are such as an answer may have.
    pub(super) fn are_well_formed(&self) -> bool {
        let is_pseudo = |name: &[u8]| name.first() == Some(&b':');
        let regular = self.0.iter().skip_while(|(name, _)| is_pseudo(name));
        let pseudo = self.0.iter().take_while(|(name, _)| is_pseudo(name));
        pseudo.clone().count() <= 1
            && pseudo.into_iter().all(|(name, _)| name == b":status")
            && regular.into_iter().all(|(name, _)| {
                !name.is_empty()
                    && name
                        .iter()
                        .all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && *byte != b':')
            })
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Fields {
    fn from(fields: [(&str, &str); N]) -> Self {
        Self(fields.map(|(name, value)| (name.into(), value.into())).into())
    }
}

/// A header block, made in one piece so that no copy of a credential stays behind in a smaller one.
pub(super) fn block(fields: &[Literal<'_>]) -> Secret<Vec<u8>> {
    const WITHOUT_INDEXING: u8 = 0x00;
    const NEVER_INDEXED: u8 = 0x10;
    /// One byte of kind, and two lengths.
    const MOST_OVERHEAD: usize = 1 + 5 + 5;
    let length: usize = fields.iter().map(|field| field.name.len() + field.value.len() + MOST_OVERHEAD).sum();
    let mut block = Vec::with_capacity(length);
    for field in fields {
        block.push(if field.secret { NEVER_INDEXED } else { WITHOUT_INDEXING });
        for text in [field.name, field.value] {
            integer::write(&mut block, 0, 7, text.len());
            block.extend_from_slice(text.as_bytes());
        }
    }
    Secret::new(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_marked_as_never_to_be_indexed() {
        let plain = Literal { name: "te", value: "trailers", secret: false };
        let secret = Literal { name: "password", value: "secret", secret: true };
        assert_eq!(block(&[plain, secret]).expose(), b"\0\x02te\x08trailers\x10\x08password\x06secret");
    }

    #[test]
    fn a_status_is_three_digits() {
        for (value, expected) in [("200", Some(200)), ("20", None), ("+20", None), ("2000", None)] {
            assert_eq!(Fields::from([(":status", value)]).status(), expected);
        }
        assert_eq!(Fields::default().status(), None);
    }

    #[test]
    fn names_that_no_answer_has_are_noticed() {
        for (fields, expected) in [
            (Fields::from([(":status", "200"), ("te", "x")]), true),
            (Fields::from([("te", "x"), ("grpc-status", "0")]), true),
            (Fields::from([("te", "x"), (":status", "200")]), false),
            (Fields::from([(":status", "200"), (":status", "200")]), false),
            (Fields::from([(":path", "/"), ("te", "x")]), false),
            (Fields::from([("Te", "x"), ("a", "")]), false),
            (Fields::from([("", "x"), ("a", "")]), false),
        ] {
            assert_eq!(fields.are_well_formed(), expected, "{fields:?}");
        }
    }
}
