//! Shapes: what one value has to look like. The contract's table names a shape for each field; here is what
//! the names mean, and the walk that holds every value against its shape.

pub(super) mod address;
pub(super) mod bounds;
pub(super) mod encoded;
pub(super) mod kube;
pub(super) mod machine;

use std::borrow::Cow;

use super::Rule;
use super::findings::Findings;
use crate::Contract;
use crate::codec::{Field, Format, Message, MessageTable, Sensitivity, View, map_key, quote};

/// Why a value does not have its shape.
///
/// A borrowed text is a constant and cannot hold the value, so it may be said of a secret; an owned one may
/// quote the value, so it is kept to fields that may be shown.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    pub(super) why: Cow<'static, str>,
    pub(super) hint: Cow<'static, str>,
}

pub(super) type Verdict = Result<(), Wrong>;

/// A value that does not have its shape, for this reason.
pub(super) fn wrong(why: impl Into<Cow<'static, str>>) -> Verdict {
    Err(Wrong { why: why.into(), hint: Cow::Borrowed("") })
}

/// A value that does not have its shape, for this reason, and what to try.
pub(super) fn wrong_try(why: impl Into<Cow<'static, str>>, hint: impl Into<Cow<'static, str>>) -> Verdict {
    Err(Wrong { why: why.into(), hint: hint.into() })
}

/// A named shape.
pub(super) struct Shape {
    /// The rule; its id is the name in the table.
    rule: &'static Rule,
    /// What a value of this shape is, for "… is not …".
    noun: &'static str,
    parse: Parse,
}

enum Parse {
    /// Each text of the field.
    Text(fn(&str) -> Verdict),
    /// Each key of the map.
    Key(fn(&str) -> Verdict),
    /// Each key of the map together with its text.
    Entry(fn(&str, &str) -> Verdict),
    /// Each text, by a function that has more than one thing to report.
    Whole(fn(&str, &str, &mut Findings<'_>)),
    /// Each whole number.
    Number(fn(i64) -> Verdict),
}

/// Every named shape.
static SHAPES: &[&[Shape]] = &[encoded::SHAPES, address::SHAPES, kube::SHAPES, machine::SHAPES];

fn named(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().flat_map(|group| group.iter()).find(|shape| shape.rule.id == name)
}

/// Holds every value of the contract against its shape.
pub(super) fn check(contract: &Contract, findings: &mut Findings<'_>) {
    walk(contract, "", &mut |site| held_against_shape(&site, findings));
}

/// One value on the walk through a contract.
pub(super) struct Site<'s> {
    pub(super) table: &'static MessageTable,
    pub(super) field: &'static Field,
    pub(super) path: &'s str,
    /// The key, when the value is an entry of a map.
    pub(super) key: Option<&'s str>,
    pub(super) value: &'s View<'s>,
}

impl Site<'_> {
    /// The value's text, if it is one. Secrets are opened here to be looked at; they go into no message.
    pub(super) fn text(&self) -> Option<&str> {
        match self.value {
            View::Text(text) => Some(text),
            View::Secret(secret) => Some(secret.expose()),
            _ => None,
        }
    }

    pub(super) fn is_public(&self) -> bool {
        self.field.sensitivity == Sensitivity::Public
    }

    /// The value for a message, or a stand-in if it must not be seen.
    pub(super) fn shown(&self) -> String {
        match (self.is_public(), self.text()) {
            (true, Some(text)) => quote(text),
            _ => "the value (not shown here)".to_owned(),
        }
    }
}

/// Visits every value that is set, entries of lists and maps one by one.
pub(super) fn walk(message: &dyn Message, path: &str, visit: &mut dyn FnMut(Site<'_>)) {
    let table = message.table();
    for (index, field) in table.fields.iter().enumerate() {
        let view = message.view(index);
        if matches!(view, View::Absent) {
            continue;
        }
        let path = if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
        match view {
            View::List(values) => {
                for (index, value) in values.iter().enumerate() {
                    step(table, field, &format!("{path}[{index}]"), None, value, visit);
                }
            }
            View::Map(entries) => {
                for (key, value) in &entries {
                    let path = format!("{path}{}", map_key(key));
                    step(table, field, &path, Some(key), value, visit);
                }
            }
            value => step(table, field, &path, None, &value, visit),
        }
    }
}

fn step<'v>(
    table: &'static MessageTable,
    field: &'static Field,
    path: &str,
    key: Option<&str>,
    value: &View<'v>,
    visit: &mut dyn FnMut(Site<'_>),
) {
    visit(Site { table, field, path, key, value });
    if let View::Message(message) = value {
        walk(*message, path, visit);
    }
}

fn held_against_shape(site: &Site<'_>, findings: &mut Findings<'_>) {
    if findings.is_full() {
        return;
    }
    match site.field.format {
        Format::Any => {}
        Format::OneOf(words) => bounds::one_of(site, words, findings),
        Format::Range(low, high) => bounds::range(site, low, high, &bounds::RANGE, findings),
        Format::Sysctl(low, high) => bounds::range(site, low, high, &bounds::SYSCTL_RANGE, findings),
        Format::Named(name) => {
            if let Some(shape) = named(name) {
                held_against(shape, site, findings);
            }
        }
    }
}

fn held_against(shape: &Shape, site: &Site<'_>, findings: &mut Findings<'_>) {
    let verdict = match (&shape.parse, site.key, site.text(), site.value) {
        (Parse::Text(parse), _, Some(text), _) if !text.is_empty() => parse(text),
        (Parse::Key(parse), Some(key), _, _) => parse(key),
        (Parse::Entry(parse), Some(key), Some(text), _) => parse(key, text),
        (Parse::Whole(check), _, Some(text), _) => {
            check(site.path, text, findings);
            Ok(())
        }
        (Parse::Number(parse), _, _, View::Int(number)) => parse(*number),
        _ => Ok(()),
    };
    let Err(Wrong { why, hint }) = verdict else { return };
    let tellable =
        |text: &Cow<'static, str>| !text.is_empty() && (site.is_public() || matches!(text, Cow::Borrowed(_)));
    let found = match (&shape.parse, site.key, site.value) {
        (Parse::Key(_), Some(key), _) => quote(key),
        (Parse::Entry(_), Some(key), _) => format!("{}: {}", quote(key), site.shown()),
        (_, _, View::Int(number)) => number.to_string(),
        _ => site.shown(),
    };
    let mut message = format!("{found} is not {}", shape.noun);
    if tellable(&why) {
        message.push_str(": ");
        message.push_str(&why);
    }
    if tellable(&hint) {
        findings.advise(shape.rule, site.path, message, hint.into_owned());
    } else {
        findings.report(shape.rule, site.path, message);
    }
}

#[cfg(test)]
mod tests;
