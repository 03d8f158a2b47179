//! CoreDNS starts with our Corefiles, in a network of its own that has the addresses of a node.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use slipway_scripts::Mode;

use super::contracts::{Family, contract, named, text, texts};
use super::programs::{COREDNS, file};

const COREFILES: [&str; 3] =
    ["LOCALDNS_COREFILE_BASE", "LOCALDNS_COREFILE_WITH_HOSTS", "LOCALDNS_GENERATED_COREFILE"];

/// The network of the server: nothing in it but the two addresses that it listens on.
const NETWORK: &str = "ip link set lo up && ip address add 169.254.10.10/32 dev lo &&
    ip address add 169.254.10.11/32 dev lo && exec \"$@\"";

/// A server that has started; it ends with this.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Starts the server and waits until it says that it serves; an error is what it says instead.
fn start(corefile: &str) -> Result<Server, String> {
    let config = file("corefile", corefile);
    let mut child = Command::new("unshare")
        .args(["--net", "--map-root-user", "sh", "-c", NETWORK, "sh"])
        .arg(COREDNS.path())
        .arg("-conf")
        .arg(config)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server gets a network of its own by `unshare`; run ./test, which installs it");
    let mut said = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    while output.read_line(&mut said).unwrap() > 0 {
        if said.lines().last().is_some_and(|line| line.starts_with("CoreDNS-")) {
            // Its log goes on; nobody may close the pipe under it.
            std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
            return Ok(Server(child));
        }
    }
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(
        !said.contains("unshare:") && !said.contains("ip:"),
        "no network for the server; run ./test, which installs unshare and ip: {said}"
    );
    Err(said)
}

impl Server {
    /// What a program prints that is run in the server's network.
    fn ask(&self, command: &[&str]) -> Vec<u8> {
        let output = Command::new("nsenter")
            .args(["--preserve-credentials", "--user", "--net", "--target", &self.0.id().to_string()])
            .args(command)
            .output()
            .expect("the server is asked by `nsenter`, bash and curl; run ./test, which installs them");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// What the server counts, as it tells Prometheus.
    fn metrics(&self) -> String {
        let metrics = ["curl", "--silent", "--show-error", "--noproxy", "*", "http://127.0.0.1:9253/metrics"];
        String::from_utf8(self.ask(&metrics)).unwrap()
    }

    /// The length and the header of the answer to a health check.
    fn health_check(&self, listener: &str) -> Vec<u8> {
        let question = r"\0\55\0\1\0\0\0\1\0\0\0\0\0\0\14health-check\10localdns\5local\0\0\1\0\1";
        let exchange = format!("exec 3<>/dev/tcp/{listener}/53; printf '{question}' >&3; head -c 14 <&3");
        self.ask(&["timeout", "5", "bash", "-c", &exchange])
    }
}

#[test]
fn coredns_starts_with_every_corefile_of_ours() {
    let corefiles = texts(Family::V1, Mode::Ours, &COREFILES);
    assert!(corefiles.len() >= 5, "{}", corefiles.len());
    for (corefile, name) in corefiles {
        if let Err(said) = start(&corefile) {
            panic!("{name}: {said}\n{corefile}");
        }
    }
}

/// What the peer writes down although no server starts with it: unset numbers, no seconds in the cache, and the
/// placeholder that a recorded contract has for a duration.
const REFUSED: [&str; 3] = ["<nil>", "cache 0 {", "health_check test-duration-value"];

#[test]
fn coredns_starts_with_the_peers_corefiles_unless_they_have_what_we_refuse_or_mend() {
    for (corefile, name) in texts(Family::V1, Mode::Compat, &COREFILES) {
        let refused = REFUSED.iter().any(|text| corefile.contains(text));
        assert_eq!(start(&corefile).err().is_some(), refused, "{name}\n{corefile}");
    }
}

#[test]
fn every_plugin_that_a_corefile_names_is_at_work() {
    let corefile = text(&named("localdns"), Family::V2, Mode::Ours, "LOCALDNS_COREFILE_WITH_HOSTS").unwrap();
    let server = start(&corefile).unwrap_or_else(|said| panic!("{said}"));
    let metrics = server.metrics();
    let at_work = |plugin: &str, listener: &str| {
        metrics.lines().any(|line| {
            line.starts_with("coredns_plugin_enabled{")
                && line.contains(&format!("name=\"{plugin}\""))
                && line.contains(&format!("server=\"dns://{listener}:53\""))
                && line.ends_with(" 1")
        })
    };
    for listener in ["169.254.10.10", "169.254.10.11"] {
        for plugin in ["hosts", "forward", "cache", "template", "nsid", "prometheus", "loop"] {
            assert!(at_work(plugin, listener), "{plugin} on {listener}\n{metrics}");
        }
        let answer = server.health_check(listener);
        let flags = u16::from_be_bytes([answer[4], answer[5]]);
        assert_eq!(flags & 0x840f, 0x8400, "an authoritative answer without an error: {answer:?}");
        assert_eq!(answer[13], 2, "`whoami` tells address and port of who asks: {answer:?}");
        let ready = format!("http://{listener}:8181/ready");
        assert_eq!(server.ask(&["curl", "--silent", "--noproxy", "*", "--fail", &ready]), b"OK");
    }
}

/// Profiles that our rules refuse.
fn refused() -> Vec<Value> {
    let one = |settings: Value| json!({"contoso.com": settings});
    vec![
        one(json!({"max_concurrent": -1})),
        one(json!({"cache_duration_in_seconds": -1})),
        one(json!({"serve_stale": "Verify", "serve_stale_duration_in_seconds": -1})),
        one(json!({"health_check": {"duration": "soon"}})),
        one(json!({"health_check": {"duration": "5"}})),
        one(json!({"health_check": {"duration": "5s", "domain": "a..b"}})),
        json!({"a..b": {}}),
        json!({"tls://a.b": {}}),
        json!({"contoso.com": {}, "Contoso.com.": {}}),
    ]
}

#[test]
fn what_our_rules_refuse_coredns_refuses() {
    for overrides in refused() {
        let profile = json!({"enable_local_dns": true, "kube_dns_overrides": overrides});
        let contract = contract(&json!({"version": "v1", "local_dns_profile": profile}));
        assert_eq!(text(&contract, Family::V2, Mode::Ours, COREFILES[0]), None, "{overrides}");
        let peers = text(&contract, Family::V2, Mode::Compat, COREFILES[0]).unwrap();
        assert!(start(&peers).is_err(), "{peers}");
    }
}

#[test]
fn coredns_refuses_an_unknown_directive() {
    let said = start(".:53 {\n    bind 169.254.10.10\n    no_such_directive\n}\n").err().unwrap();
    assert!(said.contains("no_such_directive"), "{said}");
}
