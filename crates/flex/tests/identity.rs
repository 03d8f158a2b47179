//! What the sources of tokens need of a host: key files, programs, a file between two questions.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types, reason = "tests")]

#[path = "../../fetch/tests/fakes/mod.rs"]
mod fakes;
mod stand_in;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fakes::{Server, answer as answer_with, json};
use slipway_azure::credential::{
    AccessToken, ArcAgent, ArcEndpoint, KEY_DIRECTORY, KeyFiles as _, RunProgram as _, Scope, TokenError,
    TokenSource,
};
use slipway_fetch::Patience;
use slipway_flex::identity::{AgentKeys, Installed, Kept, answer};
use slipway_model::Secret;
use stand_in::Area;

fn never() -> bool {
    false
}

fn soon() -> Patience<'static> {
    Patience::new(Instant::now() + Duration::from_secs(5), &never)
}

#[test]
fn keys_are_read_in_their_directory_and_links_are_not_followed() {
    let area = Area::new("keys");
    let tokens = area.path().join("var/opt/azcmagent/tokens");
    fs::create_dir_all(tokens.join("directory.key")).unwrap();
    fs::write(area.path().join("shadow"), "root:x").unwrap();
    fs::write(tokens.join("k1.key"), "abcdef").unwrap();
    symlink(area.path().join("shadow"), tokens.join("absolute.key")).unwrap();
    symlink("../../../../shadow", tokens.join("relative.key")).unwrap();
    let keys = AgentKeys::below(area.path());
    assert_eq!(keys.read("k1.key", 4096).unwrap().expose(), b"abcdef");
    assert_eq!(keys.read("k1.key", 3).unwrap().expose(), b"abc");
    for name in ["absolute.key", "relative.key", "directory.key", "gone.key", "../../../../shadow"] {
        assert!(keys.read(name, 4096).is_err(), "{name}");
    }
}

#[test]
fn whoever_answers_for_the_agent_gets_its_keys_and_nothing_else() {
    let area = Area::new("challenge");
    let tokens = area.path().join("var/opt/azcmagent/tokens");
    fs::create_dir_all(&tokens).unwrap();
    fs::write(area.path().join("shadow"), "hash").unwrap();
    fs::write(tokens.join("good.key"), "key\n").unwrap();
    fs::write(tokens.join("long.key"), "k".repeat(4097)).unwrap();
    symlink(area.path().join("shadow"), tokens.join("link.key")).unwrap();
    for (name, expected) in [("good", true), ("link", false), ("long", false), ("gone", false)] {
        let server = Server::plain(move |request| {
            if request.field("authorization").is_some() {
                return json(r#"{"access_token":"tok","expires_in":3600}"#);
            }
            let field = format!("WWW-Authenticate: Basic realm={KEY_DIRECTORY}/{name}.key\r\n");
            answer_with("401 Who", &field, b"")
        });
        let endpoint = ArcEndpoint::at(&server.url("http", "/metadata/identity/oauth2/token")).unwrap();
        let agent = ArcAgent::new(endpoint, None, AgentKeys::below(area.path())).unwrap();
        let end = agent.token(&Scope::of("a"), soon());
        assert_eq!(end.is_ok(), expected, "{name}: {end:?}");
        let sent: Vec<_> = server
            .requests()
            .iter()
            .filter_map(|request| request.field("authorization").map(str::to_owned))
            .collect();
        assert_eq!(sent, if expected { vec!["Basic key".to_owned()] } else { Vec::new() }, "{name}");
    }
}

#[test]
fn a_program_is_found_run_and_killed_in_time() {
    let variable = |name: &str| match name {
        "PATH" => Some(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bin:/usr/bin:/bin").into()),
        "HOME" => Some("/root".into()),
        "SECRET" => Some("hidden".into()),
        _ => None,
    };
    let program = Installed::find("az", variable).unwrap();
    let ended = program.run(&["account", "show it"], Duration::from_secs(10)).unwrap();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(3), "oh\n"));
    assert_eq!(ended.stdout.expose(), b"account show it|/root|\n");
    let start = Instant::now();
    assert_eq!(program.run(&["slow"], Duration::from_millis(200)).unwrap().code, None);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(Installed::find("no-such-program", variable).is_none());
}

/// Gives tokens that are numbered and end after so many seconds.
struct Counting(AtomicU64, u64);

impl TokenSource for &Counting {
    fn token(&self, _: &Scope, _: Patience<'_>) -> Result<AccessToken, TokenError> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        Ok(AccessToken::new(Secret::new(format!("t{number}")), now + self.1).unwrap())
    }
}

#[test]
fn a_token_is_kept_between_two_questions_for_whoever_may_have_it() {
    let area = Area::new("kept");
    let file = area.path().join("token.json");
    let source = Counting(AtomicU64::new(0), 3600);
    let ask = |identity: &str, scope: &str| {
        let kept = Kept::new(&source, file.clone(), identity.to_owned());
        kept.token(&Scope::of(scope), soon()).unwrap().secret().expose().clone()
    };
    assert_eq!((ask("arc", "a"), ask("arc", "a")), ("t0".to_owned(), "t0".to_owned()));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    // Another scope, another identity, a file that others could read, a file that is none: each is asked for anew.
    assert_eq!(ask("arc", "b"), "t1");
    assert_eq!(ask("principal", "b"), "t2");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!((ask("principal", "b"), ask("principal", "b")), ("t3".to_owned(), "t3".to_owned()));
    fs::write(&file, "{").unwrap();
    assert_eq!(ask("principal", "b"), "t4");
    let short = Counting(AtomicU64::new(0), 299);
    let kept = Kept::new(&short, area.path().join("short.json"), "arc".to_owned());
    for expected in ["t0", "t1"] {
        assert_eq!(kept.token(&Scope::of("a"), soon()).unwrap().secret().expose(), expected);
    }
    let homeless = Kept::new(&short, area.path().join("gone/token.json"), "arc".to_owned());
    assert_eq!(homeless.token(&Scope::of("a"), soon()).unwrap().secret().expose(), "t2");
}

#[test]
fn kubelet_is_answered_with_a_token_and_told_when_it_ends() {
    let source = Counting(AtomicU64::new(7), 3600);
    let info = r#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}"#;
    let scope = Scope::of("6dae42f8-4368-4678-94ff-3960e28e3630");
    let text = answer(Some(info), &&source, &scope, soon()).unwrap();
    assert!(text.expose().contains(r#""token":"t7""#) && text.expose().contains("v1beta1"));
    assert!(answer(Some("{}"), &&source, &scope, soon()).is_err());
}
