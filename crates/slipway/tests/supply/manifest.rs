//! A manifest from the network, asked for by the real binary: below a root, and without touching anything there.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fakes::{self, Act, Authority, Proxy, Request, Server};
use crate::releases::{PUBLIC, Releases, config};

/// A machine below a root, with its configuration and the key that it trusts.
pub struct Place(PathBuf);

impl Place {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("supply-{}-{count}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("root")).unwrap();
        fs::write(directory.join("key.pub"), PUBLIC).unwrap();
        Self(directory)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub fn put(&self, name: &str, text: &str) -> String {
        fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    /// The program by one of its names, with a clean environment.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
        command.arg0(name).env_clear().env("SLIPWAY_ROOT", self.path("root"));
        command
    }

    /// Plans a join, with more in the configuration and more flags.
    pub fn plan(&self, more: &str, flags: &[&str], environment: &[(&str, &str)]) -> Output {
        let config = self.put("config.json", &config(more));
        let mut command = self.command("slipway");
        command.args(["flex", "join", "--dry-run", "--config", &config, "--key", &self.path("key.pub")]);
        command.args(flags).envs(environment.iter().copied()).output().unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let entries = fs::read_dir(self.0.join("root")).unwrap();
        let left: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name()).filter(|name| name != "var").collect();
        if !std::thread::panicking() {
            assert!(left.is_empty(), "{left:?}");
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// Answers with the manifest and its signature.
fn listing(request: &Request) -> Vec<Act> {
    let signed = Releases::of(100).signed();
    let path = request.line().split(' ').nth(1).unwrap_or_default();
    match path.rsplit('/').next() {
        Some("m.json") => fakes::answer("200 OK", "", &signed.text),
        Some("m.json.minisig") => fakes::answer("200 OK", "", signed.signature.as_bytes()),
        _ => fakes::answer("404 Not Found", "", b""),
    }
}

pub fn planned(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
    assert!(said(output).contains("install-kubelet"), "{}", said(output));
}

pub fn refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{}", said(output));
    for part in parts {
        assert!(said(output).contains(part), "{} has no {part}", said(output));
    }
}

#[test]
fn a_manifest_is_asked_for_again_when_that_helps() {
    let server = Server::plain(|request| match request.number {
        0 => fakes::answer("503 Busy", "Retry-After: 1\r\n", b""),
        1 => {
            let mut half = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".to_vec();
            half.extend_from_slice(&Releases::of(100).signed().text[..300]);
            vec![Act::Send(half), Act::Cut]
        }
        _ => listing(request),
    });
    planned(&Place::new().plan("", &["--manifest", &server.url("http", "/m.json")], &[]));
}

#[test]
fn a_manifest_that_does_not_come_says_why() {
    let place = Place::new();
    let server = Server::plain(|request| match request.line().split(' ').nth(1) {
        Some("/private/m.json") => fakes::answer("401 Who", "", b""),
        Some("/busy/m.json") => fakes::answer("429 Slowly", "Retry-After: 600\r\n", b""),
        Some("/changed/m.json") => fakes::answer("200 OK", "", b"{}"),
        _ => listing(request),
    });
    for (path, parts) in [
        ("/none", &["status 404", "whether the server has the file"][..]),
        ("/private/m.json", &["status 401", "a user and a password"]),
        ("/busy/m.json", &["asks to be left alone for 600 s", "[manifest-unreachable, service]"]),
        ("/changed/m.json", &["the signature is not that of this manifest", "compare the key"]),
    ] {
        refused(&place.plan("", &["--manifest", &server.url("http", path)], &[]), parts);
    }
}

#[test]
fn an_authority_of_ones_own_is_trusted_by_flag_and_by_configuration() {
    let (place, authority) = (Place::new(), Authority::new());
    let server = Server::secure(&authority, listing);
    let manifest = server.url("https", "/m.json");
    let strange = place.plan("", &["--manifest", &manifest], &[]);
    refused(&strange, &["is not trusted", "a proxy on the way replaces certificates"]);
    let ca = place.put("ca.pem", &authority.pem());
    planned(&place.plan("", &["--manifest", &manifest, "--ca", &ca], &[]));
    let encoded = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, authority.pem());
    let more = format!(r#", "networking": {{"trustedCaCertData": "{encoded}"}}"#);
    planned(&place.plan(&more, &["--manifest", &manifest], &[]));
}

#[test]
fn a_clock_that_is_wrong_is_named_as_the_reason() {
    let (place, authority) = (Place::new(), Authority::new());
    let server = Server::of_tomorrow(&authority, listing);
    let ca = place.put("ca.pem", &authority.pem());
    let output = place.plan("", &["--manifest", &server.url("https", "/m.json"), "--ca", &ca], &[]);
    refused(&output, &["certificate not valid yet", "compare this machine's clock"]);
}

#[test]
fn proxies_come_from_the_configuration_or_else_from_the_environment() {
    let (place, authority) = (Place::new(), Authority::new());
    let server = Server::secure(&authority, listing);
    let ca = place.put("ca.pem", &authority.pem());
    let flags = ["--manifest", "https://api.example.test/m.json", "--ca", &ca];
    let (first, second) = (Proxy::start("200 OK", server.address), Proxy::start("200 OK", server.address));
    let address = format!("http://user:word@{}", first.address);
    let more = format!(r#", "networking": {{"httpsProxy": "{address}"}}"#);
    let other = second.address.to_string();
    let output = place.plan(&more, &flags, &[("HTTPS_PROXY", &other)]);
    planned(&output);
    assert!(!said(&output).contains("user:word"), "{}", said(&output));
    assert!(
        said(&output).contains("/etc/systemd/system/kubelet.service.d/10-httpproxy.conf"),
        "{}",
        said(&output)
    );
    assert!(!said(&output).contains("/etc/environment"), "{}", said(&output));
    assert!(first.heads()[0].contains("Proxy-Authorization: Basic dXNlcjp3b3Jk"));
    assert!(second.heads().is_empty());
    planned(&place.plan("", &flags, &[("https_proxy", &other)]));
    assert_eq!(second.heads().len(), 2, "the manifest and its signature");
    let closed = Proxy::start("407 Who", server.address);
    let refusal = place.plan("", &flags, &[("HTTPS_PROXY", &closed.address.to_string())]);
    refused(&refusal, &["answered 407", "user and password into the proxy's address"]);
}

#[test]
fn everything_about_the_programs_can_stand_in_the_configuration() {
    let place = Place::new();
    let server = Server::plain(listing);
    let manifest = server.url("http", "/m.json").replacen("http://", "http://reader:word@", 1);
    let key = place.path("key.pub");
    let text = config("").replace(
        r#""kubernetes": "1.34""#,
        &format!(r#""kubernetes": "1.34", "manifest": "{manifest}", "releaseKey": "{key}", "mirrors": ["http://u:secret-word@m.example"]"#),
    );
    let file = place.put("own.json", &text);
    let join =
        place.command("slipway").args(["flex", "join", "--dry-run", "--config", &file]).output().unwrap();
    planned(&join);
    assert_eq!(server.requests()[0].field("authorization"), Some("Basic cmVhZGVyOndvcmQ="));
    let shown = place.command("slipway").args(["flex", "config", &file]).output().unwrap();
    for output in [&join, &shown] {
        assert!(!said(output).contains("secret-word"), "{}", said(output));
    }
}

#[test]
fn under_the_peers_name_a_failure_is_one_and_is_in_the_log() {
    let place = Place::new();
    let file = place.put("own.json", &config(""));
    let output = place.command("aks-flex-node").args(["start", "--config", &file]).output().unwrap();
    refused(&output, &["[no-programs, input]", "components.manifest"]);
    assert!(said(&output).ends_with("Command execution failed\n"), "{}", said(&output));
    let log = place.0.join("root/var/log/flex/aks-flex-node.log");
    let kept = fs::read_to_string(&log).unwrap();
    assert!(kept.contains("[no-programs, input]") && kept.ends_with("Command execution failed\n"), "{kept}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&log).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);

    let version = place.command("/usr/local/bin/aks-flex-node").arg("version").output().unwrap();
    let lines = said(&version);
    let expected = format!(
        "AKS Flex Node Agent\nVersion: {}\nGit Commit: unknown\nBuild Time: unknown\n",
        slipway::VERSION
    );
    assert_eq!(lines, expected);
    let left = place.command("aks-flex-node").arg("unbootstrap").output().unwrap();
    assert!(left.status.success() && said(&left).contains("nothing to undo"), "{}", said(&left));
    let own = place.command("aks-flex-node").args(["flex", "config", &file]).output().unwrap();
    assert!(own.status.success(), "kubelet's words count under any name: {}", said(&own));
    let unknown = place.command("aks-flex-node").arg("strat").output().unwrap();
    refused(&unknown, &["unknown command \"strat\"", "did you mean start?", "Command execution failed"]);
}
