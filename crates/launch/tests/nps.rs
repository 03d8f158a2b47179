//! The client of the node provisioning service, held against recorded exchanges of the real one, and the answers of
//! our own service.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod vectors;

use std::cell::RefCell;

use serde_json::{Value, json};
use slipway_contract::custom_data::read;
use slipway_contract::{Contract, Severity, rules};
use slipway_launch::nps::{
    self, Answer, Cluster, Clusters, PLACEHOLDER, Reply, Request, ServiceClient, answer, path,
};
use slipway_launch::request::{CacheTime, LocalDns, LocalDnsMode, LocalDnsState, ZoneOverride};
use slipway_launch::{Bootstrapper as _, Fidelity, contract, resolve};
use slipway_model::Secret;

fn launch(exchange: &Value) -> slipway_launch::Request {
    slipway_launch::Request::parse(&exchange["input"].to_string()).unwrap()
}

/// Numbers of a recording are whole where ours are, whatever their spelling.
fn sent(body: &[u8]) -> Value {
    assert_eq!(body.last(), Some(&b'\n'));
    serde_json::from_slice(body).unwrap()
}

#[test]
fn every_recorded_exchange_goes_the_same_way() {
    for exchange in vectors::of_kind("nps", "nps-exchange") {
        let name = exchange["name"].as_str().unwrap();
        let launch = launch(&exchange);
        let node = resolve(&launch, Fidelity::Compat).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let requests = RefCell::new(Vec::new());
        let send = |path: &str, body: &[u8]| {
            requests.borrow_mut().push((path.to_owned(), sent(body)));
            let response = &exchange["response"];
            Ok(Reply {
                status: u16::try_from(response["status"].as_u64().unwrap()).unwrap(),
                content_type: response["contentType"].as_str().map(str::to_owned),
                body: response["body"].as_str().unwrap().as_bytes().to_vec(),
            })
        };
        let client = ServiceClient { launch: &launch, send: &send, fidelity: Fidelity::Compat };
        let payload = client.payload(&node);

        let requests = requests.into_inner();
        let recorded =
            (exchange["request"]["path"].as_str().unwrap().to_owned(), exchange["request"]["body"].clone());
        assert_eq!(requests.len(), 1, "{name}");
        assert_eq!(requests[0].0, recorded.0, "{name}");
        pretty_assert(name, &requests[0].1, &recorded.1);
        let expected = &exchange["expected"];
        match payload {
            Ok(payload) => {
                assert_eq!(payload.command.unwrap().expose(), expected["hydrated"]["cse"].as_str().unwrap());
                assert_eq!(
                    payload.custom_data.expose(),
                    expected["hydrated"]["customData"].as_str().unwrap()
                );
            }
            Err(error) => assert!(expected["error"].is_string(), "{name}: {error}"),
        }
    }
}

/// Says which member differs.
fn pretty_assert(name: &str, ours: &Value, theirs: &Value) {
    let members = |value: &Value| value["provisionProfile"].as_object().unwrap().clone();
    let (left, right) = (members(ours), members(theirs));
    for key in left.keys().chain(right.keys()) {
        assert_eq!(left.get(key), right.get(key), "{name}: {key}");
    }
    assert_eq!(ours["provisionHelperValues"], theirs["provisionHelperValues"], "{name}");
}

#[test]
fn requests_are_read_and_written_without_loss() {
    for exchange in vectors::of_kind("nps", "nps-exchange") {
        let body = &exchange["request"]["body"];
        let request = Request::parse(body.to_string().as_bytes()).unwrap();
        assert_eq!(&sent(&request.to_body().unwrap()), body, "{}", exchange["name"]);
    }
}

#[test]
fn paths_and_tokens_are_as_recorded() {
    for row in vectors::table("nps", "paths") {
        let text = |name: &str| row[name].as_str().unwrap();
        assert_eq!(path(text("subscriptionID"), text("resourceGroup"), text("clusterName")), text("path"));
    }
    for row in vectors::table("nps", "hydration") {
        let body = json!({"cse": row["cse"], "customData": row["customData"]}).to_string();
        let answer = Answer::parse(body.as_bytes()).unwrap();
        let filled = answer.hydrate(&Secret::from(row["token"].as_str().unwrap()));
        if row["error"].is_string() {
            assert!(filled.is_err(), "{row}");
        } else {
            let filled = filled.unwrap();
            assert_eq!(filled.command.expose(), row["hydratedCSE"].as_str().unwrap());
            assert_eq!(filled.custom_data.expose(), row["hydratedCustomData"].as_str().unwrap());
        }
    }
}

#[test]
fn an_answer_is_read_as_leniently_as_the_real_client_reads_it() {
    let reply = |status, content_type: Option<&str>, body: &str| Reply {
        status,
        content_type: content_type.map(str::to_owned),
        body: body.as_bytes().to_vec(),
    };
    let good = r#"{"CSE":"c","customdata":"ZA==","more":1} trailing"#;
    for kind in [
        None,
        Some("application/json"),
        Some("application/json; charset=utf-8"),
        Some("application/octet-stream"),
    ] {
        assert!(reply(200, kind, good).answer().is_ok(), "{kind:?}");
    }
    for kind in [Some("text/plain"), Some("application/vnd.x+json")] {
        assert!(reply(200, kind, good).answer().is_err(), "{kind:?}");
    }
    for status in [201, 204, 302, 400, 404, 429, 500, 503] {
        let error = reply(status, Some("application/json"), "no\nroom").answer().unwrap_err();
        assert!(error.contains(&status.to_string()) && !error.contains('\n'), "{error}");
    }
    for body in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"cse":"c"}"#,
        r#"{"cse":"","customData":"ZA=="}"#,
        r#"{"cse":null,"customData":"ZA=="}"#,
    ] {
        assert!(reply(200, None, body).answer().is_err(), "{body}");
    }
}

/// The contract in an answer of our service.
fn contract_of(answer: &Answer) -> Contract {
    let contents = read(answer.custom_data.as_bytes()).unwrap();
    contents.contracts().next().unwrap().contract.clone()
}

#[test]
fn our_answer_makes_the_node_that_was_asked_for() {
    for exchange in vectors::of_kind("nps", "nps-exchange") {
        let name = exchange["name"].as_str().unwrap();
        let input = &exchange["input"];
        let config =
            json!({"clusters": [{"options": input["options"], "environment": input["environment"]}]});
        let clusters = Clusters::parse(&config.to_string()).unwrap();
        let request = Request::parse(exchange["request"]["body"].to_string().as_bytes()).unwrap();
        let text = |member: &str| input["environment"][member].as_str().unwrap();
        let (subscription, group) = (text("subscriptionID"), text("clusterResourceGroup"));
        let cluster =
            clusters.find(subscription, group, input["options"]["clusterName"].as_str().unwrap()).unwrap();
        let answer = answer(cluster, &request).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let contract = contract_of(&answer);
        let profile = &request.provision_profile;

        let kubelet = contract.kubelet_config.as_ref().unwrap();
        assert_eq!(kubelet.kubelet_node_labels, profile.custom_node_labels, "{name}");
        assert_eq!(kubelet.kubelet_flags["--max-pods"], profile.max_pods.to_string(), "{name}");
        assert_eq!(kubelet.kubelet_flags["--cluster-dns"], cluster.options.dns_service_ip, "{name}");
        assert!(kubelet.kubelet_flags["--eviction-hard"].contains("nodefs.available<10%"), "{name}");
        assert!(kubelet.kubelet_flags["--kube-reserved"].starts_with("cpu="), "{name}");
        assert_eq!(
            contract.local_dns_profile.is_some(),
            profile.local_dns_profile.as_ref().is_some_and(|dns| dns.mode == "Required")
        );
        let token = contract.bootstrapping_config.as_ref().unwrap().tls_bootstrapping_token.as_ref().unwrap();
        assert_eq!(token.expose(), PLACEHOLDER);
        for issue in rules::check(&contract, &std::collections::HashMap::<String, usize>::new(), 0) {
            // The recorded certificates are made up, and the token is a placeholder.
            let of_recording = issue.path.contains("ca_cert") || issue.path.contains("token");
            assert!(issue.severity != Severity::Error || of_recording, "{name}: {issue:?}");
        }

        let filled = answer.hydrate(&Secret::from("abcdef.0123456789abcdef")).unwrap();
        let contents = read(filled.custom_data.expose().as_bytes()).unwrap();
        let joined = contents.contracts().next().unwrap().contract.clone();
        let token = joined.bootstrapping_config.unwrap().tls_bootstrapping_token.unwrap();
        assert_eq!(token.expose(), "abcdef.0123456789abcdef", "{name}");
    }
}

#[test]
fn the_service_and_the_contract_form_make_the_same_node() {
    let mut nodes = 0;
    for exchange in vectors::of_kind("nps", "nps-exchange") {
        let name = &exchange["name"];
        let launch = launch(&exchange);
        let Ok(node) = resolve(&launch, Fidelity::Ours) else { continue };
        nodes += 1;
        let request = Request::of(&launch, &node, Fidelity::Ours).unwrap();
        let cluster = Cluster { options: launch.options.clone(), environment: launch.environment.clone() };
        let token = launch.options.kubelet_bootstrap_token.clone();
        let asked = nps::contract(&cluster, &request, token).unwrap();
        let [asked, resolved] = [asked, contract(&node, Fidelity::Ours).unwrap()].map(|mut contract| {
            let flags = &mut contract.kubelet_config.as_mut().unwrap().kubelet_flags;
            // Requests have whole MiB and 32 bits, and the service lets kubelet start where there is swap.
            let others = ["--container-log-max-size", "--pod-max-pids", "--fail-swap-on"];
            flags.retain(|flag, _| !others.contains(&flag.as_str()));
            contract
        });
        assert_eq!(asked, resolved, "{name}");
    }
    assert!(nodes > 3, "{nodes}");
}

#[test]
fn the_local_resolver_is_asked_for_where_the_status_has_it_and_answers_may_be_kept_for_ever() {
    let exchanges = vectors::of_kind("nps", "nps-exchange");
    let exchange = exchanges.iter().find(|exchange| exchange["name"] == "request-01").unwrap();
    let mut launch = launch(exchange);
    let zone = ZoneOverride {
        zone: "example.com".to_owned(),
        cache_duration: Some(CacheTime::Never),
        ..ZoneOverride::default()
    };
    for (mode, state, fidelity, asked, label) in [
        (LocalDnsMode::Preferred, Some(LocalDnsState::Enabled), Fidelity::Ours, "Required", "enabled"),
        (LocalDnsMode::Preferred, Some(LocalDnsState::Disabled), Fidelity::Ours, "Disabled", "disabled"),
        (LocalDnsMode::Preferred, None, Fidelity::Ours, "Disabled", "disabled"),
        (LocalDnsMode::Required, Some(LocalDnsState::Enabled), Fidelity::Ours, "Required", "enabled"),
        (LocalDnsMode::Required, Some(LocalDnsState::Disabled), Fidelity::Ours, "Disabled", "disabled"),
        (LocalDnsMode::Required, None, Fidelity::Ours, "Required", "enabled"),
        (LocalDnsMode::Disabled, None, Fidelity::Ours, "Disabled", "disabled"),
        (LocalDnsMode::Required, None, Fidelity::Compat, "Required", "disabled"),
        (LocalDnsMode::Required, Some(LocalDnsState::Disabled), Fidelity::Compat, "Required", "disabled"),
    ] {
        launch.node_class.local_dns_state = state;
        launch.node_class.spec.local_dns = Some(LocalDns {
            mode: Some(mode),
            vnet_dns_overrides: vec![zone.clone()],
            ..LocalDns::default()
        });
        let node = resolve(&launch, fidelity).unwrap();
        let profile = Request::of(&launch, &node, fidelity).unwrap().provision_profile;
        let dns = profile.local_dns_profile.unwrap();
        let said = &profile.custom_node_labels["kubernetes.azure.com/localdns-state"];
        assert_eq!((dns.mode.as_str(), said.as_str()), (asked, label), "{mode} {state:?} {fidelity:?}");
        let kept = fidelity.is_ours().then_some(i32::MAX);
        assert_eq!(dns.vnet_dns_overrides["example.com"].cache_duration_in_seconds, kept);
        if fidelity.is_ours() {
            assert_eq!(contract(&node, fidelity).unwrap().local_dns_profile.is_some(), asked == "Required");
        }
    }
}

#[test]
fn every_listener_of_the_local_resolver_has_its_two_zones() {
    let exchanges = vectors::of_kind("nps", "nps-exchange");
    let launch = launch(&exchanges[0]);
    let cluster = Cluster { options: launch.options, environment: launch.environment };
    let mut body = exchanges[0]["request"]["body"].clone();
    body["provisionProfile"]["localDNSProfile"] = json!({
        "mode": "Required",
        "vnetDNSOverrides": {".": {"cacheDurationInSeconds": 60}, "corp.example": {"protocol": "ForceTCP"}},
    });
    let request = Request::parse(body.to_string().as_bytes()).unwrap();
    let dns = contract_of(&answer(&cluster, &request).unwrap()).local_dns_profile.unwrap();
    assert!(dns.vnet_dns_overrides.keys().eq([".", "cluster.local", "corp.example"]));
    assert!(dns.kube_dns_overrides.keys().eq([".", "cluster.local"]));
    assert_eq!(dns.vnet_dns_overrides["."].cache_duration_in_seconds, Some(60));
    assert_eq!(dns.vnet_dns_overrides["corp.example"].protocol, "ForceTCP");
    assert_eq!(dns.kube_dns_overrides["."].forward_destination, "ClusterCoreDNS");
}

#[test]
fn what_a_shell_or_kubelet_would_misread_is_refused() {
    let exchanges = vectors::of_kind("nps", "nps-exchange");
    let exchange = exchanges.iter().find(|exchange| exchange["name"] == "request-01").unwrap();
    let input = &exchange["input"];
    let config = json!({"clusters": [{"options": input["options"], "environment": input["environment"]}]});
    let clusters = Clusters::parse(&config.to_string()).unwrap();
    let cluster = &clusters.clusters[0];
    let hostile = [
        ("customNodeLabels", json!({"example.com/a": "b --anonymous-auth=true"})),
        ("customNodeLabels", json!({"example.com/a,b": "c"})),
        ("nodeTaints", json!(["a=b:NoSchedule --read-only-port=10255"])),
        ("customKubeletConfig", json!({"allowedUnsafeSysctls": ["kernel.sem --v=9"]})),
        ("orchestratorVersion", json!("1.33.1 $(id)")),
        ("vnetSubnetID", json!("/subscriptions/s/resourceGroups/g")),
        ("customKubeletConfig", json!({"cpuCfsQuotaPeriod": "soon"})),
    ];
    for (member, value) in hostile {
        let mut body = exchange["request"]["body"].clone();
        body["provisionProfile"][member] = value.clone();
        let request = Request::parse(body.to_string().as_bytes()).unwrap();
        assert!(answer(cluster, &request).is_err(), "{member}: {value}");
    }
}

#[test]
fn a_configuration_is_read_strictly() {
    for (config, expected) in [
        ("{", "not JSON"),
        (r#"{"cluster": []}"#, "cluster: no such member (did you mean clusters?)"),
        (
            r#"{"clusters": [{"options": {"clusterName": 5}}]}"#,
            "clusters[0].options.clusterName: must be a string",
        ),
        (r#"{"clusters": [{}]}"#, "clusters[0].options.clusterEndpoint: is missing"),
        (
            r#"{"clusters": [{"options": {"clusterEndpoint": "host"}}]}"#,
            "clusters[0].options.clusterEndpoint: must be a URL",
        ),
    ] {
        let problems = Clusters::parse(config).unwrap_err().to_string();
        assert!(problems.contains(expected), "{config}: {problems}");
    }
}
