//! The pointer file: which hotfix is wanted for which image.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Map, Value};
use slipway_host::{self as host, Staged};
use slipway_model::Mode;

use super::path_error;
use super::version::base;

/// Which hotfix is wanted for which image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pointer {
    /// The one version of the controller, in files of the older form.
    pub version: String,
    /// The version of the script overrides.
    pub scripts_version: String,
    /// The version of the controller for each base.
    pub hotfixes: BTreeMap<String, String>,
    /// What a later version of the format has.
    others: Map<String, Value>,
}

impl Pointer {
    /// Reads the text of a pointer; nothing at all points nowhere.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        if text.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        let mut pointer = Self::default();
        match serde_json::from_slice(text).map_err(|error| error.to_string())? {
            Value::Object(members) => {
                for (key, value) in members {
                    pointer.set(key, value)?;
                }
                Ok(pointer)
            }
            Value::Null => Ok(pointer),
            _ => Err("it is not a JSON object".to_owned()),
        }
    }

    /// Sets one member. Its name is matched without case, as Go does.
    fn set(&mut self, key: String, value: Value) -> Result<(), String> {
        match key.to_ascii_lowercase().as_str() {
            "version" => self.version = string(&key, value)?.unwrap_or_default(),
            "scripts_version" => self.scripts_version = string(&key, value)?.unwrap_or_default(),
            "hotfixes" => self.hotfixes = versions(value)?,
            _ => {
                self.others.insert(key, value);
            }
        }
        Ok(())
    }

    /// Reads a pointer file; one that is not there points nowhere.
    pub fn read(path: &Path) -> Result<Self, String> {
        match host::read(path) {
            Ok(text) => {
                Self::parse(&text).map_err(|problem| format!("parsing {}: {problem}", path.display()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(path_error("open", path, &error)),
        }
    }

    /// The version of the controller that is wanted in place of the running one; empty for none. A table of bases
    /// replaces the older form even where it says nothing about this base.
    pub fn target(&self, running: &str) -> &str {
        let version = if self.hotfixes.is_empty() {
            Some(&self.version)
        } else {
            base(running).and_then(|base| self.hotfixes.get(base))
        };
        version.map(|version| version.trim()).unwrap_or_default()
    }

    /// The text of the file, known members in the peer's order. Under its name nothing follows that it does not know.
    fn text(&self, mode: Mode) -> String {
        let hotfixes = self.hotfixes.iter().map(|(base, version)| (base.clone(), version.as_str().into()));
        let known = [
            ("version", Value::from(self.version.as_str())),
            ("scripts_version", Value::from(self.scripts_version.as_str())),
            ("hotfixes", Value::Object(hotfixes.collect())),
        ];
        let others = self.others.iter().filter(|_| mode == Mode::Ours);
        let members: Vec<String> = known
            .iter()
            .filter(|(_, value)| value.as_str() != Some(""))
            .map(|(key, value)| (*key, value))
            .chain(others.map(|(key, value)| (key.as_str(), value)))
            .map(|(key, value)| format!("{}:{value}", Value::from(key)))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    /// Writes the file in place of the one that is there, with its mode.
    pub(super) fn write(&self, path: &Path, mode: Mode) -> Result<(), String> {
        let permissions = host::mode(path).unwrap_or(0o644);
        Staged::write(path, ".aks-node-controller-hotfix-", self.text(mode).as_bytes(), permissions)
            .and_then(Staged::commit)
            .map_err(|error| path_error("writing", path, &error))
    }
}

/// The table of bases.
pub(super) fn versions(value: Value) -> Result<BTreeMap<String, String>, String> {
    match value {
        Value::Null => Ok(BTreeMap::new()),
        Value::Object(members) => members
            .into_iter()
            .map(|(base, version)| {
                let version = string(&base, version)?.unwrap_or_default();
                Ok((base, version))
            })
            .collect(),
        _ => Err("hotfixes is not an object".to_owned()),
    }
}

fn string(key: &str, value: Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(format!("{key} is not a string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_comes_from_the_table_or_from_the_older_form() {
        for (text, expected) in [
            ("", ""),
            (" \n\t", ""),
            ("{}", ""),
            ("null", ""),
            (r#"{"version":" 202601.15.2 "}"#, "202601.15.2"),
            (r#"{"VERSION":"202601.15.2","x":[1]}"#, "202601.15.2"),
            (r#"{"version":"202601.15.2","hotfixes":{}}"#, "202601.15.2"),
            (r#"{"version":"202601.15.2","hotfixes":null}"#, "202601.15.2"),
            (r#"{"version":"202601.15.2","Hotfixes":{"202601.15":"202601.15.3"}}"#, "202601.15.3"),
            (r#"{"version":"202601.15.2","hotfixes":{"202512.01":"202512.01.1"}}"#, ""),
            (r#"{"hotfixes":{"202601.15":null}}"#, ""),
        ] {
            assert_eq!(Pointer::parse(text.as_bytes()).unwrap().target("202601.15.0"), expected, "{text}");
        }
        let table = Pointer::parse(br#"{"version":"1.2.3","hotfixes":{"dev":"1.2.4"}}"#).unwrap();
        assert_eq!(table.target("dev"), "");
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        for text in
            ["{", "[]", "7", r#"{"version":7}"#, r#"{"hotfixes":[]}"#, r#"{"hotfixes":{"a":1}}"#, "{} {}"]
        {
            assert!(Pointer::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_members_are_kept_under_our_name_only() {
        let text =
            br#"{"later":{"a":1},"Version":"1.2.3","hotfixes":{"b":"2","a":"1"},"scripts_version":""}"#;
        let pointer = Pointer::parse(text).unwrap();
        assert_eq!(pointer.text(Mode::Compat), r#"{"version":"1.2.3","hotfixes":{"a":"1","b":"2"}}"#);
        let ours = r#"{"version":"1.2.3","hotfixes":{"a":"1","b":"2"},"later":{"a":1}}"#;
        assert_eq!(pointer.text(Mode::Ours), ours);
        assert_eq!(Pointer::default().text(Mode::Compat), r#"{"hotfixes":{}}"#);
    }
}
