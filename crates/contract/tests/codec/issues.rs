//! What is said about a text with something wrong on every line.

use slipway_contract::Contract;
use slipway_contract::Severity::{self, Error, Note, Warning};
use slipway_contract::codec::{Decoded, Options, Policy, decode, decode_with_places, encode};

const TEXT: &str = r#"{
  "version": "v1",
  "vmsize": "Standard_D4s_v5",
  "isVHD": true,
  "teleport_config": {"status": true},
  "vm_size": 4,
  "vmSize": "again",
  "is_vhd": "true",
  "workload_runtime": "WORKLOAD_RUNTIME_OCI",
  "cluster_config": {
    "locaton": "westus3",
    "vm_type": 9,
    "use_instance_metadata": 1,
    "load_balancer_config": {"max_load_balancer_rule_count": 2147483648}
  },
  "custom_ca_certs": ["a", null, {"b": 1}],
  "enabled_features": {"A": "1", "B": 2, "A": "3"},
  "http_proxy_config": [],
  "//": "a comment is no issue", "é": 0, "cse_timeout": 1.5,
  "kubelet_config": {"kubelet_client_key": 5, "kubelet_flags": null}
}"#;

/// Path, line, column, severity, reason, hint.
type Expected<'a> = (&'a str, usize, usize, Severity, &'a str, Option<&'a str>);

const EXPECTED: &[Expected<'static>] = &[
    ("vmsize", 3, 3, Warning, "unknown-field", Some("did you mean vmSize?")),
    ("isVHD", 4, 3, Warning, "unknown-field", Some("did you mean isVhd?")),
    ("teleport_config", 5, 3, Warning, "unknown-field", Some("the contract had this field once; remove it")),
    ("vm_size", 6, 14, Error, "wrong-type", None),
    ("vm_size", 7, 3, Error, "duplicate-field", Some(SAME_FIELD)),
    ("is_vhd", 8, 13, Error, "wrong-type", None),
    ("workload_runtime", 9, 23, Warning, "unknown-enum-value", Some(RUNTIMES)),
    ("cluster_config.locaton", 11, 5, Warning, "unknown-field", Some("did you mean location?")),
    ("cluster_config.vm_type", 12, 16, Warning, "unknown-enum-value", None),
    ("cluster_config.use_instance_metadata", 13, 30, Error, "wrong-type", None),
    (RULE_COUNT, 14, 62, Error, "wrong-type", None),
    ("custom_ca_certs[1]", 16, 28, Error, "wrong-type", None),
    ("custom_ca_certs[2]", 16, 34, Error, "wrong-type", None),
    ("enabled_features[\"B\"]", 17, 39, Error, "wrong-type", None),
    ("enabled_features[\"A\"]", 17, 42, Error, "duplicate-key", Some("remove one of the two")),
    ("http_proxy_config", 18, 24, Error, "wrong-type", None),
    ("[\"é\"]", 19, 34, Warning, "unknown-field", None),
    ("cse_timeout", 19, 57, Error, "wrong-type", None),
    ("kubelet_config.kubelet_client_key", 20, 44, Error, "wrong-type", None),
    ("kubelet_config.kubelet_flags", 20, 47, Note, "null-ignored", None),
];
const SAME_FIELD: &str = "remove one of the two; proto name and JSON name are the same field";
const RUNTIMES: &str = "known values: WORKLOAD_RUNTIME_UNSPECIFIED, WORKLOAD_RUNTIME_OCI_CONTAINER";
const RULE_COUNT: &str = "cluster_config.load_balancer_config.max_load_balancer_rule_count";

#[test]
fn everything_unknown_ignored_repeated_or_mistyped_is_listed_with_its_place() {
    for policy in [Policy::Careful, Policy::Compatible] {
        let decoded: Decoded<Contract> = decode(TEXT.as_bytes(), policy);
        let issues = decoded.issues.iter().map(|issue| {
            (&*issue.path, issue.line, issue.column, issue.severity, issue.reason, issue.hint.as_deref())
        });
        assert_eq!(issues.collect::<Vec<_>>(), EXPECTED, "{policy:?}");
    }
}

#[test]
fn careful_keeps_all_that_is_right_and_compatible_what_came_before() {
    let careful: Decoded<Contract> = decode(TEXT.as_bytes(), Policy::Careful);
    assert!(!careful.stopped);
    assert_eq!(
        encode(&careful.message, Options::EMBEDDED),
        r#"{"version":"v1","cluster_config":{"load_balancer_config":{},"vm_type":9},"kubelet_config":{},"custom_ca_certs":["a"],"enabled_features":{"A":"1"}}"#
    );
    let compatible: Decoded<Contract> = decode(TEXT.as_bytes(), Policy::Compatible);
    assert!(compatible.stopped);
    assert_eq!(encode(&compatible.message, Options::EMBEDDED), r#"{"version":"v1"}"#);
}

#[test]
fn a_thousand_issues_are_listed_and_the_rest_is_counted() {
    let unknown = "\"x\":0,".repeat(1_500);
    let readable: Decoded<Contract> =
        decode(format!("{{{unknown}\"version\":\"v1\"}}").as_bytes(), Policy::Careful);
    let last = readable.issues.last().unwrap();
    assert_eq!((readable.issues.len(), last.reason, last.severity), (1_001, "too-many-issues", Warning));
    assert_eq!(last.message, "500 more issues are not listed");
    let broken: Decoded<Contract> = decode(format!("{{{unknown}\"version\"").as_bytes(), Policy::Compatible);
    assert!(broken.issues.iter().any(|issue| issue.reason == "syntax"), "what ended it is listed");
}

#[test]
fn only_values_that_were_read_have_a_place() {
    let text = br#"{"vm_size":"a","is_vhd":1,"custom_ca_certs":["b"],"cluster_config":{"location":"c"},"cse_timeout":"#;
    let decoded: Decoded<Contract> = decode_with_places(text, Policy::Careful);
    let mut places: Vec<_> = decoded.places.iter().map(|(path, at)| (*at, path.as_str())).collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            (11, "vm_size"),
            (44, "custom_ca_certs"),
            (45, "custom_ca_certs[0]"),
            (67, "cluster_config"),
            (79, "cluster_config.location")
        ]
    );
}
