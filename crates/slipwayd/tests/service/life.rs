//! Starting, changing, stopping.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::caller::{Reply, connect, get, message};
use crate::running::{Area, Running, clusters, request};

#[test]
fn a_request_that_was_begun_is_answered_after_sigterm_and_nobody_else_gets_in() {
    let mut service = Running::start(&[]);
    let (path, body) = request("request-00");
    let whole = message("GET", &path, &[], &body);
    let idle = connect(service.address);
    let mut begun = connect(service.address);
    begun.write_all(&whole.as_bytes()[..whole.len() - 10]).unwrap();
    // Its header is there when the service says so.
    while !get(service.address, "/metrics", &[], "").body.contains("slipwayd_requests_in_flight 2\n") {}
    service.terminate();
    service.await_line("stopping");
    let start = Instant::now();
    while TcpStream::connect(service.address).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(5), "it still accepts");
    }
    begun.write_all(&whole.as_bytes()[whole.len() - 10..]).unwrap();
    assert_eq!(Reply::read(&mut begun).status, 200);
    assert_eq!(service.wait().code(), Some(0));
    assert_eq!(service.await_line("stopped")["connectionsCutOff"], 0);
    drop(idle);
}

#[test]
fn a_request_that_does_not_end_is_cut_off_at_the_deadline() {
    let mut service = Running::start(&["--drain", "1"]);
    let (path, body) = request("request-00");
    let whole = message("GET", &path, &[], &body);
    let mut begun = connect(service.address);
    begun.write_all(&whole.as_bytes()[..whole.len() - 10]).unwrap();
    while !get(service.address, "/metrics", &[], "").body.contains("slipwayd_requests_in_flight 2\n") {}
    service.terminate();
    let start = Instant::now();
    assert_eq!(service.wait().code(), Some(1));
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(service.await_line("stopped")["connectionsCutOff"], 1);
}

#[test]
fn a_killed_service_is_back_at_its_address_at_once() {
    let mut service = Running::start(&[]);
    let (path, body) = request("request-00");
    let mut kept = connect(service.address);
    kept.write_all(message("GET", &path, &[], &body).as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut kept).status, 200);
    service.kill();
    let area = Area::new();
    let config = area.write("clusters.json", clusters().to_string());
    let start = Instant::now();
    let arguments = ["--listen", &service.address.to_string(), "--config", config.to_str().unwrap()];
    let again = Running::start_in(area, &arguments);
    assert_eq!(get(again.address, &path, &[], &body).status, 200);
    // The benchmark holds it to a fifth of a second; here other tests run beside it.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn a_cluster_that_is_added_gets_nodes_without_a_restart() {
    let service = Running::start_in(Area::new(), &["--listen", "127.0.0.1:0"]);
    let (path, body) = request("request-00");
    assert_eq!(get(service.address, &path, &[], &body).status, 404, "it knows no cluster");

    let area = Area::new();
    let config = area.write("clusters.json", json!({"clusters": []}).to_string());
    let service = Running::start_in(area, &["--listen", "127.0.0.1:0", "--config", config.to_str().unwrap()]);
    assert_eq!(get(service.address, &path, &[], &body).status, 404);
    service.area.write("clusters.json", clusters().to_string());
    service.await_line("read again");
    assert_eq!(get(service.address, &path, &[], &body).status, 200);
}

#[test]
fn no_secret_of_the_configuration_is_logged_or_shown() {
    let area = Area::new();
    let mut config = clusters();
    config["clusters"][0]["options"]["kubeletBootstrapToken"] = json!("abcdef.0123456789abcdef");
    config["clusters"][1]["options"]["kubeletBootstrapToken"] = json!(["abcdef.0123456789abcdef"]);
    let path = area.write("clusters.json", config.to_string());
    let arguments = ["--listen", "127.0.0.1:0", "--config", path.to_str().unwrap()];
    let output = crate::running::command(&arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("clusters[1].options.kubeletBootstrapToken"), "{error}");
    assert!(!error.contains("0123456789abcdef"), "{error}");
}
