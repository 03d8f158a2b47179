//! Calls to servers on this machine: what comes back, and which part of the way is blamed when nothing does.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod fakes;

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fakes::{Act, Authority, Proxy, Server, answer, json, never, soon};
use slipway_fetch::{Call, Client, HttpError, Identity, Patience, ProxySettings, Trust, Url};
use slipway_model::{Blame, Secret};

fn client(authority: &Authority) -> Client {
    Client::new(&Trust::Only(authority.pem().into_bytes()), None, None).unwrap()
}

fn plain() -> Client {
    Client::new(&Trust::Nobody, None, None).unwrap()
}

fn get(client: &Client, url: &str) -> Result<(u16, String), HttpError> {
    let url = Url::parse(url).unwrap();
    let mut answer = client.call(&Call::get(&url), Patience::new(soon(5), &never))?;
    let body = answer.bytes(1024 * 1024)?;
    Ok((answer.status(), String::from_utf8(body).unwrap()))
}

#[test]
fn a_trusted_server_is_heard() {
    let authority = Authority::new();
    let server = Server::secure(&authority, |_| json("{}"));
    assert_eq!(get(&client(&authority), &server.url("https", "/a?b=c")).unwrap(), (200, "{}".to_owned()));
    let request = server.requests().remove(0);
    assert_eq!(request.line(), "GET /a?b=c HTTP/1.1");
    assert_eq!(request.field("host"), Some(server.address.to_string().as_str()));
}

#[test]
fn a_server_of_another_authority_is_not_trusted() {
    let server = Server::secure(&Authority::new(), |_| json("{}"));
    let error = get(&client(&Authority::new()), &server.url("https", "/")).unwrap_err();
    assert!(matches!(error, HttpError::Untrusted { .. }) && !error.is_transient(), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_certificate_out_of_its_time_points_to_the_clock() {
    let authority = Authority::new();
    let server = Server::of_tomorrow(&authority, |_| json("{}"));
    let error = get(&client(&authority), &server.url("https", "/")).unwrap_err();
    assert!(matches!(error, HttpError::Untrusted { by_date: true, .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("clock"));
}

#[test]
fn user_and_password_of_an_address_are_sent_unless_there_is_another_credential() {
    let server = Server::plain(|_| json("{}"));
    let url = Url::parse(&format!("http://user:p%40ss@{}/", server.address)).unwrap();
    let bearer = Secret::from("Bearer t");
    for authorization in [None, Some(&bearer)] {
        let call = Call { authorization, ..Call::get(&url) };
        plain().call(&call, Patience::new(soon(5), &never)).unwrap();
    }
    let sent: Vec<String> =
        server.requests().iter().map(|request| request.field("authorization").unwrap().to_owned()).collect();
    assert_eq!(sent, ["Basic dXNlcjpwQHNz", "Bearer t"]);
}

#[test]
fn a_client_certificate_opens_a_server_that_asks_for_one() {
    let authority = Authority::new();
    let server = Server::mutual(&authority, |_| json("{}"));
    let (chain_pem, key_pem) = authority.client("n1");
    let identity = Identity { chain_pem, key_pem: Secret::new(key_pem) };
    let trust = Trust::Only(authority.pem().into_bytes());
    let known = Client::new(&trust, Some(&identity), None).unwrap();
    assert_eq!(get(&known, &server.url("https", "/")).unwrap().0, 200);
    let error = get(&client(&authority), &server.url("https", "/")).unwrap_err();
    assert!(matches!(error, HttpError::Tls { .. } | HttpError::Broken { .. }), "{error:?}");
}

#[test]
fn bodies_of_every_framing_are_read() {
    for (raw, expected) in [
        ("HTTP/1.1 200 OK\r\n\r\nto the end", Some("to the end")),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", Some("abc")),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:1\r\n\r\nx", Some("x")),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n",
            Some("ab0123456789"),
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n", None),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", None),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nab", None),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", None),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\na", None),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\na", None),
        ("SSH-2.0-OpenSSH\r\n", None),
        ("", None),
    ] {
        let server = Server::plain(move |_| vec![Act::Send(raw.as_bytes().to_vec())]);
        let got = get(&plain(), &server.url("http", "/")).ok().map(|(_, body)| body);
        assert_eq!(got.as_deref(), expected, "{raw}");
    }
}

#[test]
fn each_part_of_the_way_has_its_own_error() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = get(&plain(), &format!("http://{closed}/")).unwrap_err();
    assert!(matches!(error, HttpError::Refused { .. }), "{error:?}");
    let error = get(&plain(), "http://no-such-host.invalid/").unwrap_err();
    assert!(matches!(error, HttpError::NameUnresolved { .. }), "{error:?}");
    assert_eq!(error.blame(), Blame::Network);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let speaks_no_tls = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        stream
    });
    let error = get(&client(&Authority::new()), &format!("https://{speaks_no_tls}/")).unwrap_err();
    assert!(matches!(error, HttpError::Tls { .. }), "{error:?}");
    drop(server.join());
}

#[test]
fn a_silent_server_is_given_up_at_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    for scheme in ["http", "https"] {
        let url = Url::parse(&format!("{scheme}://{}/", listener.local_addr().unwrap())).unwrap();
        let until = Instant::now() + Duration::from_millis(200);
        let authority = Authority::new();
        let error = client(&authority).call(&Call::get(&url), Patience::new(until, &never)).err().unwrap();
        assert!(matches!(error, HttpError::Late { .. }), "{error:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_stop_is_heeded_within_a_fifth_of_a_second() {
    let server = Server::plain(|_| {
        vec![Act::Send(b"HTTP/1.1 200 OK\r\n\r\nbegun".to_vec()), Act::Pause(Duration::from_secs(20))]
    });
    let asked = AtomicBool::new(false);
    thread::scope(|scope| {
        let (server, asked) = (&server, &asked);
        let call = scope.spawn(move || {
            let stop = || asked.load(Ordering::Relaxed);
            let url = Url::parse(&server.url("http", "/")).unwrap();
            let mut answer = plain().call(&Call::get(&url), Patience::new(soon(20), &stop)).unwrap();
            answer.bytes(1000).unwrap_err()
        });
        thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        asked.store(true, Ordering::Relaxed);
        let error = call.join().unwrap();
        assert!(matches!(error, HttpError::Stopped { .. }), "{error:?}");
        assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
    });
}

#[test]
fn a_tunnel_leads_through_a_proxy_that_never_sees_the_request() {
    let authority = Authority::new();
    let server = Server::secure(&authority, |_| json("{}"));
    let proxy = Proxy::start("200 OK", server.address);
    let settings =
        ProxySettings::new("", &format!("http://user:secret@{}", proxy.address), "10.0.0.0/8").unwrap();
    let client = Client::new(&Trust::Only(authority.pem().into_bytes()), None, Some(settings)).unwrap();
    assert_eq!(get(&client, "https://api.example.test/x").unwrap().0, 200);
    let heads = proxy.heads();
    assert!(heads[0].starts_with("CONNECT api.example.test:443 HTTP/1.1\r\n"), "{heads:?}");
    assert!(heads[0].contains("Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n"));
    assert_eq!(server.requests()[0].field("proxy-authorization"), None);
    assert_eq!(server.requests()[0].field("host"), Some("api.example.test"));
    // On this machine no proxy is used.
    assert_eq!(get(&client, &server.url("https", "/")).unwrap().0, 200);
    assert_eq!(proxy.heads().len(), 1);
}

#[test]
fn a_proxy_that_refuses_is_named() {
    let authority = Authority::new();
    let proxy = Proxy::start("407 Proxy Authentication Required", "127.0.0.1:1".parse().unwrap());
    let settings = ProxySettings::new("", &proxy.address.to_string(), "").unwrap();
    let client = Client::new(&Trust::Only(authority.pem().into_bytes()), None, Some(settings)).unwrap();
    let error = get(&client, "https://api.example.test/").unwrap_err();
    assert!(
        matches!(error, HttpError::ProxyRefused { status: 407, .. }) && !error.is_transient(),
        "{error:?}"
    );
}

#[test]
fn a_plain_request_goes_to_the_proxy_whole() {
    let proxy = Server::plain(|_| answer("200 OK", "", b"by proxy"));
    let settings = ProxySettings::new(&proxy.address.to_string(), "", "").unwrap();
    let client = Client::new(&Trust::Nobody, None, Some(settings)).unwrap();
    assert_eq!(get(&client, "http://store.example.test/x?y").unwrap().1, "by proxy");
    assert_eq!(proxy.requests()[0].line(), "GET http://store.example.test:80/x?y HTTP/1.1");
}
