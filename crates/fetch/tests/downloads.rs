//! Downloads from servers on this machine that break off, change their minds and lie.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod fakes;

use std::time::{Duration, Instant};

use fakes::{Act, Request, Server, answer, never, soon};
use slipway_fetch::{Client, Download, FetchError, Fetched, Patience, Sha256, Trust, Url, fetch};

const FILE: &[u8] = b"0123456789abcdefghij";
/// Of the file.
const SUM: &str = "6bc14bdc4517a7a682c6910de2e2946eb8e1ecd04090728fef6d092a7ceb62c5";

fn download(server: &Server, sum: Option<&str>) -> (Result<Fetched, FetchError>, Vec<u8>) {
    download_within(server, sum, 10)
}

fn download_within(
    server: &Server,
    sum: Option<&str>,
    seconds: u64,
) -> (Result<Fetched, FetchError>, Vec<u8>) {
    let client = Client::new(&Trust::Nobody, None, None).unwrap();
    let wanted = Download {
        url: Url::parse(&server.url("http", "/kubelet.tar?sig=hush")).unwrap(),
        sha256: sum.map(|sum| Sha256::parse(sum).unwrap()),
        most: 100,
    };
    let mut into = Vec::new();
    let fetched = fetch(&client, &wanted, &mut into, Patience::new(soon(seconds), &never));
    (fetched, into)
}

/// Sends the file from where it was asked for, as far as `most`.
fn part(request: &Request, most: usize, tag: &str) -> Vec<Act> {
    let from = request
        .field("range")
        .map_or(0, |range| range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap());
    let status = if from > 0 { "206 Partial Content" } else { "200 OK" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{}\r\nETag: {tag}\r\n\r\n",
        FILE.len() - from,
        FILE.len() - 1,
        FILE.len()
    );
    vec![
        Act::Send(head.into_bytes()),
        Act::Send(FILE[from..(from + most).min(FILE.len())].to_vec()),
        Act::Cut,
    ]
}

#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let server = Server::plain(|request| part(request, 8, "\"v1\""));
    let (fetched, bytes) = download(&server, Some(SUM));
    let fetched = fetched.unwrap();
    assert_eq!(bytes, FILE);
    assert_eq!((fetched.length, fetched.resumed, fetched.sha256.to_string().as_str()), (20, 2, SUM));
    let ranges: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.field("range").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(ranges, ["", "bytes=8-", "bytes=16-"]);
    assert_eq!(server.requests()[1].field("if-range"), Some("\"v1\""));
}

#[test]
fn a_server_that_cannot_resume_is_read_again_from_the_start() {
    let server = Server::plain(|request| {
        let whole = Request { head: String::new(), ..request.clone() };
        part(&whole, if request.number == 0 { 8 } else { 20 }, "\"v1\"")
    });
    let (fetched, bytes) = download(&server, Some(SUM));
    assert_eq!(fetched.unwrap().length, 20);
    assert_eq!(bytes, FILE);
}

#[test]
fn halves_of_two_files_are_never_put_together() {
    let server = Server::plain(|request| {
        let whole = Request { head: String::new(), ..request.clone() };
        part(&whole, 8, if request.number == 0 { "\"v1\"" } else { "\"v2\"" })
    });
    let error = download(&server, None).0.unwrap_err().to_string();
    assert!(error.contains("changed while"), "{error}");
}

#[test]
fn a_wrong_checksum_is_told_with_both_sums() {
    let server = Server::plain(|_| answer("200 OK", "", b"something else"));
    let error = download(&server, Some(SUM)).0.unwrap_err();
    assert!(matches!(error, FetchError::WrongChecksum { .. }), "{error:?}");
    assert!(error.to_string().contains(SUM) && !error.to_string().contains("hush"), "{error}");
}

#[test]
fn what_passes_is_tried_again_and_what_does_not_is_told() {
    let server = Server::plain(|request| match request.number {
        0 => answer("503 Busy", "Retry-After: 1\r\n", b""),
        1 => answer("429 Slowly", "", b""),
        _ => answer("200 OK", "", FILE),
    });
    let start = Instant::now();
    assert_eq!(download(&server, Some(SUM)).0.unwrap().resumed, 0);
    assert!(start.elapsed() > Duration::from_secs(1));
    let server = Server::plain(|_| answer("404 Not Found", "", b""));
    let error = download(&server, None).0.unwrap_err();
    assert!(matches!(error, FetchError::Status { status: 404, .. }), "{error:?}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_server_that_asks_for_more_time_than_there_is_ends_it_at_once() {
    let server = Server::plain(|_| answer("429 Slowly", "Retry-After: 3600\r\n", b""));
    let start = Instant::now();
    let error = download(&server, None).0.unwrap_err();
    assert!(error.to_string().ends_with("status 429 and asks to be left alone for 3600 s"), "{error}");
    assert_eq!(server.requests().len(), 1);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn the_rest_of_another_file_is_not_taken_for_the_rest_of_this_one() {
    let server =
        Server::plain(|request| part(request, 8, if request.number == 0 { "\"v1\"" } else { "\"v2\"" }));
    let error = download(&server, None).0.unwrap_err().to_string();
    assert!(error.contains("changed while"), "{error}");
}

#[test]
fn a_password_stays_with_the_server_that_it_is_for() {
    let elsewhere = Server::plain(|_| answer("200 OK", "", FILE));
    let to = elsewhere.url("http", "/signed");
    let server = Server::plain(move |_| answer("302 Found", &format!("Location: {to}\r\n"), b""));
    let client = Client::new(&Trust::Nobody, None, None).unwrap();
    let url = Url::parse(&format!("http://user:word@{}/kubelet", server.address)).unwrap();
    let wanted = Download { url, sha256: Sha256::parse(SUM), most: 100 };
    fetch(&client, &wanted, &mut Vec::new(), Patience::new(soon(5), &never)).unwrap();
    assert_eq!(server.requests()[0].field("authorization"), Some("Basic dXNlcjp3b3Jk"));
    assert_eq!(elsewhere.requests()[0].field("authorization"), None);
}

#[test]
fn redirects_are_followed_a_few_times() {
    let server = Server::plain(|request| match request.line() {
        "GET /kubelet.tar?sig=hush HTTP/1.1" => answer("302 Found", "Location: /there\r\n", b""),
        _ => answer("200 OK", "", FILE),
    });
    assert_eq!(download(&server, Some(SUM)).0.unwrap().length, 20);
    for location in ["/again", "ftp://a.example/", "//elsewhere", "http://a b/"] {
        let server = Server::plain(move |_| answer("307 There", &format!("Location: {location}\r\n"), b""));
        let error = download(&server, None).0.unwrap_err();
        assert!(matches!(error, FetchError::Redirect { .. }), "{error:?}");
        assert!(server.requests().len() <= 6);
    }
}

#[test]
fn a_download_that_stays_truncated_ends_with_the_deadline() {
    let server = Server::plain(|request| part(request, usize::from(request.number == 0) * 5, "\"v1\""));
    let start = Instant::now();
    let (fetched, bytes) = download_within(&server, None, 1);
    let error = fetched.unwrap_err();
    assert!(matches!(error, FetchError::Connection { .. }), "{error:?}");
    assert_eq!(bytes, &FILE[..5]);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn more_than_was_allowed_is_not_taken() {
    for fields in ["Content-Length: 200\r\n", ""] {
        let server = Server::plain(move |_| {
            let mut bytes = format!("HTTP/1.1 200 OK\r\n{fields}\r\n").into_bytes();
            bytes.extend_from_slice(&[b'x'; 200]);
            vec![Act::Send(bytes)]
        });
        let (fetched, bytes) = download(&server, None);
        assert!(matches!(fetched, Err(FetchError::TooLarge { most: 100, .. })));
        assert!(bytes.len() <= 100);
    }
}
