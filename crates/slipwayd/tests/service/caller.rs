//! A caller that says exactly what it is told to.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Reply {
    /// Reads everything until the service closes, or until the body is complete.
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            if let Some(reply) = Self::parse(&bytes) {
                return reply;
            }
            match stream.read(&mut buffer).unwrap() {
                0 => panic!("the connection ended after {:?}", String::from_utf8_lossy(&bytes)),
                length => bytes.extend_from_slice(&buffer[..length]),
            }
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (header, body) = text.split_once("\r\n\r\n")?;
        let mut lines = header.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let fields: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length: usize = fields.get("content-length")?.parse().ok()?;
        let body = body.get(..length)?.to_owned();
        Some(Self { status, fields, body })
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The word that a problem has for programs.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Sends these bytes and reads the answer.
pub(crate) fn say(address: SocketAddr, bytes: &[u8]) -> Reply {
    let mut stream = connect(address);
    // The service may refuse before everything is sent.
    let _ = stream.write_all(bytes);
    Reply::read(&mut stream)
}

/// A GET with a body, as the real client sends it.
pub(crate) fn get(address: SocketAddr, path: &str, fields: &[(&str, &str)], body: &str) -> Reply {
    say(address, message("GET", path, fields, body).as_bytes())
}

/// The text of a request.
pub(crate) fn message(method: &str, path: &str, fields: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: s\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in fields {
        text.extend([*name, ": ", *value, "\r\n"]);
    }
    text + "\r\n" + body
}
