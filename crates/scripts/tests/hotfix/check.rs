//! `check-hotfix`, every way it can end.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use slipway_azure::livepatch::{PROTOCOLS, SERVICE_NAME};
use slipway_model::Mode;
use slipway_scripts::hotfix::{Outcome, Services, check_hotfix};

use crate::fakes::{Answer, Authority, LivePatching, Metadata};
use crate::node::{Node, RUNNING, mode, put};

const API_SERVER: &str = "cluster-0123.hcp.westeurope.azmk8s.io";
const TABLE: &str = r#"{"hotfixes":{"202601.15":"202601.15.1"}}"#;
const OTHER_TABLE: &str = r#"{"version":"9.9.9","hotfixes":{"202512.01":"202512.01.4"}}"#;

/// A node with a contract, and the services that it asks.
struct Asking {
    node: Node,
    metadata: Metadata,
    service: LivePatching,
    mode: Mode,
}

impl Asking {
    fn for_answer(answer: Answer) -> Self {
        Self::with_members(answer, "")
    }

    /// More members stand at the end of the contract.
    fn with_members(answer: Answer, members: &str) -> Self {
        let authority = Authority::root();
        let service = LivePatching::start(authority.server(SERVICE_NAME), &PROTOCOLS, false, answer);
        let node = Node::new();
        let contract = format!(
            r#"{{"version":"v1","kubernetes_ca_cert":"{}","apiServerConfig":{{"apiServerName":"{API_SERVER}:443"}}{members}}}"#,
            STANDARD.encode(authority.pem())
        );
        put(&node.places.contract(), &contract, 0o600);
        Self { node, metadata: Metadata::attesting("MIIsigned=="), service, mode: Mode::Compat }
    }

    fn ask(&self) -> Outcome {
        let services =
            Services { metadata: self.metadata.address, live_patching: Some(self.service.address) };
        check_hotfix(RUNNING, self.mode, &self.node.places, &services, &self.node.report)
    }

    /// Asks, and holds everything that is left behind against what is expected.
    fn ends_with(&self, outcome: Outcome, name: &str, pointer: Option<&str>, why: &str) {
        assert_eq!(self.ask(), outcome, "{why}");
        assert_eq!(self.node.pointer().as_deref(), pointer, "{why}");
        let events = self.node.events();
        assert_eq!(events.len(), 1, "{why}");
        let failed = outcome == Outcome::Failed;
        let level = if failed { "Error" } else { "Informational" };
        assert_eq!(events[0]["EventLevel"], level, "{why}");
        assert_eq!(events[0]["TaskName"], "AKS.AKSNodeController.CheckHotfix");
        let message = events[0]["Message"].as_str().unwrap();
        let start =
            format!("check-hotfix outcome={name}{}", if failed { " error=" } else { " | startTime=" });
        assert!(message.starts_with(&start), "{why}: {message}");
        let records = self.node.records();
        let last = records.last().unwrap();
        let end =
            if failed { "check-hotfix completed with error (fail-open)" } else { "check-hotfix completed" };
        assert_eq!((last["msg"].as_str().unwrap(), last["outcome"].as_str().unwrap()), (end, name), "{why}");
        assert_eq!(last["level"], if failed { "WARN" } else { "INFO" }, "{why}");
        assert_eq!(last["error"].is_string(), failed, "{why}");
    }
}

#[test]
fn a_served_table_is_noted_whether_or_not_it_names_this_base() {
    let asking = Asking::for_answer(Answer::Config(TABLE.to_owned()));
    asking.ends_with(Outcome::Read, "lpsRead", Some(TABLE), "this base");
    let records = asking.node.records();
    assert_eq!(
        asking.node.messages(),
        ["aks-node-controller check-hotfix started", "dialing LPS", "check-hotfix completed"]
    );
    assert_eq!(records[1]["dialHost"], API_SERVER);
    assert_eq!(records[1]["component"], "aksNodeController");
    assert_eq!(asking.service.seen().unwrap().headers["authorization"], "MIIsigned==");
    assert!(!std::fs::read_to_string(asking.node.root.join("log")).unwrap().contains("MIIsigned"));

    let asking = Asking::for_answer(Answer::Config(OTHER_TABLE.to_owned()));
    let noted = r#"{"hotfixes":{"202512.01":"202512.01.4"}}"#;
    asking.ends_with(Outcome::NoneForBase, "noHotfixForBase", Some(noted), "another base");
}

#[test]
fn nothing_is_noted_when_nothing_is_served() {
    for config in ["", " ", "{}", r#"{"version":"202601.15.1"}"#, r#"{"hotfixes":{}}"#] {
        let asking = Asking::for_answer(Answer::Config(config.to_owned()));
        asking.ends_with(Outcome::NoneAvailable, "noHotfixAvailable", None, config);
    }
}

/// A fallback in the contract must not be used where the service has spoken.
const FALLBACK: &str = r#","hotfixes":{"202601.15":"202601.15.7"}"#;
const FALLBACK_TABLE: &str = r#"{"hotfixes":{"202601.15":"202601.15.7"}}"#;

#[test]
fn a_service_that_has_nothing_for_this_node_is_believed() {
    for code in [16, 7, 5] {
        for answer in [Answer::Trailers(code, "no"), Answer::TrailersOnly(code, "no")] {
            let asking = Asking::with_members(answer, FALLBACK);
            asking.ends_with(Outcome::NoneAvailable, "noHotfixAvailable", None, &format!("code {code}"));
        }
    }
}

#[test]
fn a_request_that_the_service_does_not_like_fails() {
    for code in [3, 8] {
        let asking = Asking::with_members(Answer::TrailersOnly(code, "no"), FALLBACK);
        asking.ends_with(Outcome::Failed, "failed", None, &format!("code {code}"));
        let messages = asking.node.messages();
        assert!(!messages.iter().any(|message| message.contains("cold-start")), "{messages:?}");
    }
}

#[test]
fn a_service_that_cannot_answer_leaves_it_to_the_contract() {
    let cases = [1, 2, 4, 6, 9, 10, 11, 12, 13, 14, 15, 99].map(|code| Answer::TrailersOnly(code, "no"));
    for answer in cases.into_iter().chain([Answer::Http(503), Answer::NoStatus, Answer::Silence]) {
        let why = format!("{answer:?}");
        let asking = Asking::with_members(answer.clone(), FALLBACK);
        asking.ends_with(Outcome::FromContract, "customDataFallback", Some(FALLBACK_TABLE), &why);
        let messages = asking.node.messages();
        assert!(messages.contains(&"failed to reach LPS, attempting cold-start fallback".to_owned()));
        if !matches!(answer, Answer::Silence) {
            for members in ["", r#","hotfixes":{}"#, r#","hotfixes":null"#, r#","hotfixes":[1]"#] {
                let asking = Asking::with_members(answer.clone(), members);
                asking.ends_with(Outcome::Failed, "failed", None, &format!("{why} {members}"));
            }
        }
    }
}

#[test]
fn metadata_and_target_errors_leave_it_to_the_contract_too() {
    for members in [FALLBACK, ""] {
        let mut asking = Asking::with_members(Answer::Config(TABLE.to_owned()), members);
        asking.metadata = Metadata::answering("HTTP/1.1 500 No\r\n\r\n");
        if members.is_empty() {
            asking.ends_with(Outcome::Failed, "failed", None, "no metadata");
        } else {
            asking.ends_with(
                Outcome::FromContract,
                "customDataFallback",
                Some(FALLBACK_TABLE),
                "no metadata",
            );
        }
        assert!(asking.service.seen().is_none(), "nothing to show the service, yet it was asked");
    }
    for (contract, outcome) in [
        (r#"{"version":"v1","hotfixes":{"202601.15":"202601.15.7"}}"#, Outcome::FromContract),
        (r#"{"version":"v1"}"#, Outcome::Failed),
        (r#"{"version":"#, Outcome::Failed),
        // The CA is missing: TLS that cannot be verified is refused.
        (r#"{"apiServerConfig":{"apiServerName":"api.example"}}"#, Outcome::Failed),
        (
            r#"{"apiServerConfig":{"apiServerName":"api.example"},"hotfixes":{"202601.15":"202601.15.7"}}"#,
            Outcome::FromContract,
        ),
        (r#"{"apiServerConfig":{"apiServerName":"api.example"},"kubernetesCaCert":"*"}"#, Outcome::Failed),
    ] {
        let asking = Asking::for_answer(Answer::Config(TABLE.to_owned()));
        put(&asking.node.places.contract(), contract, 0o600);
        assert_eq!(asking.ask(), outcome, "{contract}");
        assert!(asking.service.seen().is_none(), "{contract}");
    }
}

#[test]
fn certificates_that_prove_nothing_count_as_no_service() {
    let cluster = Authority::root();
    for (why, identity) in
        [("another CA", Authority::root().server(SERVICE_NAME)), ("another name", cluster.server(API_SERVER))]
    {
        let mut asking = Asking::for_answer(Answer::Silence);
        let contract = format!(
            r#"{{"kubernetes_ca_cert":"{}","api_server_config":{{"api_server_name":"{API_SERVER}"}}}}"#,
            STANDARD.encode(cluster.pem())
        );
        put(&asking.node.places.contract(), &contract, 0o600);
        asking.service = LivePatching::start(identity, &PROTOCOLS, false, Answer::Config(TABLE.to_owned()));
        asking.ends_with(Outcome::Failed, "failed", None, why);
    }
}

#[test]
fn what_is_served_must_be_a_pointer_and_must_be_written() {
    for config in ["{", "[]", r#"{"hotfixes":{"a":1}}"#] {
        let asking = Asking::with_members(Answer::Config(config.to_owned()), FALLBACK);
        asking.ends_with(Outcome::Failed, "failed", None, config);
    }
    let asking = Asking::with_members(Answer::Config(TABLE.to_owned()), FALLBACK);
    std::fs::create_dir(asking.node.places.pointer()).unwrap();
    asking.ends_with(Outcome::Failed, "failed", None, "a directory in the way");
    assert_eq!(
        asking.node.containers(),
        ["aks-node-controller-config.json", "aks-node-controller-hotfix.json"]
    );
}

#[test]
fn a_contract_that_is_half_read_will_do_if_it_names_the_server() {
    let broken = r#","kubelet_config":7,"cluster_config":{}"#;
    let asking = Asking::with_members(Answer::Config(TABLE.to_owned()), broken);
    asking.ends_with(Outcome::Read, "lpsRead", Some(TABLE), "a wrong type later on");
}

#[test]
fn the_pointer_keeps_its_versions_and_its_mode() {
    let before =
        r#"{"Version":"202601.15.1","scripts_version":"202601.15.2","hotfixes":{"a":"b"},"later":[1]}"#;
    for (mode_of_run, after) in [
        (
            Mode::Compat,
            r#"{"version":"202601.15.1","scripts_version":"202601.15.2","hotfixes":{"202601.15":"202601.15.1"}}"#,
        ),
        (
            Mode::Ours,
            r#"{"version":"202601.15.1","scripts_version":"202601.15.2","hotfixes":{"202601.15":"202601.15.1"},"later":[1]}"#,
        ),
    ] {
        let mut asking = Asking::for_answer(Answer::Config(TABLE.to_owned()));
        asking.mode = mode_of_run;
        put(&asking.node.places.pointer(), before, 0o640);
        asking.ends_with(Outcome::Read, "lpsRead", Some(after), "merge");
        assert_eq!(mode(&asking.node.places.pointer()), 0o640);
    }
    let asking = Asking::for_answer(Answer::Config(TABLE.to_owned()));
    put(&asking.node.places.pointer(), "not JSON", 0o600);
    asking.ends_with(Outcome::Read, "lpsRead", Some(TABLE), "an unreadable pointer");
    assert_eq!(asking.node.records()[2]["level"], "WARN");
    let asking = Asking::for_answer(Answer::Config(TABLE.to_owned()));
    asking.ask();
    assert_eq!(mode(&asking.node.places.pointer()), 0o644);
}

#[test]
fn the_command_file_names_the_server_where_there_is_no_contract() {
    let authority = Authority::root();
    let mut asking = Asking::for_answer(Answer::Silence);
    std::fs::remove_file(asking.node.places.contract()).unwrap();
    let command = format!(
        "A=1 API_SERVER_NAME={API_SERVER} KUBE_CA_CRT=\"{}\" /bin/bash x\n",
        STANDARD.encode(authority.pem())
    );
    put(&asking.node.places.command(), &command, 0o600);
    let identity = authority.server(SERVICE_NAME);
    asking.service = LivePatching::start(identity, &PROTOCOLS, false, Answer::Config(TABLE.to_owned()));
    asking.ends_with(Outcome::Read, "lpsRead", Some(TABLE), "command file");
    let messages = asking.node.messages();
    assert_eq!(messages[1], "node config not found, trying nbc-cmd.sh fallback");
    assert_eq!(messages[2], "loaded LPS target from nbc-cmd.sh fallback");
}

#[test]
fn without_any_file_the_records_are_the_peers() {
    let asking = Asking::for_answer(Answer::Silence);
    std::fs::remove_file(asking.node.places.contract()).unwrap();
    asking.ends_with(Outcome::Failed, "failed", None, "no file");
    let path = asking.node.places.command();
    let path = path.display();
    let error =
        format!("resolving LPS endpoint: reading nbc-cmd {path}: open {path}: no such file or directory");
    let records = asking.node.records();
    assert_eq!(
        asking.node.messages(),
        [
            "aks-node-controller check-hotfix started",
            "node config not found, trying nbc-cmd.sh fallback",
            "failed to reach LPS, attempting cold-start fallback",
            "check-hotfix completed with error (fail-open)",
        ]
    );
    assert_eq!(records[2]["error"], error);
    assert_eq!(records[3]["error"], format!("LPS fetch failed and no cold-start pointer present: {error}"));
    put(&asking.node.places.command(), "A=1\n", 0o600);
    assert_eq!(asking.ask(), Outcome::Failed);
}
