//! The real outside, against servers on this machine.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use slipway_apply::{Attempt, Network, Options, Outside as _, Patience, ReadyOrder, Unwatched};
use slipway_host::{Host, Recorded};
use slipway_model::{Attributes, ExitReason, Secret};
use slipway_plan::{Action, Artifact, Await};

use crate::site::{options, plan, step};

/// A compressed archive with one member.
fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut tar = vec![0_u8; 512];
    tar[..name.len()].copy_from_slice(name.as_bytes());
    tar[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    tar[148..156].fill(b' ');
    tar[156] = b'0';
    let sum: u32 = tar.iter().map(|byte| u32::from(*byte)).sum();
    tar[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    tar.extend_from_slice(content);
    tar.resize(tar.len().next_multiple_of(512) + 1024, 0);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&tar).unwrap();
    gzip.finish().unwrap()
}

/// Serves the same body to everyone; says where, and counts how often.
fn serve(body: Vec<u8>) -> (u16, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&served);
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 4096]);
            count.fetch_add(1, Ordering::SeqCst);
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = connection.write_all(head.as_bytes()).and_then(|()| connection.write_all(&body));
        }
    });
    (port, served)
}

fn fetch(host: &Recorded, port: u16, sha256: Option<&str>, member: &str) -> Attempt {
    let artifact = Artifact {
        url: Secret::new(format!("http://127.0.0.1:{port}/a.tgz?sig=hidden")),
        sha256: sha256.map(str::to_owned),
        cached: Some("/opt/cache/a.tgz".into()),
        members: vec![(member.to_owned(), "/opt/bin/kubelet".into())],
        attributes: Attributes::root(0o755),
    };
    let plan = plan(vec![step("fetch", &[], vec![Action::Artifact(artifact)])]);
    let network = Network::new(host, None, Vec::new());
    slipway_apply::apply(&plan, host, &network, &options(1), &Unwatched, &|| false).unwrap()
}

#[test]
fn a_member_of_an_archive_comes_from_the_image_or_from_the_network() {
    let body = archive("bin/kubelet", b"kubelet");
    let kubelet = Path::new("/opt/bin/kubelet");
    let (port, served) = serve(body.clone());
    for (cached, times) in [(&b""[..], 1), (&body[..], 1), (&body[..body.len() / 2], 2)] {
        let host = Recorded::live().with_directory("/opt/cache", 0o755);
        if !cached.is_empty() {
            let path = Path::new("/opt/cache/a.tgz");
            host.create(path, Attributes::root(0o644)).unwrap().write_all(cached).unwrap();
        }
        let attempt = fetch(&host, port, None, "bin/kubelet");
        assert_eq!((attempt.failure.clone(), attempt.changed()), (None, 1));
        assert_eq!(host.read(kubelet).unwrap(), b"kubelet");
        assert_eq!(host.entry(kubelet).unwrap().unwrap().attributes.mode, 0o755);
        assert_eq!(served.load(Ordering::SeqCst), times);
    }
}

#[test]
fn what_is_not_what_was_ordered_is_not_placed_and_no_signature_is_told() {
    let (port, _) = serve(archive("bin/kubelet", b"kubelet"));
    for (sha256, member, told) in [
        (Some("00".repeat(32)), "bin/kubelet", "another one than was ordered"),
        (Some("no digits".to_owned()), "bin/kubelet", "not 64 hexadecimal digits"),
        (None, "bin/other", "there is no bin/other in it"),
        (None, "bin/kubelet/x", "there is no bin/kubelet/x in it"),
    ] {
        let host = Recorded::live();
        let attempt = fetch(&host, port, sha256.as_deref(), member);
        let problem = attempt.failure.unwrap().problem.to_string();
        assert!(problem.contains(told) && !problem.contains("hidden"), "{problem}");
        assert_eq!(host.list(Path::new("/opt/bin")).unwrap().len(), 0);
    }
}

#[test]
fn ready_waits_for_a_credential_and_a_probe_tells_who_answers() {
    let host = Recorded::live();
    let network = Network::new(&host, None, Vec::new());
    let patience = |milliseconds| Patience {
        until: Instant::now() + Duration::from_millis(milliseconds),
        stop: &|| false,
    };
    let order = ReadyOrder {
        server: "https://127.0.0.1:1",
        ca: Path::new("/ca"),
        node: "n1",
        kubeconfig: Path::new("/var/lib/kubelet/kubeconfig"),
    };
    let missing = |server: &str, said: &str, reason| {
        let problem = network.wait_ready(&ReadyOrder { server, ..order }, patience(50)).unwrap_err();
        assert!(problem.late);
        assert_eq!(problem.to_string(), format!("node n1: kubelet has got no credential: {said}"));
        assert_eq!(problem.reason, reason);
    };
    missing(order.server, "127.0.0.1:1 refuses connections", Some(ExitReason::ApiServerUnreachable));
    let (port, _) = serve(Vec::new());
    missing(&format!("https://127.0.0.1:{port}"), "/var/lib/kubelet/kubeconfig does not serve", None);
    // Nobody has to be asked to know that such a name has no address.
    let server = format!("https://{}.invalid", "a".repeat(64));
    let order = ReadyOrder { server: &server, ..order };
    let problem = network.wait_ready(&order, patience(50)).unwrap_err();
    assert_eq!(problem.reason, Some(ExitReason::ApiServerName), "{problem}");
    assert_eq!(network.reach("127.0.0.1", port, patience(5000)).unwrap(), "answers");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let problem = network.reach("127.0.0.1", closed, patience(5000)).unwrap_err();
    assert_eq!(problem.blame, Some(slipway_model::Blame::Network));
}

#[test]
fn an_attempt_whose_time_is_over_fails_with_the_reason_that_was_found() {
    let host = Recorded::live();
    let ready = Action::Await(Await::Ready {
        server: "https://127.0.0.1:1".to_owned(),
        ca: "/ca".into(),
        node: "n1".to_owned(),
        kubeconfig: "/var/lib/kubelet/kubeconfig".into(),
    });
    let network = Network::new(&host, None, Vec::new());
    let brief = Options::within(Duration::from_millis(100));
    let plan = plan(vec![step("ready", &[], vec![ready])]);
    let attempt = slipway_apply::apply(&plan, &host, &network, &brief, &Unwatched, &|| false).unwrap();
    let failure = attempt.failure.unwrap();
    assert_eq!((failure.step, failure.reason), (Some("ready"), ExitReason::ApiServerUnreachable));
    assert!(failure.problem.hint.unwrap().contains("port 443"));
}
