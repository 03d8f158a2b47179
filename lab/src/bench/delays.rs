//! Slow on purpose: the approval of client certificates, and the start of containerd.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::moment::Moment;
use super::watch::Watch;
use crate::cluster::{APPROVAL, end};
use crate::command::{Run as _, eventually};
use crate::error::At as _;
use crate::{Error, Lab, Machine};

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const GLANCE: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_mins(2);

/// Lets containerd's next start take longer.
pub(super) fn slow_containerd(machine: &Machine, delay: Duration) -> Result<(), Error> {
    let text = format!("[Service]\nExecStartPre=/bin/sleep {}\n", delay.as_secs_f64());
    machine.put("/etc/systemd/system/containerd.service.d/98-delay.conf", 0o644, text.as_bytes())?;
    machine.run("systemctl", &["daemon-reload"]).map(drop)
}

/// Approves client certificates in place of the controller manager, a while after they are asked for.
pub(super) struct Approver<'a> {
    lab: &'a Lab,
    /// What lets the controller manager approve, for when this ends.
    binding: Value,
    /// The API without TLS: a new connection costs nothing of the delay.
    proxy: Child,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<'a> Approver<'a> {
    pub(super) fn start(lab: &'a Lab, delay: Duration) -> Result<Self, Error> {
        let kubectl = |arguments: &[&str]| lab.cluster.kubectl(&lab.space, arguments);
        let binding = kubectl(&["get", "clusterrolebinding", APPROVAL, "--output=json"]).printed()?;
        let mut binding: Value = serde_json::from_str(&binding).unwrap_or_default();
        let name = json!({"name": APPROVAL});
        binding["metadata"] = name;
        let requests = Watch::start(lab, REQUESTS)?;
        let socket = lab.space.area().join("api.sock");
        let proxy = kubectl(&["proxy", &format!("--unix-socket={}", socket.display())])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { program: "nsenter".to_owned(), source })?;
        let over = Arc::new(AtomicBool::new(false));
        let mut approver = Self { lab, binding, proxy, over: Arc::clone(&over), thread: None };
        let socket = lab.space.seen(&socket);
        eventually("the API's proxy", LONGEST, String::new, || Ok(UnixStream::connect(&socket).ok()))?;
        kubectl(&["delete", "clusterrolebinding", APPROVAL]).printed()?;
        approver.thread = Some(thread::spawn(move || approve_all(&requests, &socket, delay, &over)));
        Ok(approver)
    }
}

impl Drop for Approver<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        end(&self.proxy);
        let _ = self.proxy.wait();
        let mut apply = self.lab.cluster.kubectl(&self.lab.space, &["apply", "--filename", "-"]);
        let _ = apply.printed_from(self.binding.to_string().as_bytes());
    }
}

fn approve_all(requests: &Watch, api: &Path, delay: Duration, over: &AtomicBool) {
    let mut waiting: Vec<(Moment, Value)> = Vec::new();
    while !over.load(Ordering::Relaxed) {
        if let Some(event) = requests.next(GLANCE).filter(|event| event.is_new() && !event.has("Approved")) {
            waiting.push((event.at, event.object));
        }
        let now = Moment::now();
        let (due, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(at, _)| now.since(*at) >= delay);
        waiting = later;
        for (_, request) in due {
            // Who waits for it in vain says so.
            let _ = approve(api, request);
        }
    }
}

fn approve(api: &Path, mut request: Value) -> Result<(), Error> {
    request["status"]["conditions"] = json!([{
        "type": "Approved",
        "status": "True",
        "reason": "SlipwayLab",
        "message": "approved after a while",
    }]);
    let path = format!("{REQUESTS}/{}/approval", request["metadata"]["name"].as_str().unwrap_or_default());
    let body = request.to_string();
    let text = format!(
        "PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = UnixStream::connect(api).at("ask", api)?;
    stream.write_all(text.as_bytes()).at("ask", api)?;
    stream.read_to_end(&mut Vec::new()).at("ask", api).map(drop)
}
