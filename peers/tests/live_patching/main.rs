//! The live-patching client against grpc-go, which the real service is made of.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "the test builds, starts and asks the Go program"
)]

use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use slipway_azure::livepatch::{Code, LivePatchError, PROTOCOLS, Service};
use slipway_model::Secret;

const API_SERVER: &str = "cluster-0123.hcp.westeurope.azmk8s.io";

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live-patching");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live_patching/go");
    let go = Command::new("go")
        .args(["build", "-trimpath", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(source)
        .status();
    assert!(
        go.expect("Go is missing: run ./test, which installs it").success(),
        "the Go program does not build"
    );
    program
});

/// The running service; it ends when its input does.
struct GrpcGo {
    child: Child,
    client: Service,
}

impl GrpcGo {
    fn start(protocols: &[&str]) -> Self {
        let mut program = Command::new(&*PROGRAM);
        let mut child = program.args(protocols).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"-----END CERTIFICATE-----\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap();
            text.push(byte[0]);
        }
        let text = String::from_utf8(text).unwrap();
        let (address, certificate) = text.split_once('\n').unwrap();
        let address: SocketAddr = address.parse().unwrap();
        Self { child, client: Service::behind(API_SERVER, certificate.as_bytes()).at(address) }
    }

    fn ask(&self, component: &str) -> Result<String, LivePatchError> {
        self.client.component_config(component, &Secret::from("MIIsigned=="))
    }
}

impl Drop for GrpcGo {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn grpc_go_understands_the_call_and_is_understood() {
    let service = GrpcGo::start(&PROTOCOLS);
    let seen = format!("{API_SERVER} aks-live-patching [{API_SERVER}] [MIIsigned==]");
    assert_eq!(service.ask("what was seen").unwrap(), seen);
    assert_eq!(service.ask("large").unwrap().len(), 1 << 20);
    assert!(GrpcGo::start(&["h2"]).ask("what was seen").unwrap().contains(" h2 "));
}

#[test]
fn every_status_of_grpc_go_arrives_with_its_words() {
    let service = GrpcGo::start(&PROTOCOLS);
    for number in 1..=16 {
        match service.ask(&format!("status {number}")).unwrap_err() {
            LivePatchError::Status(status) => {
                assert_eq!((status.code, status.message.as_str()), (Code(number), "100% näh\n"));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_slow_service_is_left_at_the_deadline() {
    let service = GrpcGo::start(&PROTOCOLS);
    let client = service.client.clone().within(Duration::from_millis(300));
    match client.component_config("slow", &Secret::from("t")).unwrap_err() {
        // The service learns the deadline too, and may be the first to say so.
        LivePatchError::Late(..) => {}
        LivePatchError::Status(status) => assert_eq!(status.code, Code(4)),
        other => panic!("{other}"),
    }
}
