//! The recorded configurations of the Go program, in its three generations, read by ours.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests read their data and fail by panicking"
)]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use slipway_contract::{Issue, Severity};
use slipway_flex::{Reading, read};

const GENERATIONS: [&str; 3] = ["config-v1", "config-apr26", "config-head"];

/// Cases that end otherwise here, with the reason. A text that one generation takes and another refuses can only be one of
/// the two for us, since a file does not say which it is for.
const OTHERWISE: &[(&str, &[&str], &str)] = &[
    (
        "a number is no text and a text no number: only the first generation took one for the other",
        &[
            "config-v1/label-number",
            "config-v1/maxpods-float-frac",
            "config-v1/maxpods-string",
            "config-v1/version-number",
        ],
        "wrong-type",
    ),
    (
        "a misspelt key looks like one that is set",
        &["config-v1/unknown-keys", "config-apr26/sp-unknown-keys", "config-head/sp-unknown-keys"],
        "unknown-key",
    ),
    (
        "the first generation fell back to Azure CLI in silence",
        &["config-v1/sp-without-tenantid"],
        "missing-key",
    ),
    (
        "the first generation did not know the token, which needs the cluster",
        &["config-v1/later-keys-in-v1"],
        "missing-key",
    ),
    ("an unknown cloud is not the public one", &["config-head/sp-cloud-nonsense"], "wrong-value"),
];

/// Cases that are errors there and configurations here, with the reason.
const TAKEN: &[(&str, &[&str])] = &[
    (
        "sovereign clouds came later",
        &["config-apr26/sp-cloud-azurechinacloud", "config-apr26/sp-cloud-azureusgovernment"],
    ),
    (
        "the subscription is in the cluster's id",
        &["config-apr26/missing-azure-subscriptionid", "config-apr26/subscription-from-id"],
    ),
    ("only Arc needs the tenant", &["config-apr26/no-tenant-sp"]),
    ("a token may stand beside an identity", &["config-apr26/auth-sp-and-token"]),
    ("clusterFQDN came later", &["config-apr26/auth-token-fqdn"]),
    (
        "the same text as config-v1/minimal: where no way to authenticate is named, it is Arc as in the first generation",
        &["config-apr26/auth-none", "config-head/auth-none"],
    ),
    ("host and cluster stand in for what Arc is not told, as before", &["config-head/auth-arc-minimal"]),
];

struct Case {
    name: String,
    vector: Value,
}

impl Case {
    fn read(&self) -> Reading {
        let text = self.vector["config_text"].as_str().unwrap_or_default();
        read(text.as_bytes(), self.vector["hostname"].as_str().unwrap())
    }

    fn has_principal(&self) -> bool {
        self.vector["config_text"].as_str().unwrap_or_default().contains("servicePrincipal")
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut cases = Vec::new();
    for generation in GENERATIONS {
        for entry in std::fs::read_dir(root.join(generation)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{generation}/{}", path.file_stem().unwrap().to_str().unwrap());
            let vector: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            // A file that is not there is the command's business.
            if !vector["config_file"].is_null() {
                cases.push(Case { name, vector });
            }
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(cases.len(), 166);
    cases
}

fn errors(reading: &Reading) -> Vec<&Issue> {
    reading.issues.iter().filter(|issue| issue.severity == Severity::Error).collect()
}

#[test]
fn every_recorded_configuration_ends_as_there_or_for_a_reason_otherwise() {
    for case in cases() {
        let reading = case.read();
        let errors = errors(&reading);
        assert_eq!(reading.config.is_none(), !errors.is_empty(), "{}", case.name);
        let otherwise = OTHERWISE.iter().find(|(_, names, _)| case.is(names));
        let taken = TAKEN.iter().any(|(_, names)| case.is(names));
        let ok = case.vector["result"] == "ok";
        assert_eq!(
            reading.config.is_some(),
            (ok && otherwise.is_none()) || taken,
            "{}: {:?}",
            case.name,
            reading.issues
        );
        if let Some((_, _, reason)) = otherwise {
            assert!(errors.iter().any(|issue| issue.reason == *reason), "{}: {errors:?}", case.name);
        }
        for issue in errors {
            assert!(issue.line >= 1 && issue.column >= 1, "{}: {issue:?}", case.name);
            assert!(!issue.path.is_empty() || issue.reason == "not-json", "{}: {issue:?}", case.name);
        }
    }
}

/// Whether everything that is expected is there; more may be.
fn holds(found: &Value, expected: &Value, path: &str, differences: &mut BTreeSet<String>) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (name, expected) in expected {
                holds(
                    found.get(name).unwrap_or(&Value::Null),
                    expected,
                    &format!("{path}.{name}"),
                    differences,
                );
            }
        }
        (found, expected) if found == expected => {}
        (found, expected) => {
            differences.insert(format!("{path}: {found}, not {expected}"));
        }
    }
}

#[test]
fn cluster_arc_authentication_and_api_values_are_those_of_the_peer() {
    for case in cases() {
        let Some(config) = case.read().config else { continue };
        if case.vector["result"] != "ok" {
            continue;
        }
        let report = config.report(true);
        let mut expected = case.vector["derived"].clone();
        // The plugin is ours, the installation chooses runc, and the environment has no say.
        if let Some(input) = expected.get_mut("nodeInput") {
            input["kubelet"].as_object_mut().unwrap().remove("exec");
            if input["runcVersion"] == "1.1.12" {
                input["runcVersion"] = json!("");
            }
        }
        if case.name == "config-head/apr-full" {
            // The latest generation forgot containerd.pauseImage.
            expected["nodeInput"]["sandboxImage"] = json!("p:1");
        }
        if case.name == "config-v1/arc-tag-casing" {
            // The peer's reader lowers the case of every key.
            expected["arc"]["tags"] = json!({"CostCenter": "X1", "Owner": "A.B"});
        }
        // All that the first generation took joins by Arc, but for what names a service principal.
        if case.name.starts_with("config-v1/") && !case.has_principal() {
            assert_eq!(report["derived"]["auth"], json!(["arc"]), "{}", case.name);
        }
        let mut differences = BTreeSet::new();
        holds(&report["derived"], &expected, "derived", &mut differences);
        assert!(differences.is_empty(), "{}: {differences:#?}", case.name);
    }
}

#[test]
fn effective_values_are_those_of_the_latest_generation() {
    for case in cases().into_iter().filter(|case| case.name.starts_with("config-head/")) {
        let Some(config) = case.read().config else { continue };
        if case.vector["result"] != "ok" {
            continue;
        }
        let report = config.report(true);
        let mut expected = case.vector["effective"].clone();
        let components = expected["components"].as_object_mut().unwrap();
        if components.get("runc") == Some(&json!("1.1.12")) {
            components.remove("runc");
        }
        let mut differences = BTreeSet::new();
        holds(&report["effective"], &expected, "effective", &mut differences);
        assert!(differences.is_empty(), "{}: {differences:#?}", case.name);
    }
}

#[test]
fn that_arc_is_meant_without_being_named_is_said_with_its_place() {
    for case in cases() {
        let reading = case.read();
        let unsaid: Vec<&Issue> = reading.issues.iter().filter(|it| it.reason == "arc-unsaid").collect();
        let named = case.vector["config_text"].as_str().unwrap_or_default().to_ascii_lowercase();
        let named = ["bootstraptoken", "\"arc\"", "managedidentity", "serviceprincipal"]
            .iter()
            .any(|word| named.contains(word));
        if reading.config.is_some() {
            assert_eq!(unsaid.len(), usize::from(!named), "{}: {:?}", case.name, reading.issues);
        }
        for issue in unsaid {
            assert_eq!((issue.severity, issue.path.as_str()), (Severity::Warning, "azure"), "{}", case.name);
            assert!(issue.line >= 1 && issue.hint.as_deref().unwrap().contains("\"arc\""), "{issue:?}");
        }
    }
}

#[test]
fn no_secret_is_in_a_report_or_an_issue_unless_asked_for() {
    for case in cases() {
        let reading = case.read();
        let issues = format!("{:?}", reading.issues);
        let report = reading.config.map(|config| config.report(false).to_string()).unwrap_or_default();
        for secret in ["s3cr3t", "0123456789abcdef"] {
            assert!(!issues.contains(secret) && !report.contains(secret), "{}", case.name);
        }
    }
}
