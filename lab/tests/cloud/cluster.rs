//! A token of the machine's identity at the real API server.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scene::{Scene, scene};

const CLUSTER_ADMIN: &str = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b";

/// Gets a token as any program on the machine would, and asks the API server with it. The argument is the path.
const ASK: &str = r#"set -eu
url='http://127.0.0.1:40342/metadata/identity/oauth2/token?api-version=2019-11-01&resource=6dae42f8-4368-4678-94ff-3960e28e3630'
file=$(curl --silent --dump-header - --output /dev/null --header 'Metadata: true' "$url" | sed -n 's/^WWW-Authenticate: Basic realm=//p' | tr -d '\r')
case "$(stat --format='%a %U %G' "$file")" in '640 root himds') ;; *) stat "$file"; exit 1 ;; esac
token=$(curl --silent --fail --header 'Metadata: true' --header "Authorization: Basic $(cat "$file")" "$url" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
[ ! -e "$file" ]
curl --silent --output /run/answer --write-out '%{http_code}' --header "Authorization: Bearer $token" "https://lab.hcp.test$1""#;

impl Scene {
    /// The status and the body that the machine gets.
    fn ask(&self, path: &str) -> (u16, Value) {
        let status = self.machine.run("bash", &["-c", ASK, "ask", path]).unwrap().parse().unwrap();
        let answer = std::fs::read(self.machine.path("/run/answer")).unwrap();
        (status, serde_json::from_slice(&answer).unwrap_or_default())
    }

    /// Asks until the answer has this status, and says how long that took.
    fn until(&self, status: u16, longest: Duration) -> Duration {
        let start = Instant::now();
        loop {
            let (found, answer) = self.ask("/api/v1/nodes");
            if found == status {
                return start.elapsed();
            }
            assert!(start.elapsed() < longest, "{found} in place of {status}: {answer}");
            thread::sleep(Duration::from_millis(200));
        }
    }
}

#[test]
fn the_machines_token_is_believed_and_role_assignments_decide_what_it_is_good_for() {
    let scene = scene();
    let principal = scene.azure.arc_principal(&scene.arc).unwrap();
    // The API server looks for Entra every ten seconds.
    scene.until(403, Duration::from_secs(25));
    let (_, refused) = scene.ask("/api/v1/nodes");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains(&format!("User \"{principal}\" cannot list resource \"nodes\"")), "{message}");

    let cluster = scene.lab.cluster.id().unwrap();
    scene.azure.grant(&principal, CLUSTER_ADMIN, &cluster);
    scene.until(200, Duration::from_secs(5));
}
