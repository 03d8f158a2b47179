//! Reading a configuration strictly: every problem at once, each with key and place.

use slipway_contract::{Issue, Severity};
use slipway_flex::config::{Fate, Identity, KEYS, Kept, PrincipalCredential};
use slipway_flex::{FlexConfig, read};

const CLUSTER: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.ContainerService/managedClusters/aks-edge";

fn with(azure: &str, rest: &str) -> String {
    format!(r#"{{"azure":{{"targetCluster":{{"resourceId":"{CLUSTER}"}},{azure}}}{rest}}}"#)
}

fn issues(text: &str) -> Vec<Issue> {
    read(text.as_bytes(), "edge").issues
}

/// Path and reason of every error.
fn errors(text: &str) -> Vec<(String, &'static str)> {
    let errors = issues(text).into_iter().filter(|issue| issue.severity == Severity::Error);
    errors.map(|issue| (issue.path, issue.reason)).collect()
}

fn config(text: &str) -> FlexConfig {
    read(text.as_bytes(), "edge").config.unwrap_or_else(|| panic!("{:#?}", issues(text)))
}

#[test]
fn all_problems_are_told_at_once_in_the_order_of_the_text() {
    let text = with(
        r#""manegedIdentity":{},"arc":{"enabled":"yes"},"cloud":"AzurePublicCluod""#,
        r#","node":{"maxPods":"64","labels":{"a":1},"maxPods":3},"agent":{"nodeName":"A_b"}"#,
    );
    let found = errors(&text);
    for expected in [
        ("azure.manegedIdentity", "unknown-key"),
        ("azure.arc.enabled", "wrong-type"),
        ("azure.cloud", "wrong-value"),
        ("node.maxPods", "wrong-type"),
        ("node.maxPods", "duplicate-key"),
        ("node.labels[a]", "wrong-type"),
        ("agent.nodeName", "wrong-value"),
    ] {
        assert!(
            found.iter().any(|(path, reason)| (path.as_str(), *reason) == expected),
            "{expected:?}: {found:?}"
        );
    }
    let places: Vec<usize> = issues(&text).iter().map(|issue| issue.offset).collect();
    assert!(places.is_sorted());
}

#[test]
fn a_misspelt_key_gets_a_suggestion_and_so_does_one_in_the_wrong_place() {
    let hint = |text: &str| issues(text).into_iter().find(|it| it.reason == "unknown-key").unwrap().hint;
    let misspelt = with(r#""managedIdentity":{}"#, r#","node":{"kublet":{}}"#);
    assert_eq!(hint(&misspelt).as_deref(), Some("did you mean node.kubelet?"));
    let misplaced = with(r#""managedIdentity":{},"maxPods":3"#, "");
    assert_eq!(hint(&misplaced).as_deref(), Some("did you mean node.maxPods?"));
}

#[test]
fn a_place_has_line_and_column() {
    let text = format!(
        "{{\n  \"azure\": {{\n    \"targetCluster\": {{\"resourceId\": \"{CLUSTER}x/\"}},\n    \"managedIdentity\": {{}}\n  }}\n}}"
    );
    let found = issues(&text);
    assert_eq!((found[0].line, found[0].column, &*found[0].path), (3, 37, "azure.targetCluster.resourceId"));
}

#[test]
fn keys_in_another_case_are_the_same_keys_and_comments_are_none() {
    let text = with(r#""MANAGEDIDENTITY":{"ClientID":"c"},"// about":{"x":[1]}"#, r#","//":1"#);
    assert_eq!(config(&text).identity, Some(Identity::Managed(Some("c".to_owned()))));
    let twice = with(r#""managedIdentity":{},"ManagedIdentity":{}"#, "");
    assert_eq!(errors(&twice), [("azure.managedIdentity".to_owned(), "duplicate-key")]);
}

#[test]
fn what_is_not_json_is_told_where_it_stops_being_that() {
    for (text, path) in [
        ("", ""),
        ("[]", ""),
        ("{} {}", ""),
        (r#"{"azure": {"targetCluster": {"location": }"#, "azure.targetCluster.location"),
        (r#"{"azure": {"tenantId": "#, "azure.tenantId"),
    ] {
        let found = errors(text);
        assert!(found.iter().any(|(at, _)| at == path), "{text}: {found:?}");
        assert!(read(text.as_bytes(), "edge").config.is_none());
    }
    assert!(read(b"{\"azure\": \"\xff\"}", "edge").config.is_none());
    let deep = format!(r#"{{"x": {}}}"#, "[".repeat(100_000));
    assert!(errors(&deep).iter().any(|(_, reason)| *reason == "not-json"));
}

#[test]
fn a_service_principal_proves_itself_in_one_way() {
    let principal = |credential: &str| {
        with(&format!(r#""servicePrincipal":{{"tenantId":"t","clientId":"c"{credential}}}"#), "")
    };
    let credential = |text: &str| match config(text).identity {
        Some(Identity::Principal { credential, .. }) => credential,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        credential(&principal(r#","clientSecretFile":"/s""#)),
        PrincipalCredential::Secret(Kept::In("/s".into()))
    );
    assert_eq!(
        credential(&principal(r#","clientCertificateFile":"/c""#)),
        PrincipalCredential::Certificate("/c".into())
    );
    let none = errors(&principal(""));
    assert_eq!(none, [("azure.servicePrincipal.clientSecret".to_owned(), "missing-key")]);
    let both = errors(&principal(r#","clientSecret":"s","clientCertificateFile":"/c""#));
    assert_eq!(both, [("azure.servicePrincipal.clientCertificateFile".to_owned(), "two-credentials")]);
}

#[test]
fn secrets_of_the_wrong_type_are_not_quoted() {
    let text = with(r#""bootstrapToken":{"token":["hush"]}"#, "");
    assert!(!format!("{:?}", issues(&text)).contains("hush"));
    let text = with(r#""bootstrapToken":{"token":"hush"}"#, "");
    assert!(!format!("{:?}", issues(&text)).contains("hush"));
}

#[test]
fn every_row_of_the_table_is_once_there_and_every_older_name_leads_to_a_row() {
    let paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
    for (at, key) in KEYS.iter().enumerate() {
        assert!(!paths[..at].contains(&key.path), "{}", key.path);
        assert!(key.first <= key.last, "{}", key.path);
        let below = format!("{}.", key.path);
        assert!(!paths.iter().any(|path| path.starts_with(&below)), "{} is a value and an object", key.path);
        if let Fate::Alias(of) = key.fate {
            assert!(paths.contains(&of), "{of}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "[\\{\\}\\[\\]:,\"a-z0-9 .]{0,200}") {
        let _ = read(text.as_bytes(), "edge");
    }
}
