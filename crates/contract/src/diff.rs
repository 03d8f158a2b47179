//! Comparing two contracts, field by field.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::codec::{Field, Message, Options, View, encode_value, map_key};

/// A field that two contracts disagree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The field's path, as in issues.
    pub path: String,
    /// Its value in the first contract as JSON; `None` where it is unset.
    pub before: Option<String>,
    /// Its value in the second contract as JSON; `None` where it is unset.
    pub after: Option<String>,
}

/// Every field in which the two differ, in declaration order. Values are written as `options` say, so a masked
/// secret that differs is listed with the same mask on both sides.
pub fn diff(before: &dyn Message, after: &dyn Message, options: Options) -> Vec<Change> {
    let mut comparison = Comparison { options, changes: Vec::new() };
    comparison.messages(Some(before), Some(after), "");
    comparison.changes
}

struct Comparison {
    options: Options,
    changes: Vec<Change>,
}

impl Comparison {
    fn messages(&mut self, before: Option<&dyn Message>, after: Option<&dyn Message>, path: &str) {
        let Some(table) = before.or(after).map(Message::table) else { return };
        let listed = self.changes.len();
        for (index, field) in table.fields.iter().enumerate() {
            let path = if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
            self.views(field, &view(before, index), &view(after, index), &path);
        }
        if before.is_some() != after.is_some() && self.changes.len() == listed {
            // An empty message on one side: its presence is the difference.
            let side = |message: Option<&dyn Message>| message.map(|_| "{}".to_owned());
            self.changes.push(Change { path: path.to_owned(), before: side(before), after: side(after) });
        }
    }

    fn views(&mut self, field: &'static Field, before: &View<'_>, after: &View<'_>, path: &str) {
        match (before, after) {
            (View::Absent, View::Absent) => {}
            (View::Message(_), _) | (_, View::Message(_)) => {
                self.messages(as_message(before), as_message(after), path);
            }
            (View::List(_), _) | (_, View::List(_)) => {
                let (x, y) = (as_list(before), as_list(after));
                for index in 0..x.len().max(y.len()) {
                    let (x, y) =
                        (x.get(index).unwrap_or(&View::Absent), y.get(index).unwrap_or(&View::Absent));
                    self.views(field, x, y, &format!("{path}[{index}]"));
                }
            }
            (View::Map(_), _) | (_, View::Map(_)) => {
                let mut entries: BTreeMap<&str, (&View<'_>, &View<'_>)> = BTreeMap::new();
                for (key, value) in as_map(before) {
                    entries.insert(key, (value, &View::Absent));
                }
                for (key, value) in as_map(after) {
                    entries.entry(key).or_insert((&View::Absent, &View::Absent)).1 = value;
                }
                for (key, (x, y)) in entries {
                    self.views(field, x, y, &format!("{path}{}", map_key(key)));
                }
            }
            _ => {
                let text = |view: &View<'_>, options| {
                    (!matches!(view, View::Absent)).then(|| encode_value(view, field, options))
                };
                if text(before, Options::FILE) != text(after, Options::FILE) {
                    let (before, after) = (text(before, self.options), text(after, self.options));
                    self.changes.push(Change { path: path.to_owned(), before, after });
                }
            }
        }
    }
}

fn view(message: Option<&dyn Message>, index: usize) -> View<'_> {
    message.map_or(View::Absent, |message| message.view(index))
}

fn as_message<'v>(view: &View<'v>) -> Option<&'v dyn Message> {
    if let View::Message(message) = view { Some(*message) } else { None }
}

fn as_list<'v, 'm>(view: &'v View<'m>) -> &'v [View<'m>] {
    if let View::List(values) = view { values } else { &[] }
}

fn as_map<'v, 'm>(view: &'v View<'m>) -> &'v [(Cow<'m, str>, View<'m>)] {
    if let View::Map(entries) = view { entries } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Contract;
    use crate::codec::{Policy, decode};

    fn changes(before: &str, after: &str) -> Vec<(String, Option<String>, Option<String>)> {
        let [before, after] =
            [before, after].map(|text| decode::<Contract>(text.as_bytes(), Policy::Careful).message);
        diff(&before, &after, Options::SHOWN).into_iter().map(|c| (c.path, c.before, c.after)).collect()
    }

    #[test]
    fn contracts_are_compared_field_by_field() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(changes(r#"{"vmSize":"a"}"#, r#"{"vm_size":"a"}"#), []);
        assert_eq!(
            changes(
                r#"{"vm_size":"a","custom_ca_certs":["x"],"kubelet_config":{"kubelet_flags":{"--a":"1","--b":"2"}}}"#,
                r#"{"vm_size":"b","custom_ca_certs":["x","y"],"kubelet_config":{"kubelet_flags":{"--a":"1","--b":"3"}},
                    "is_vhd":false,"auth_config":{}}"#,
            ),
            [
                ("auth_config".to_owned(), None, some("{}")),
                (r#"kubelet_config.kubelet_flags["--b"]"#.to_owned(), some("\"2\""), some("\"3\"")),
                ("vm_size".to_owned(), some("\"a\""), some("\"b\"")),
                ("is_vhd".to_owned(), None, some("false")),
                ("custom_ca_certs[1]".to_owned(), None, some("\"y\"")),
            ]
        );
    }

    #[test]
    fn a_secret_that_differs_is_listed_but_not_shown() {
        let contract =
            |secret: &str| format!(r#"{{"auth_config":{{"service_principal_secret":"{secret}"}}}}"#);
        let mask = Some("\"<secret>\"".to_owned());
        assert_eq!(
            changes(&contract("one"), &contract("two")),
            [("auth_config.service_principal_secret".to_owned(), mask.clone(), mask)]
        );
    }
}
