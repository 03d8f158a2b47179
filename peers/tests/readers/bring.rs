//! A Slipway that the machine fetches for itself: run only if it is the right one, and never waited for.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use sha2::{Digest as _, Sha256};
use slipway_contract::custom_data::{Bring, Form};

use super::boothook::{LAUNCHER, SLIPWAY, started};
use super::machine::{Booted, Machine, PROGRAM};
use super::{boothook_script, contract, document};

fn program() -> String {
    format!("#!/bin/bash\n{PROGRAM}\n")
}

fn hash() -> String {
    Sha256::digest(program()).iter().fold(String::new(), |text, octet| text + &format!("{octet:02x}"))
}

fn script(url: &str) -> String {
    let bring = Bring::parse(url, &hash()).unwrap();
    boothook_script(&document(&contract(), Form::Boothook, Some(&bring)))
}

/// Serves one file once on this machine.
fn serve(status: &'static str, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
            .unwrap();
        }
    });
    format!("http://{address}/slipway?sig=a%2Bb&$x=(y)")
}

/// A fetching program that gives out what is in `/opt/source`, slowly.
const FETCH: &str = "echo fetch >>/opt/fetches; sleep 0.5
while [ $# -gt 0 ]; do case $1 in -o|-O) cp /opt/source $2;; esac; shift; done";

fn assert_slipway_runs(booted: &Booted) {
    assert!(booted.success && !booted.held, "{}", booted.output);
    assert_eq!(booted.output, "");
    assert_eq!(booted.started(), [started(&format!("{SLIPWAY} boot"))]);
    assert_eq!(booted.files[SLIPWAY], (0o755, program().into_bytes()));
}

fn assert_the_image_goes_on(booted: &Booted) {
    assert!(booted.success && !booted.held, "{}", booted.output);
    assert_eq!(booted.started(), [started(&format!("{LAUNCHER} "))]);
    assert!(booted.text("/opt/syslog").contains("goes on without it"), "{}", booted.text("/opt/syslog"));
    let left: Vec<_> = booted.files.keys().filter(|path| path.contains("slipway.")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_right_binary_is_fetched_and_run_with_real_curl_and_real_wget() {
    for tool in ["curl", "wget"] {
        let url = serve("200 OK", program());
        let machine = Machine::new(&format!("bring-{tool}")).real_tool(tool).program(LAUNCHER, PROGRAM);
        assert_slipway_runs(&machine.boot(&script(&url)));
    }
}

#[test]
fn a_binary_with_another_hash_is_never_run() {
    let url = serve("200 OK", "#!/bin/bash\necho evil >>/opt/started\n".to_owned());
    let machine = Machine::new("bring-wrong").real_tool("curl").program(LAUNCHER, PROGRAM);
    let booted = machine.boot(&script(&url));
    assert_the_image_goes_on(&booted);
    assert!(!booted.files.contains_key(SLIPWAY));
}

#[test]
fn a_server_that_has_nothing_leaves_it_to_the_image() {
    let url = serve("404 Not Found", String::new());
    for tool in ["curl", "wget"] {
        let machine = Machine::new(&format!("bring-{tool}-404")).real_tool(tool).program(LAUNCHER, PROGRAM);
        assert_the_image_goes_on(&machine.boot(&script(&url)));
    }
    let without_tools = Machine::new("bring-no-tools").program(LAUNCHER, PROGRAM);
    assert_the_image_goes_on(&without_tools.boot(&script(&url)));
}

#[test]
fn a_binary_that_is_there_already_is_not_fetched_again() {
    let machine = Machine::new("bring-there").tool("curl", FETCH).boots(2).expecting(2);
    let booted = machine.program(SLIPWAY, PROGRAM).boot(&script("https://example.com/s"));
    assert_eq!(booted.started(), vec![started(&format!("{SLIPWAY} boot")); 2]);
    assert_eq!(booted.text("/opt/fetches"), "");
}

#[test]
fn another_slipway_of_the_image_is_replaced_and_not_run_in_its_place() {
    let machine = Machine::new("bring-replaces").tool("curl", FETCH).program("/opt/source", PROGRAM);
    let booted = machine.program(SLIPWAY, "echo old >>/opt/started").boot(&script("https://example.com/s"));
    assert_slipway_runs(&booted);
    let machine = Machine::new("bring-keeps").tool("curl", "exit 22").program(LAUNCHER, PROGRAM);
    let booted = machine.program(SLIPWAY, "echo old >>/opt/started").boot(&script("https://example.com/s"));
    assert_the_image_goes_on(&booted);
}

#[test]
fn a_failed_fetch_on_a_later_boot_does_not_run_the_launcher_again() {
    let machine = Machine::new("bring-guard").tool("curl", "exit 22").program(LAUNCHER, PROGRAM).expecting(0);
    let booted = machine
        .setup("touch /opt/azure/containers/provision.complete")
        .boot(&script("https://example.com/s"));
    assert!(booted.started().is_empty());
}
