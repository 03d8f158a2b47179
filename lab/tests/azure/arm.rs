//! Azure Resource Manager: who is let in, what is there, what roles do.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slipway_lab::azure::{
    Cloud, Fault, KUBERNETES, ManagedCluster, Principal, Route, SUBSCRIPTION, Service, TENANT, Times,
};

use crate::Lab;
use crate::client::{Reply, send};

const CLUSTER: &str = "/subscriptions/00000000-0000-0000-0000-00000000a2e0/resourceGroups/edge/providers/Microsoft.ContainerService/managedClusters/aks";
const ARC: &str = "/subscriptions/00000000-0000-0000-0000-00000000a2e0/resourceGroups/lab/providers/Microsoft.HybridCompute/machines/edge-07";
const READER: &str = "acdd72a7-3385-48ef-bd42-f606fba81ae7";
const CLUSTER_ADMIN: &str = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b";
const OWNER: &str = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635";

fn application() -> Principal {
    Principal::application("flex").with_secret("secret")
}

fn cluster() -> ManagedCluster {
    ManagedCluster {
        resource_group: "edge".to_owned(),
        name: "aks".to_owned(),
        fqdn: "aks.hcp.test".to_owned(),
        kubernetes: "1.34.3".to_owned(),
        authority: "PEM".to_owned(),
        azure_rbac: true,
        admin_kubeconfig: Some("kind: Config".to_owned()),
        bootstrap_token: "abcdef.0123456789abcdef".to_owned(),
        dns: "10.0.0.10".to_owned(),
        agent_pools: vec!["aksflexnodes".to_owned()],
    }
}

fn lab() -> Lab {
    let (principals, clusters) = (vec![application()], vec![cluster()]);
    Lab::with(Vec::new(), Cloud { principals, clusters, ..Cloud::default() })
}

fn token(lab: &Lab, resource: &str) -> String {
    let client = application().client_id;
    let form = format!(
        "grant_type=client_credentials&client_id={client}&client_secret=secret&scope={resource}%2F.default"
    );
    let reply = lab.sign_in().send("POST", &format!("/{TENANT}/oauth2/v2.0/token"), &[], form.as_bytes());
    reply.json()["access_token"].as_str().unwrap().to_owned()
}

/// One request with a good token.
fn ask(lab: &Lab, method: &str, path: &str, version: &str, body: &Value) -> Reply {
    let words = format!("Bearer {}", token(lab, "https://management.azure.com"));
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mark = if path.contains('?') { '&' } else { '?' };
    let target = format!("{path}{mark}api-version={version}");
    lab.management().send(method, &target, &[("Authorization", &words)], body.as_bytes())
}

fn code(reply: &Reply) -> String {
    reply.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
}

fn assignment(number: u8) -> String {
    format!(
        "{CLUSTER}/providers/Microsoft.Authorization/roleAssignments/00000000-0000-4000-8000-0000000000{number:02}"
    )
}

fn role(principal: &str, role: &str) -> Value {
    let definition =
        format!("/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{role}");
    json!({ "properties": { "principalId": principal, "roleDefinitionId": definition } })
}

#[test]
fn only_a_good_token_for_management_lets_in() {
    let lab = lab();
    let target = format!("{CLUSTER}?api-version=2024-02-01");
    let get = |words: &str| lab.management().send("GET", &target, &[("Authorization", words)], b"");
    lab.azure.set_token_lifetime(Duration::ZERO);
    let expired = token(&lab, "https://management.azure.com");
    lab.azure.set_token_lifetime(Duration::from_hours(1));
    let good = token(&lab, "https://management.core.windows.net%2F");
    for (words, expected) in [
        (String::new(), "AuthenticationFailed"),
        ("Bearer nonsense".to_owned(), "InvalidAuthenticationToken"),
        (format!("Bearer {}x", &good), "InvalidAuthenticationToken"),
        (format!("Bearer {}", token(&lab, KUBERNETES)), "InvalidAuthenticationTokenAudience"),
        (format!("Bearer {expired}"), "ExpiredAuthenticationToken"),
    ] {
        let reply = get(&words);
        assert_eq!((reply.status, code(&reply).as_str()), (401, expected));
        assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer authorization_uri="));
    }
    let reply = get(&format!("Bearer {good}"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(
        reply.header("x-ms-request-id").is_some() && reply.header("x-ms-correlation-request-id").is_some()
    );
}

#[test]
fn versions_places_and_names_have_to_be_right() {
    let lab = lab();
    let get = |path: &str, version: &str| {
        let reply = ask(&lab, "GET", path, version, &Value::Null);
        (reply.status, code(&reply))
    };
    let not = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(get(CLUSTER, ""), not(400, "MissingApiVersionParameter"));
    assert_eq!(get(CLUSTER, "v1"), not(400, "InvalidApiVersionParameter"));
    assert_eq!(get(CLUSTER, "1999-01-01"), not(400, "NoRegisteredProviderFound"));
    assert_eq!(get(ARC, "2024-02-01"), not(400, "NoRegisteredProviderFound"));
    assert_eq!(get(ARC, "2022-03-10"), not(404, "ResourceNotFound"));
    assert_eq!(get(&CLUSTER.replace("/aks", "/other"), "2024-02-01"), not(404, "ResourceNotFound"));
    assert_eq!(get(&CLUSTER.replace("edge", "other"), "2024-02-01"), not(404, "ResourceGroupNotFound"));
    assert_eq!(get(&CLUSTER.replace("a2e0", "a2e1"), "2024-02-01"), not(404, "SubscriptionNotFound"));
    assert_eq!(
        get(&CLUSTER.to_ascii_uppercase().replace("SUBSCRIPTIONS", "subscriptions"), "2024-02-01").0,
        200
    );
}

#[test]
fn an_arc_machine_comes_with_an_identity_and_goes() {
    let lab = lab();
    let body = json!({ "location": "westeurope", "identity": { "type": "SystemAssigned" }, "tags": { "site": "berlin" } });
    assert_eq!(code(&ask(&lab, "PUT", ARC, "2022-03-10", &json!({}))), "LocationRequired");
    assert_eq!(ask(&lab, "PUT", ARC, "2022-03-10", &body).status, 200);
    let machine = ask(&lab, "GET", ARC, "2022-03-10", &Value::Null).json();
    assert_eq!(
        (machine["name"].as_str(), machine["location"].as_str()),
        (Some("edge-07"), Some("westeurope"))
    );
    assert_eq!(machine["properties"]["status"], "Connected");
    assert_eq!(machine["identity"]["principalId"].as_str(), lab.azure.arc_principal(ARC).as_deref());
    assert_eq!(ask(&lab, "DELETE", ARC, "2022-03-10", &Value::Null).status, 200);
    assert_eq!(ask(&lab, "DELETE", ARC, "2022-03-10", &Value::Null).status, 204);
    assert_eq!(lab.azure.arc_principal(ARC), None);
}

#[test]
fn a_role_is_given_once_listed_in_pages_and_taken_away() {
    let lab = lab();
    let id = lab.azure.connect_arc("lab", "edge-07");
    let principal = lab.azure.arc_principal(&id).unwrap();
    let put = |number: u8, body: &Value| ask(&lab, "PUT", &assignment(number), "2022-04-01", body);
    assert_eq!(put(1, &role(&principal, READER)).status, 201);
    assert_eq!(put(1, &role(&principal, READER)).status, 200);
    assert_eq!(code(&put(1, &role(&principal, CLUSTER_ADMIN))), "RoleAssignmentUpdateNotPermitted");
    assert_eq!(code(&put(2, &role(&principal, READER))), "RoleAssignmentExists");
    assert_eq!(code(&put(2, &role(&principal, "nonsense"))), "RoleDefinitionDoesNotExist");
    let stranger = "11111111-1111-4111-8111-111111111111";
    assert_eq!(code(&put(2, &role(stranger, READER))), "PrincipalNotFound");
    let mut typed = role(stranger, READER);
    typed["properties"]["principalType"] = json!("ServicePrincipal");
    assert_eq!(put(2, &typed).status, 201);
    assert_eq!(put(3, &role(&principal, CLUSTER_ADMIN)).status, 201);

    let list = |scope: &str, filter: &str| -> Vec<String> {
        let mut path = format!("{scope}/providers/Microsoft.Authorization/roleAssignments?$filter={filter}");
        let mut names = Vec::new();
        loop {
            let page = ask(&lab, "GET", &path, "2022-04-01", &Value::Null).json();
            let of = |it: &Value| it["name"].as_str().unwrap()[34..].to_owned();
            names.extend(page["value"].as_array().unwrap().iter().map(of));
            let Some(next) = page["nextLink"].as_str() else { return names };
            let next = next.strip_prefix("https://management.azure.com").unwrap();
            path = next.replace("api-version=2022-04-01&", "");
        }
    };
    lab.azure.set_page(1);
    assert_eq!(list(CLUSTER, ""), ["01", "02", "03"]);
    assert_eq!(list(CLUSTER, &format!("principalId%20eq%20'{principal}'")), ["01", "03"]);
    assert_eq!(list(CLUSTER, &format!("atScope()%20and%20assignedTo('{stranger}')")), ["02"]);
    let subscription = format!("/subscriptions/{SUBSCRIPTION}");
    assert_eq!(list(&subscription, ""), ["01", "02", "03"]);
    assert_eq!(list(&subscription, "atScope()"), [""; 0]);
    let delete = |number: u8| ask(&lab, "DELETE", &assignment(number), "2022-04-01", &Value::Null).status;
    assert_eq!((delete(1), delete(1)), (200, 204));
    assert_eq!(list(CLUSTER, ""), ["02", "03"]);
}

#[test]
fn a_role_is_seen_at_once_and_honoured_when_word_has_spread() {
    let lab = lab();
    let object = application().object_id;
    let review = || {
        let body = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": { "user": object, "groups": ["system:authenticated"], "resourceAttributes": { "verb": "get" } },
        });
        let address = lab.azure.address(Service::ClusterAccess);
        send(address, "POST", "/?timeout=3s", &[], body.to_string().as_bytes()).json()["status"]["allowed"]
            .clone()
    };
    let put = || ask(&lab, "PUT", &assignment(1), "2022-04-01", &role(&object, CLUSTER_ADMIN)).status;
    let delete = || ask(&lab, "DELETE", &assignment(1), "2022-04-01", &Value::Null).status;
    lab.azure.set_propagation(Duration::from_hours(1));
    assert_eq!((review(), put()), (json!(false), 201));
    assert_eq!(ask(&lab, "GET", &assignment(1), "2022-04-01", &Value::Null).status, 200);
    assert_eq!(review(), false, "word has not spread");
    assert_eq!(delete(), 200);

    let spreading = Duration::from_millis(300);
    lab.azure.set_propagation(spreading);
    let start = Instant::now();
    assert_eq!(put(), 201);
    while review() == false {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start.elapsed() >= spreading);
    assert_eq!((delete(), review()), (200, json!(false)));
}

#[test]
fn a_strict_manager_asks_for_a_role_over_the_scope() {
    let lab = lab();
    let object = application().object_id;
    lab.azure.set_strict(true);
    let get = || ask(&lab, "GET", CLUSTER, "2024-02-01", &Value::Null);
    let refused = get();
    assert_eq!((refused.status, code(&refused).as_str()), (403, "AuthorizationFailed"));
    assert!(refused.text().contains("Microsoft.ContainerService/managedClusters/read"), "{}", refused.text());
    lab.azure.grant(&object, READER, &format!("/subscriptions/{SUBSCRIPTION}/resourceGroups/edge"));
    assert_eq!(get().status, 200);
    let credential = format!("{CLUSTER}/listClusterAdminCredential");
    assert_eq!(ask(&lab, "POST", &credential, "2024-02-01", &Value::Null).status, 403);
    let permissions = format!("{CLUSTER}/providers/Microsoft.Authorization/permissions");
    let held = ask(&lab, "GET", &permissions, "2022-04-01", &Value::Null).json();
    assert_eq!(held["value"][0]["actions"], json!(["*/read"]));
    assert_eq!(ask(&lab, "PUT", &assignment(1), "2022-04-01", &role(&object, READER)).status, 403);
    lab.azure.grant(&object, OWNER, CLUSTER);
    assert_eq!(ask(&lab, "PUT", &assignment(1), "2022-04-01", &role(&object, READER)).status, 201);
    assert_eq!(ask(&lab, "POST", &credential, "2024-02-01", &Value::Null).status, 200);
}

#[test]
fn a_cluster_gives_away_kubeconfigs_and_what_its_machines_join_with() {
    let lab = lab();
    let found = ask(&lab, "GET", CLUSTER, "2024-02-01", &Value::Null).json();
    assert_eq!(found["properties"]["aadProfile"]["enableAzureRBAC"], true);
    assert_eq!(found["properties"]["fqdn"], "aks.hcp.test");
    let post = |action: &str, version: &str| {
        ask(&lab, "POST", &format!("{CLUSTER}/{action}"), version, &Value::Null)
    };
    let kubeconfig = |reply: &Reply| {
        use base64::Engine as _;
        let value = reply.json()["kubeconfigs"][0]["value"].as_str().unwrap().to_owned();
        String::from_utf8(base64::engine::general_purpose::STANDARD.decode(value).unwrap()).unwrap()
    };
    assert_eq!(kubeconfig(&post("listClusterAdminCredential", "2024-02-01")), "kind: Config");
    let user = kubeconfig(&post("listClusterUserCredential", "2024-02-01"));
    assert!(user.contains("server: https://aks.hcp.test:443") && user.contains(KUBERNETES), "{user}");
    let data = post("agentPools/aksflexnodes/listBootstrapData", "2026-05-02-preview").json();
    assert_eq!(data["azure"]["bootstrapToken"]["token"], "abcdef.0123456789abcdef");
    assert_eq!(data["node"]["kubelet"]["clusterFQDN"], "aks.hcp.test");
    assert_eq!(post("agentPools/other/listBootstrapData", "2026-05-02-preview").status, 404);
    lab.azure.admit_cluster(ManagedCluster { admin_kubeconfig: None, ..cluster() });
    assert_eq!(post("listClusterAdminCredential", "2024-02-01").status, 400);
}

#[test]
fn a_machine_of_a_pool_takes_its_time() {
    let lab = lab();
    let id = format!("{CLUSTER}/agentPools/aksflexnodes/machines/edge-01");
    let version = "2025-10-02-preview";
    let get = |path: &str| ask(&lab, "GET", path, version, &Value::Null);
    assert_eq!((get(&id).status, code(&get(&id)).as_str()), (404, "NotFound"));
    let body = json!({ "properties": { "kubernetes": { "orchestratorVersion": "1.34.1", "maxPods": 110 } } });
    let status = |made: &Reply| {
        assert_eq!(made.header("retry-after"), Some("1"));
        let operation = made.header("azure-asyncoperation").unwrap();
        let path = operation.strip_prefix("https://management.azure.com").unwrap().split('?').next().unwrap();
        get(path).json()["status"].as_str().unwrap().to_owned()
    };
    lab.azure.set_patience(Duration::from_hours(1));
    let made = ask(&lab, "PUT", &id, version, &body);
    assert_eq!(
        (made.status, made.json()["properties"]["provisioningState"].as_str()),
        (201, Some("Creating"))
    );
    assert_eq!(status(&made), "InProgress");
    lab.azure.set_patience(Duration::ZERO);
    let changed = ask(&lab, "PUT", &id, version, &body);
    assert_eq!((changed.status, status(&changed).as_str()), (200, "Succeeded"));
    let machine = get(&id).json();
    assert_eq!(machine["properties"]["provisioningState"], "Succeeded");
    let tag = machine["properties"]["eTag"].clone();
    assert_eq!(ask(&lab, "PUT", &id, version, &body).status, 200);
    assert_ne!(get(&id).json()["properties"]["eTag"], tag);
}

#[test]
fn faults_strike_one_method_of_one_kind_of_resource() {
    let lab = lab();
    lab.azure.fault(Route::ROLE_ASSIGNMENTS.by("PUT"), Fault::Status(403), Times::First(1));
    lab.azure.fault(Route::ARC_MACHINES, Fault::Throttle(Duration::from_secs(2)), Times::First(1));
    let body = role(&application().object_id, READER);
    assert_eq!(ask(&lab, "GET", &assignment(1), "2022-04-01", &Value::Null).status, 404);
    let refused = ask(&lab, "PUT", &assignment(1), "2022-04-01", &body);
    assert_eq!((refused.status, code(&refused).as_str()), (403, "AuthorizationFailed"));
    assert_eq!(ask(&lab, "PUT", &assignment(1), "2022-04-01", &body).status, 201);
    let throttled = ask(&lab, "GET", ARC, "2022-03-10", &Value::Null);
    assert_eq!((throttled.status, throttled.header("retry-after")), (429, Some("2")));
}
