//! The identity service of an Arc machine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use slipway_lab::azure::{Fault, Himds, KUBERNETES, Keys, Route, Times};

use crate::Lab;
use crate::client::{METADATA, Reply, ask, try_send};

struct Arc {
    lab: Lab,
    himds: Himds,
    id: String,
    tokens: PathBuf,
}

impl Arc {
    fn new() -> Self {
        let lab = Lab::new();
        let id = lab.azure.connect_arc("lab", "edge-01");
        let tokens = lab.directory.path().join("tokens");
        let keys = Keys { machine: id.clone(), directory: tokens.clone(), group: None };
        let himds = lab.azure.himds("127.0.0.1:0".parse().unwrap(), keys).unwrap();
        Self { lab, himds, id, tokens }
    }

    fn ask(&self, query: &str, key: Option<&str>) -> Reply {
        let target = format!("/metadata/identity/oauth2/token?{query}");
        let key = key.map(|key| format!("Basic {key}"));
        let mut headers = METADATA.to_vec();
        headers.extend(key.iter().map(|key| ("Authorization", key.as_str())));
        ask(self.himds.address(), "GET", &target, &headers)
    }

    /// The file that a challenge names.
    fn file(&self, challenge: &Reply) -> PathBuf {
        assert_eq!(challenge.status, 401);
        let realm = challenge.header("www-authenticate").unwrap().strip_prefix("Basic realm=").unwrap();
        let realm = Path::new(realm);
        assert_eq!(realm.parent(), Some(Path::new("/var/opt/azcmagent/tokens")));
        assert_eq!(realm.extension().unwrap(), "key");
        self.tokens.join(realm.file_name().unwrap())
    }
}

#[test]
fn who_reads_the_key_file_gets_one_token_of_the_machine() {
    let arc = Arc::new();
    for version in ["2019-11-01", "2020-06-01"] {
        let query = format!("api-version={version}&resource={KUBERNETES}");
        let file = arc.file(&arc.ask(&query, None));
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        let key = std::fs::read_to_string(&file).unwrap();
        let reply = arc.ask(&query, Some(&key));
        assert_eq!(reply.status, 200, "{}", reply.text());
        let token = reply.json();
        assert_eq!(
            (token["resource"].as_str(), token["token_type"].as_str()),
            (Some(KUBERNETES), Some("Bearer"))
        );
        assert!(token["expires_on"].as_str().unwrap().parse::<u64>().is_ok(), "numbers are texts");
        let claims = crate::himds::claims(token["access_token"].as_str().unwrap());
        assert_eq!(claims["oid"].as_str(), arc.lab.azure.arc_principal(&arc.id).as_deref());
        assert!(!file.exists());
        assert_eq!(arc.ask(&query, Some(&key)).status, 401, "a key is good once");
    }
}

fn claims(token: &str) -> serde_json::Value {
    use base64::Engine as _;
    let claims = token.split('.').nth(1).unwrap();
    let claims = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(claims).unwrap();
    serde_json::from_slice(&claims).unwrap()
}

#[test]
fn two_who_ask_at_once_do_not_take_each_others_keys() {
    let arc = Arc::new();
    let query = format!("api-version=2020-06-01&resource={KUBERNETES}");
    let files = [arc.file(&arc.ask(&query, None)), arc.file(&arc.ask(&query, None))];
    assert_ne!(files[0], files[1]);
    for file in files {
        let key = std::fs::read_to_string(&file).unwrap();
        assert_eq!(arc.ask(&query, Some(&key)).status, 200);
    }
}

#[test]
fn what_is_not_asked_for_properly_is_refused() {
    let arc = Arc::new();
    for query in ["api-version=2018-02-01&resource=r", "resource=r", "api-version=2020-06-01"] {
        assert_eq!(arc.ask(query, None).status, 400, "{query}");
    }
    let target = format!("/metadata/identity/oauth2/token?api-version=2020-06-01&resource={KUBERNETES}");
    assert_eq!(ask(arc.himds.address(), "GET", &target, &[]).status, 400, "the header is missing");
    assert_eq!(arc.ask(target.split_once('?').unwrap().1, Some("guessed")).status, 401);
}

#[test]
fn a_machine_that_is_not_connected_has_no_tokens() {
    let lab = Lab::new();
    let tokens = lab.directory.path().join("tokens");
    let keys = Keys { machine: "/nowhere".to_owned(), directory: tokens.clone(), group: None };
    let himds = lab.azure.himds("127.0.0.1:0".parse().unwrap(), keys).unwrap();
    let arc = Arc { lab, himds, id: String::new(), tokens };
    let query = format!("api-version=2020-06-01&resource={KUBERNETES}");
    let key = std::fs::read_to_string(arc.file(&arc.ask(&query, None))).unwrap();
    assert_eq!(arc.ask(&query, Some(&key)).status, 400);
}

#[test]
fn the_service_fails_as_it_is_told_to_and_is_refused_while_it_restarts() {
    let arc = Arc::new();
    let query = format!("api-version=2020-06-01&resource={KUBERNETES}");
    let address = arc.himds.address();
    let target = format!("/metadata/identity/oauth2/token?{query}");
    let once = |fault| {
        arc.lab.azure.fault(Route::ARC_TOKEN, fault, Times::First(1));
        try_send(address, "GET", &target, METADATA, b"")
    };
    assert_eq!(once(Fault::Status(500)).unwrap().status, 500);
    assert_eq!(once(Fault::Throttle(std::time::Duration::from_secs(1))).unwrap().status, 429);
    assert_eq!(once(Fault::Refuse).unwrap_err().kind(), std::io::ErrorKind::ConnectionReset);
    let garbage = once(Fault::Garbage).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&garbage.body).is_err());
    assert_eq!(arc.ask(&query, None).status, 401);
    drop(arc.himds);
    let refused = std::net::TcpStream::connect(address).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}
