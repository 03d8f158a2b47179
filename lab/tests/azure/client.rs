//! A client that sends what it is told, byte for byte.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

/// A connection that stays.
pub(crate) struct Connection(BufReader<Box<dyn Stream>>);

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

/// A service with TLS: where it is, its name, and who vouches for it.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) name: &'static str,
    pub(crate) authority: &'a str,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        Self(BufReader::new(Box::new(stream)))
    }

    fn secured(service: Named<'_>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(service.authority.as_bytes()).unwrap()).unwrap();
        let provider = rustls::crypto::ring::default_provider().into();
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from(service.name).unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(service.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        Self(BufReader::new(Box::new(StreamOwned::new(connection, stream))))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// The next reply; its body is as long as its header says.
    pub(crate) fn receive(&mut self) -> std::io::Result<Reply> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines[1..].iter().map(|line| line.split_once(": ").unwrap());
        let headers: Vec<_> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut reply = Reply { status, headers, body: Vec::new() };
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        reply.body = vec![0; length];
        self.0.read_exact(&mut reply.body)?;
        Ok(reply)
    }

    /// Everything until the server closes the connection.
    pub(crate) fn rest(&mut self) -> String {
        let mut all = String::new();
        self.0.read_to_string(&mut all).unwrap();
        all
    }

    /// Whether the server has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.0.read(&mut [0]), Ok(0))
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let field = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        field.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// One request without a body, on a connection of its own.
pub(crate) fn ask(address: SocketAddr, method: &str, target: &str, headers: &[(&str, &str)]) -> Reply {
    send(address, method, target, headers, b"")
}

/// One request on a connection of its own.
pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    try_send(address, method, target, headers, body).unwrap()
}

/// The same, where the reply may not come.
pub(crate) fn try_send(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> std::io::Result<Reply> {
    let mut connection = Connection::to(address);
    connection.send(&message(method, target, headers, body));
    connection.receive()
}

fn message(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    let length = body.len();
    let head =
        format!("{method} {target} HTTP/1.1\r\nHost: lab\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

impl Named<'_> {
    /// One request on a connection of its own.
    pub(crate) fn send(self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.try_send(method, target, headers, body).unwrap()
    }

    /// The same, where the reply may not come.
    pub(crate) fn try_send(
        self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Reply> {
        let mut connection = Connection::secured(self);
        connection.send(&message(method, target, headers, body));
        connection.receive()
    }
}

/// What the metadata service wants to see.
pub(crate) const METADATA: &[(&str, &str)] = &[("Metadata", "true")];
