//! Secrets that can be recognised, in every field that holds one.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use slipway_contract::Contract;
use slipway_contract::codec::{Field, Format, Kind, Message as _, MessageTable, Sensitivity};

/// A field that holds a secret, and what is sown there.
pub(crate) struct Seed {
    pub(crate) path: String,
    pub(crate) value: String,
    /// The texts that give the secret away.
    traces: Vec<String>,
}

/// A seed for every field whose value may not be shown, or not all of it.
pub(crate) fn seeds() -> Vec<Seed> {
    let mut found = Vec::new();
    walk(Contract::default().table(), "", &mut found);
    found
        .into_iter()
        .enumerate()
        .map(|(number, (path, field))| {
            let marker = format!("sown{number:02}mark");
            let (value, markers) = match field.format {
                // Six letters, a dot, sixteen letters.
                Format::Named("bootstrap-token") => {
                    let (id, key) = (format!("sown{number:02}"), format!("{marker}123456"));
                    (format!("{id}.{key}"), vec![format!("{id}."), key])
                }
                Format::Named("base64" | "pem-private-key") => {
                    let value = BASE64_STANDARD.encode(&marker);
                    (value.clone(), vec![marker, value])
                }
                // Nothing listens on the port, so what is fetched from there fails.
                _ if field.sensitivity == Sensitivity::Credentials => {
                    let url = format!("http://u{marker}:p{marker}@127.0.0.1:9/v1.2.3/file.tgz?sig=q{marker}");
                    (url, vec![marker])
                }
                _ => (marker.clone(), vec![marker]),
            };
            let traces = markers.iter().flat_map(|marker| traces(marker)).collect();
            Seed { path, value, traces }
        })
        .collect()
}

fn walk(table: &'static MessageTable, above: &str, found: &mut Vec<(String, &'static Field)>) {
    for field in table.fields {
        let path = format!("{above}{}", field.name);
        match field.kind {
            Kind::Message(inner) => walk(inner, &format!("{path}."), found),
            _ if field.sensitivity != Sensitivity::Public => found.push((path, field)),
            _ => {}
        }
    }
}

/// A text, and what is left of it in base64 wherever it begins in what was encoded.
fn traces(marker: &str) -> Vec<String> {
    let encoded = (0..3).map(|before| {
        let text = BASE64_STANDARD.encode([&vec![b' '; before][..], marker.as_bytes()].concat());
        let whole = (before + marker.len()) / 3 * 4;
        text[if before == 0 { 0 } else { 4 }..whole].to_owned()
    });
    encoded.chain([marker.to_owned()]).collect()
}

impl Seed {
    /// Whether a text gives the secret away.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        let has = |trace: &String| text.windows(trace.len()).any(|part| part == trace.as_bytes());
        self.traces.iter().any(has)
    }

    /// Puts the secret into a contract, with something behind it that may spoil it.
    pub(crate) fn sow(&self, contract: &mut Value, behind: &str) {
        let mut at = contract;
        for name in self.path.split('.') {
            at = &mut at[name];
        }
        *at = format!("{}{behind}", self.value).into();
    }
}

#[test]
fn a_secret_is_found_also_inside_base64() {
    let seeds = seeds();
    assert!(seeds.len() > 15);
    for seed in &seeds {
        for before in ["", "a", "ab", "abc"] {
            let text = format!("{before}{} and more", seed.value);
            assert!(seed.is_in(text.as_bytes()), "{}", seed.path);
            assert!(seed.is_in(BASE64_STANDARD.encode(&text).as_bytes()), "{}: {text}", seed.path);
        }
        assert!(!seeds.iter().any(|other| other.path != seed.path && other.is_in(seed.value.as_bytes())));
    }
}
