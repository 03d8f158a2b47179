//! Numbers for Prometheus, on an address that others on the machine can ask.

#![expect(clippy::disallowed_methods, reason = "the daemon's own socket")]

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use slipway_flex::keep::{Health, Repair, Status};

use crate::VERSION;
use crate::metrics::Page;

/// Who asks has so long to do it.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST_REQUEST: usize = 4096;

/// What is shown, shared with whoever changes it.
pub(super) type Shown = Arc<Mutex<Numbers>>;

#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) status: Status,
    /// Repairs that were tried, by name: those that went well, those that failed.
    repairs: [(u64, u64); Repair::NAMES.len()],
}

impl Numbers {
    /// A repair was tried.
    pub(super) fn count(&mut self, name: &str, well: bool) {
        if let Some(at) = Repair::NAMES.iter().position(|known| *known == name) {
            let (done, failed) = &mut self.repairs[at];
            *(if well { done } else { failed }) += 1;
        }
    }

    fn text(&self) -> String {
        let mut page = Page(String::with_capacity(2048));
        let status = &self.status;
        page.family("slipway_flex_health", "gauge", "How the machine is, as a label.");
        for (health, word) in Health::ALL {
            let holds = u8::from(status.health == health);
            page.sample("slipway_flex_health", &format!("{{state=\"{word}\"}}"), holds);
        }
        page.family("slipway_flex_repairs_total", "counter", "Repairs tried, by kind and outcome.");
        for (name, (done, failed)) in Repair::NAMES.iter().zip(self.repairs) {
            for (outcome, count) in [("done", done), ("failed", failed)] {
                let labels = format!("{{repair=\"{name}\",outcome=\"{outcome}\"}}");
                page.sample("slipway_flex_repairs_total", &labels, count);
            }
        }
        let ready = status.node.ready.map_or(-1, i64::from);
        let until = status.credential_until.map_or(0, |second| i64::try_from(second).unwrap_or(i64::MAX));
        let drift = i64::try_from(status.drift.len()).unwrap_or(i64::MAX);
        for (name, help, value) in [
            ("slipway_flex_node_ready", "Whether the Node is Ready; -1 while nobody can say.", ready),
            ("slipway_flex_drift_paths", "Paths that are not as they were left.", drift),
            (
                "slipway_flex_credential_expiry_seconds",
                "When kubelet's certificate expires; 0 for none.",
                until,
            ),
            ("slipway_flex_last_look_seconds", "When the daemon last looked.", status.looked_seconds),
        ] {
            page.family(name, "gauge", help);
            page.sample(name, "", value);
        }
        for (name, help, value) in [
            ("slipway_flex_looks_total", "Looks at the machine.", status.looks),
            ("slipway_flex_clock_jumps_total", "Times that the clock was set.", status.clock_jumps),
        ] {
            page.family(name, "counter", help);
            page.sample(name, "", value);
        }
        page.family("slipway_flex_build_info", "gauge", "The version, as a label.");
        page.sample("slipway_flex_build_info", &format!("{{version=\"{VERSION}\"}}"), 1);
        page.0
    }
}

/// Serves the numbers for as long as the process lives; one who asks at a time.
pub(super) fn serve(address: SocketAddr, shown: Shown) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let bound = listener.local_addr()?;
    let thread = thread::Builder::new().name("metrics".into()).stack_size(128 * 1024);
    thread.spawn(move || {
        loop {
            match listener.accept() {
                // Who goes away before the answer does not want it.
                Ok((stream, _)) => drop(answer(stream, &shown)),
                // Descriptors are used up: they are given back sooner or later.
                Err(_) => thread::sleep(PATIENCE),
            }
        }
    })?;
    Ok(bound)
}

fn answer(mut stream: TcpStream, shown: &Mutex<Numbers>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut request = Vec::with_capacity(512);
    let mut piece = [0; 512];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST_REQUEST {
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            length => request.extend_from_slice(&piece[..length]),
        }
    }
    let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    let (status, body) = if request.starts_with(b"GET /metrics ") {
        ("200 OK", shown.text())
    } else if request.starts_with(b"GET /healthz ") {
        let word = shown.status.health.word();
        let status = if shown.status.is_well() { "200 OK" } else { "503 Service Unavailable" };
        (status, format!("{word}\n"))
    } else {
        ("404 Not Found", "there are /metrics and /healthz\n".to_owned())
    };
    drop(shown);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn numbers_are_served_and_health_has_its_code() {
        let shown = Shown::default();
        let address = serve("127.0.0.1:0".parse().unwrap(), Arc::clone(&shown)).unwrap();
        assert!(asked(address, "/healthz").starts_with("HTTP/1.1 503 "));
        {
            let mut numbers = shown.lock().unwrap();
            numbers.status.health = Health::Healthy;
            numbers.status.looks = 7;
            numbers.count("restore-files", true);
        }
        assert!(asked(address, "/healthz").ends_with("\r\n\r\nhealthy\n"));
        let page = asked(address, "/metrics");
        for line in [
            "slipway_flex_health{state=\"healthy\"} 1\n",
            "slipway_flex_repairs_total{repair=\"restore-files\",outcome=\"done\"} 1\n",
            "slipway_flex_node_ready -1\n",
            "slipway_flex_looks_total 7\n",
        ] {
            assert!(page.contains(line), "{line}: {page}");
        }
        assert!(asked(address, "/").starts_with("HTTP/1.1 404 "));
    }
}
