//! Requests: every recorded one is read and fits the schema; what is wrong is said with its place.

mod vectors;

use slipway_launch::Request;
use slipway_launch::request::schema;

#[test]
fn every_recorded_request_is_read_and_fits_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for vector in vectors::of_kind("bootstrap", "launch-template") {
        let input = &vector["input"];
        assert!(validator.is_valid(input), "{}", vector["name"]);
        let request = Request::parse(&input.to_string()).unwrap();
        assert_eq!(request.options.cluster_name, input["options"]["clusterName"].as_str().unwrap());
        assert_eq!(
            request.options.kubelet_bootstrap_token.expose(),
            input["options"]["kubeletBootstrapToken"].as_str().unwrap()
        );
        assert_eq!(
            request.node_claim.requirements.len(),
            input["nodeClaim"]["requirements"].as_array().unwrap().len()
        );
    }
}

#[test]
fn every_problem_is_reported_with_its_path_and_what_was_probably_meant() {
    let text = r#"{
        "options": {"clustername": "a", "useSIG": "yes", "kubeletBootstrapToken": 7},
        "nodeClass": {"spec": {"kubelet": {"cpuCFSQuotaPeriod": "soon", "containerLogMaxFiles": 1e12}, "fipsMode": "fips"}},
        "nodeClaim": {"taints": null, "requirements": [{"key": "a", "operator": "in"}], "labels": {"a": 1}},
        "launches": {}
    }"#;
    let problems = Request::parse(text).unwrap_err();
    let mut said: Vec<String> = problems.0.iter().map(ToString::to_string).collect();
    said.sort();
    assert_eq!(
        said,
        [
            "launches: no such member (did you mean launch?)",
            "nodeClaim.labels[\"a\"]: must be a string, not 1",
            "nodeClaim.requirements[0].operator: must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte, not \"in\"",
            "nodeClass.spec.fipsMode: must be one of FIPS, Disabled, not \"fips\"",
            "nodeClass.spec.kubelet.containerLogMaxFiles: must be a whole number from -2147483648 to 2147483647, not 1000000000000.0",
            "nodeClass.spec.kubelet.cpuCFSQuotaPeriod: must be a duration such as 1h30m or 100ms, not \"soon\"",
            "options.clustername: no such member (did you mean clusterName?)",
            "options.kubeletBootstrapToken: must be a string",
            "options.useSIG: must be true or false, not \"yes\"",
        ]
    );
    assert!(Request::parse("{").unwrap_err().to_string().starts_with("not JSON"));
}

#[test]
fn what_is_left_out_is_what_the_options_default_to() {
    let request = Request::parse(r#"{"options": {"networkPolicy": null}}"#).unwrap();
    assert_eq!(request, Request::default());
    assert_eq!(request.options.network_plugin_mode, "overlay");
    assert_eq!(request.node_class.spec.os_disk_gb(), 128);
}

#[test]
fn the_token_is_not_in_debug_output() {
    let request =
        Request::parse(r#"{"options": {"kubeletBootstrapToken": "abcdef.0123456789abcdef"}}"#).unwrap();
    assert!(!format!("{request:?}").contains("0123456789abcdef"));
}
