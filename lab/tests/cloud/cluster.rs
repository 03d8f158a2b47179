//! A token of the machine's identity at the real API server.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slipway_lab::azure::{MANAGEMENT, SUBSCRIPTION, Service};

use crate::scene::{Scene, application, scene};

const CLUSTER_ADMIN: &str = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b";
const ASSIGNMENT: &str = "00000000-0000-4000-8000-0000000000aa";

/// Gets a token as any program on the machine would, and asks the API server with it. The argument is the path.
const ASK: &str = r#"set -eu
url='http://127.0.0.1:40342/metadata/identity/oauth2/token?api-version=2019-11-01&resource=6dae42f8-4368-4678-94ff-3960e28e3630'
file=$(curl --silent --dump-header - --output /dev/null --header 'Metadata: true' "$url" | sed -n 's/^WWW-Authenticate: Basic realm=//p' | tr -d '\r')
case "$(stat --format='%a %U %G' "$file")" in '640 root himds') ;; *) stat "$file"; exit 1 ;; esac
token=$(curl --silent --fail --header 'Metadata: true' --header "Authorization: Basic $(cat "$file")" "$url" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
[ ! -e "$file" ]
curl --silent --output /run/answer --write-out '%{http_code}' --header "Authorization: Bearer $token" "https://lab.hcp.test$1""#;

/// One of these tests at a time: each changes what the others ask for.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scene {
    /// The status and the body that the machine gets.
    fn ask(&self, path: &str) -> (u16, Value) {
        let status = self.machine.run("bash", &["-c", ASK, "ask", path]).unwrap().parse().unwrap();
        let answer = std::fs::read(self.machine.path("/run/answer")).unwrap();
        (status, serde_json::from_slice(&answer).unwrap_or_default())
    }

    /// Gives the principal the role over the cluster, or takes it, as its owner would over the wire.
    fn assign(&self, method: &str, principal: &str) {
        let cluster = self.lab.cluster.id().unwrap();
        let role = format!(
            "/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{CLUSTER_ADMIN}"
        );
        let body = json!({ "properties": { "principalId": principal, "roleDefinitionId": role } });
        let token = self.azure.token(&application(), "https://management.azure.com");
        let url = format!(
            "https://{MANAGEMENT}{cluster}/providers/Microsoft.Authorization/roleAssignments/{ASSIGNMENT}?api-version=2022-04-01"
        );
        let words = format!("Authorization: Bearer {token}");
        let body = body.to_string();
        let arguments = [
            "--silent",
            "--show-error",
            "--fail",
            "--request",
            method,
            "--header",
            &words,
            "--data",
            &body,
            &url,
        ];
        self.machine.run("curl", &arguments).unwrap();
    }

    /// Asks until the answer has this status.
    fn until(&self, status: u16, longest: Duration) {
        let start = Instant::now();
        loop {
            let (found, answer) = self.ask("/api/v1/nodes");
            if found == status {
                return;
            }
            assert!(start.elapsed() < longest, "{found} in place of {status}: {answer}");
            thread::sleep(Duration::from_millis(200));
        }
    }
}

#[test]
fn the_machines_token_is_believed_and_role_assignments_decide_what_it_is_good_for() {
    let _turn = turn();
    let scene = scene();
    let principal = scene.azure.arc_principal(&scene.arc).unwrap();
    scene.lab.cluster.wait_trusting(&scene.lab.space, &scene.azure).unwrap();
    let (status, refused) = scene.ask("/api/v1/nodes");
    let message = refused["message"].as_str().unwrap_or_default();
    let expected = format!("User \"{principal}\" cannot list resource \"nodes\"");
    assert!(status == 403 && message.contains(&expected), "{status} {refused}");

    scene.azure.set_propagation(Duration::from_hours(1));
    scene.assign("PUT", &principal);
    assert_eq!(scene.ask("/api/v1/nodes").0, 403, "word of the assignment has not spread");
    scene.assign("DELETE", &principal);

    let spreading = Duration::from_secs(2);
    scene.azure.set_propagation(spreading);
    let start = Instant::now();
    scene.assign("PUT", &principal);
    scene.until(200, Duration::from_mins(2));
    assert!(start.elapsed() >= spreading);
    scene.assign("DELETE", &principal);
    scene.until(403, Duration::from_mins(2));
}

#[test]
fn without_azure_a_principal_may_do_nothing_and_everybody_else_is_served() {
    let _turn = turn();
    let scene = scene();
    scene.lab.cluster.wait_trusting(&scene.lab.space, &scene.azure).unwrap();
    scene.azure.close(Service::ClusterAccess);
    let (status, answer) = scene.ask("/api/v1/namespaces");
    let kubectl =
        |arguments: &[&str]| scene.lab.cluster.kubectl(&scene.lab.space, arguments).output().unwrap();
    let stranger = kubectl(&["auth", "can-i", "list", "nodes", "--as=stranger"]);
    scene.lab.space.on_network(|| scene.azure.open(Service::ClusterAccess)).unwrap().unwrap();
    assert!(status >= 403, "{status} {answer}");
    assert_eq!(String::from_utf8_lossy(&stranger.stdout).trim(), "no");
}
