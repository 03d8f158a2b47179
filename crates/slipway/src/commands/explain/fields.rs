//! The contract's fields by path: which there are, and what is in them.

use serde_json::Value;
use slipway_contract::codec::{Kind, Message as _, MessageTable};
use slipway_contract::{Change, Contract};

use crate::commands::config::shown;

/// The values of one contract, secrets masked, and the facts beside them.
pub(super) struct Fields<'a> {
    set: Vec<Change>,
    pub(super) facts: &'a Value,
}

impl<'a> Fields<'a> {
    pub(super) fn new(contract: &Contract, facts: &'a Value) -> Self {
        Self { set: slipway_contract::diff(&Contract::default(), contract, shown(false)), facts }
    }

    /// What the contract says in a field; of one with parts, how many are set.
    pub(super) fn value(&self, path: &str) -> Option<String> {
        let path = path.replace('"', "");
        let inside = |change: &&Change| {
            let rest = change.path.replace('"', "");
            rest.strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let found: Vec<&Change> = self.set.iter().filter(inside).collect();
        match found[..] {
            [] => None,
            [one] if one.path.replace('"', "") == path => one.after.clone(),
            _ => Some(format!("{} values", found.len())),
        }
    }
}

/// The paths of all fields, messages included, each before its parts.
pub(super) fn paths() -> Vec<String> {
    let mut paths = Vec::new();
    walk(Contract::default().table(), "", &mut paths);
    paths
}

fn walk(table: &'static MessageTable, prefix: &str, paths: &mut Vec<String>) {
    for field in table.fields {
        let path = format!("{prefix}{}", field.name);
        if let Kind::Message(inner) = field.kind {
            paths.push(path.clone());
            walk(inner, &format!("{path}."), paths);
        } else {
            paths.push(path);
        }
    }
}

/// A path without the keys of maps and the places in lists.
pub(super) fn without_keys(path: &str) -> String {
    let mut depth = 0_u32;
    path.chars()
        .filter(|letter| {
            let before = depth;
            depth = match letter {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => depth,
            };
            before == 0 && depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_path_with_and_without_keys() {
        let paths = paths();
        assert!(paths.iter().any(|path| path == "kubelet_config.kubelet_flags"));
        assert!(paths.iter().any(|path| path == "kubelet_config"));
        assert_eq!(without_keys("a.b[x.y].c[0]"), "a.b.c");
    }
}
