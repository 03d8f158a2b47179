//! The rules of a contract, each from both sides, and what a user sees of them.

use std::collections::HashSet;
use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;
use slipway_contract::codec::{Kind, Label, Message as _, MessageTable, Sensitivity};
use slipway_contract::rules::{self, Rule};
use slipway_contract::{Contract, Issue, Severity, validate};

/// 15 January 2027, so that certificates in test data age with nobody's clock.
const NOW: i64 = 1_800_000_000;

/// Rules that no fragment of today's contract can break: the decoder has them for other messages, or the
/// example would fill pages.
const WITHOUT_EXAMPLE: [&str; 4] = ["invalid-key", "excluded-field", "too-many-issues", "value-too-long"];

fn found<'i>(issues: &'i [Issue], rule: &Rule) -> Vec<&'i Issue> {
    issues.iter().filter(|issue| issue.reason == rule.id).collect()
}

#[test]
fn every_rule_accepts_its_good_example_and_reports_its_bad_one() {
    for rule in rules::all() {
        let accepted = validate(rule.good.as_bytes(), NOW);
        assert!(found(&accepted, rule).is_empty(), "{}: good is reported: {accepted:#?}", rule.id);
        if WITHOUT_EXAMPLE.contains(&rule.id) {
            assert!(rule.bad.is_empty(), "{} has an example after all", rule.id);
            continue;
        }
        let reported = validate(rule.bad.as_bytes(), NOW);
        let reported = found(&reported, rule);
        assert!(!reported.is_empty(), "{}: bad is not reported", rule.id);
        assert!(reported.iter().all(|issue| issue.severity == rule.severity), "{}", rule.id);
        assert!(reported.iter().all(|issue| !issue.message.is_empty()), "{}", rule.id);
    }
}

#[test]
fn good_examples_are_contracts_that_the_decoder_has_nothing_to_say_about() {
    for rule in rules::all() {
        for issue in validate(rule.good.as_bytes(), NOW) {
            let structural = rules::RULES[0].rules.iter().any(|known| known.id == issue.reason);
            assert!(!structural, "{}: {issue:?}", rule.id);
        }
    }
}

#[test]
fn every_finding_stands_where_its_path_says() {
    let structural: HashSet<&str> = rules::RULES[0].rules.iter().map(|rule| rule.id).collect();
    for rule in rules::all().filter(|rule| !structural.contains(rule.id) && !rule.bad.is_empty()) {
        let document: Value = serde_json::from_str(rule.bad).unwrap();
        let text = format!("\n\n{document:#}");
        for issue in validate(text.as_bytes(), NOW) {
            if structural.contains(issue.reason) {
                continue;
            }
            let here = if issue.offset == 0 { text.as_str() } else { &text[issue.offset..] };
            let value =
                serde_json::Deserializer::from_str(here).into_iter::<Value>().next().unwrap().unwrap();
            assert_eq!(&value, nearest(&document, &issue.path), "{}: {issue:?}", rule.id);
            assert_eq!(issue.line, text[..issue.offset].matches('\n').count() + 1, "{}: {issue:?}", rule.id);
        }
    }
}

/// The value that a path names, or else the innermost one around it.
fn nearest<'v>(document: &'v Value, path: &str) -> &'v Value {
    let (mut value, mut rest) = (document, path);
    while !rest.is_empty() {
        let (next, after) = if let Some(inner) = rest.strip_prefix('[') {
            let mut keys = serde_json::Deserializer::from_str(inner).into_iter::<Value>();
            let Some(Ok(key)) = keys.next() else { panic!("{path} is not a path") };
            let after = &inner[keys.byte_offset() + 1..];
            let next = match &key {
                Value::String(key) => value.get(key.as_str()),
                key => key.as_u64().and_then(|index| value.get(usize::try_from(index).ok()?)),
            };
            (next, after)
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            (value.get(&rest[..end]), &rest[end..])
        };
        let Some(next) = next else { break };
        (value, rest) = (next, after.strip_prefix('.').unwrap_or(after));
    }
    value
}

#[test]
fn ids_are_unique_and_every_rule_says_what_it_is_about() {
    let mut ids = HashSet::new();
    for rule in rules::all() {
        assert!(ids.insert(rule.id), "{} twice", rule.id);
        assert!(
            rule.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        );
        for text in [rule.summary, rule.reason] {
            assert!(text.ends_with('.') && text.len() > 20, "{}: {text}", rule.id);
        }
    }
}

#[test]
fn every_reason_of_the_decoder_is_a_rule_and_every_structural_rule_is_a_reason_of_the_decoder() {
    let source = include_str!("../src/codec/decode.rs");
    let mut reasons = HashSet::new();
    for call in ["refuse(", "report(", "Issue::new("] {
        for after in source.split(call).skip(1) {
            let arguments = &after[..after.find(';').unwrap_or(after.len())];
            let literals = arguments.split('"').skip(1).step_by(2);
            let is_reason = |text: &&str| {
                !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            };
            reasons.extend(literals.take(1).filter(is_reason));
        }
    }
    let known: HashSet<&str> = rules::RULES[0].rules.iter().map(|rule| rule.id).collect();
    assert_eq!(reasons, known);
}

#[test]
fn only_a_thousand_findings_are_listed() {
    let labels = (0..3000).fold(String::new(), |mut text, index| {
        let _ = write!(text, "{}\"k8s.io/{index}\": \"\"", if index == 0 { "" } else { "," });
        text
    });
    let text = format!(r#"{{"kubelet_config": {{"kubelet_node_labels": {{{labels}}}}}}}"#);
    let issues = validate(text.as_bytes(), NOW);
    let last = issues.last().unwrap();
    assert_eq!((issues.len(), last.reason, last.severity), (1001, "too-many-issues", Severity::Error));
}

#[test]
fn a_value_that_no_environment_can_hold_is_reported() {
    let text = format!(r#"{{"message_of_the_day": "{}"}}"#, "AAAA".repeat(40_000));
    let issues = validate(text.as_bytes(), NOW);
    assert!(issues.iter().any(|issue| issue.reason == "value-too-long"), "{issues:?}");
}

const TEN_MISTAKES: &str = r#"{
  "version": "v3",
  "kubernetes_version": "1.35.0",
  "vmsize": "Standard_D4s_v5",
  "is_vhd": "yes",
  "pre_provision_only": true,
  "kube_binary_config": {"pod_infra_container_image_url": "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10"},
  "cluster_config": {
    "cluster_network_config": {"core_dns_service_ip": "10.0.0.256"},
    "location": "West Europe"
  },
  "kubelet_config": {
    "kubelet_flags": {
      "--pod-infra-container-image": "pause:3.10",
      "--max-pods": "many",
      "--evictionhard": "memory.available<750Mi"
    },
    "kubelet_node_labels": {
      "node-role.kubernetes.io/worker": ""
    }
  },
  "custom_linux_os_config": {
    "sysctl_config": {"vm_swappiness": 101}
  }
}
"#;

#[test]
fn ten_mistakes_give_ten_issues_each_at_its_line() {
    let issues = validate(TEN_MISTAKES.as_bytes(), NOW);
    let seen: Vec<(usize, &str)> = issues.iter().map(|issue| (issue.line, issue.reason)).collect();
    let expected = [
        (2, "contract-version"),
        (4, "unknown-field"),
        (5, "wrong-type"),
        (9, "ip"),
        (10, "location-form"),
        (14, "kubelet-flag-removed"),
        (15, "kubelet-flag-value"),
        (16, "kubelet-flag-unknown"),
        (19, "label-refused"),
        (23, "sysctl-range"),
    ];
    assert_eq!(seen, expected, "{issues:#?}");
}

#[test]
fn the_example_contract_has_no_errors_and_no_warnings() {
    let text = include_bytes!("../../../examples/contract.json");
    let issues = validate(text, NOW);
    assert!(issues.iter().all(|issue| issue.severity == Severity::Note), "{issues:#?}");
}

#[test]
fn a_value_that_was_refused_is_not_reported_as_missing_too() {
    let issues = validate(br#"{"version": "v1", "api_server_config": "x", "kubernetes_ca_cert": 5}"#, NOW);
    let about = |path: &str| issues.iter().filter(|issue| issue.path.starts_with(path)).count();
    assert_eq!((about("api_server_config"), about("kubernetes_ca_cert")), (1, 1), "{issues:#?}");
}

#[test]
fn a_text_that_breaks_off_is_not_said_to_lack_what_follows() {
    let issues = validate(br#"{"version": "v1", "vm_size": "large", "cluster_config": {"#, NOW);
    let reasons: Vec<&str> = issues.iter().map(|issue| issue.reason).collect();
    assert_eq!(reasons, ["vm-size", "syntax"]);
}

/// A contract in which every field that must not be seen holds this text.
fn sown(table: &'static MessageTable, text: &str) -> Value {
    let mut object = serde_json::Map::new();
    for field in table.fields {
        let value = match field.kind {
            Kind::Message(inner) if field.label != Label::Map => sown(inner, text),
            Kind::String if field.sensitivity != Sensitivity::Public => Value::String(text.to_owned()),
            _ => continue,
        };
        object.insert(
            field.name.to_owned(),
            if field.label == Label::Repeated { Value::from(vec![value]) } else { value },
        );
    }
    Value::Object(object)
}

#[test]
fn no_secret_reaches_a_message_or_a_hint() {
    let table = Contract::default().table();
    for wrong in [
        "xyzzy",
        "10xyzzy",
        "xyzzy.xyzzy",
        "http://xyzzy:xyzzy@ho st/xyzzy",
        "ftp://xyzzy/xyzzy?xyzzy",
        "http://xyzzy:xyzzy@-host-/?sig=xyzzy",
        "http://xyzzy:pa$xyzzy\"@host:xyzzy/",
        "-----BEGIN xyzzy",
        "LS0tLS1CRUdJTiB4eXp6eQ==",
        "xyzzy\u{0}\n",
    ] {
        let text = format!("{:#}", sown(table, wrong));
        let issues = validate(text.as_bytes(), NOW);
        assert!(issues.len() > 20, "{wrong}: {}", issues.len());
        for issue in issues {
            let said = format!("{} {} {}", issue.path, issue.message, issue.hint.unwrap_or_default());
            assert!(!said.to_lowercase().contains("xyzzy"), "{said}");
        }
    }
}

#[test]
fn the_reference_page_is_current() {
    let page = include_str!("../../../docs/reference/rules.md");
    let advice = "run: cargo run -p slipway-contract --example rules-reference > docs/reference/rules.md";
    assert!(page == rules::reference(), "docs/reference/rules.md is out of date; {advice}");
}

#[test]
fn every_link_to_a_rule_leads_to_one() {
    let page = rules::reference();
    let contract = include_str!("../../../docs/reference/contract.md");
    let links: HashSet<&str> =
        contract.split("rules.md#").skip(1).filter_map(|after| after.split(')').next()).collect();
    assert!(links.len() > 30);
    for link in links {
        assert!(page.contains(&format!("\n### {link}\n")), "rules.md has no entry {link}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_validation_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        validate(&bytes, NOW);
    }

    #[test]
    fn no_texts_in_the_fields_make_validation_panic(text in "\\PC{0,40}", pick in 0usize..64) {
        let table = Contract::default().table();
        let document = filled(table, &text, pick);
        validate(document.to_string().as_bytes(), NOW);
    }

    #[test]
    fn no_change_of_one_byte_in_a_good_contract_makes_validation_panic(at in 0usize..9000, byte: u8) {
        let mut text = include_bytes!("../../../examples/contract.json").to_vec();
        let at = at % text.len();
        text[at] = byte;
        validate(&text, NOW);
    }
}

/// A contract in which every text, list and map holds this text.
fn filled(table: &'static MessageTable, text: &str, pick: usize) -> Value {
    let mut object = serde_json::Map::new();
    for (index, field) in table.fields.iter().enumerate() {
        let value = match field.kind {
            Kind::Message(inner) => filled(inner, text, pick),
            Kind::String if (index + pick).is_multiple_of(7) => Value::String("a.b:1/2-3%".to_owned()),
            Kind::String => Value::String(text.to_owned()),
            Kind::Bool => Value::Bool((index + pick).is_multiple_of(2)),
            Kind::Int32 | Kind::Double => Value::from(i32::try_from(index * pick).unwrap_or(0) - 100),
            _ => continue,
        };
        let value = match field.label {
            Label::Repeated => Value::from(vec![value]),
            Label::Map => Value::Object([(text.to_owned(), value)].into_iter().collect()),
            _ => value,
        };
        object.insert(field.name.to_owned(), value);
    }
    Value::Object(object)
}
