//! The cases: contracts and machines, each told by what is special about it.

use std::path::Path;

use serde_json::Value;

/// The case that all others differ from.
pub(crate) const PLAIN: &str = "plain";

/// A contract and the machine that it is for.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) contract: Value,
    pub(crate) facts: Value,
}

/// All cases, in the order of their names.
pub(crate) fn cases() -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/contracts");
    let entries = std::fs::read_dir(directory).unwrap();
    let file_stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries.map(|entry| file_stem(&entry.unwrap().path())).collect();
    names.sort();
    names.iter().map(|name| case(name)).collect()
}

/// The case that asks for nothing in particular.
pub(crate) fn plain() -> Case {
    case(PLAIN)
}

fn case(name: &str) -> Case {
    let base = read(PLAIN);
    let special = if name == PLAIN { Value::Null } else { read(name) };
    let part = |part: &str| match special.get(part) {
        Some(special) => merged(base[part].clone(), special.clone()),
        None => base[part].clone(),
    };
    Case {
        name: name.to_owned(),
        about: part("about").as_str().unwrap().to_owned(),
        contract: part("contract"),
        facts: part("facts"),
    }
}

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/native/contracts/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A document with a merge patch (RFC 7396) applied: members replace, null takes away.
pub(crate) fn merged(base: Value, patch: Value) -> Value {
    let Value::Object(patch) = patch else { return patch };
    let mut members = if let Value::Object(members) = base { members } else { serde_json::Map::new() };
    for (name, value) in patch {
        let before = members.remove(&name);
        if !value.is_null() {
            members.insert(name, merged(before.unwrap_or_default(), value));
        }
    }
    Value::Object(members)
}
