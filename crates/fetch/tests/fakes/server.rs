use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use super::{Authority, Identity};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which one it is, counted from zero.
    pub number: usize,
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What a server does with a connection after a request.
pub enum Act {
    Send(Vec<u8>),
    Pause(Duration),
    /// Drops the connection without a word of TLS.
    Cut,
}

/// One answer with a body.
pub fn answer(status: &str, fields: &str, body: &[u8]) -> Vec<Act> {
    let mut bytes =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{fields}\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    vec![Act::Send(bytes)]
}

/// One answer of JSON.
pub fn json(body: &str) -> Vec<Act> {
    answer("200 OK", "Content-Type: application/json\r\n", body.as_bytes())
}

type Manner = dyn Fn(&Request) -> Vec<Act> + Send + Sync;

/// A running server. Its threads end with the test program.
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// A server in the clear.
    pub fn plain(manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static) -> Self {
        Self::start(None, Arc::new(manner))
    }

    /// A server with a certificate of this authority.
    pub fn secure(
        authority: &Authority,
        manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(config(authority, authority.server(), false)), Arc::new(manner))
    }

    /// The same, with a certificate whose time has not begun.
    pub fn of_tomorrow(
        authority: &Authority,
        manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(config(authority, authority.server_of_tomorrow(), false)), Arc::new(manner))
    }

    /// The same, which only speaks to clients with a certificate of that authority.
    pub fn mutual(
        authority: &Authority,
        manner: impl Fn(&Request) -> Vec<Act> + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(config(authority, authority.server(), true)), Arc::new(manner))
    }

    pub fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://{}{path}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    fn start(tls: Option<Arc<ServerConfig>>, manner: Arc<Manner>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (tls, manner, seen) = (tls.clone(), Arc::clone(&manner), Arc::clone(&seen));
                thread::spawn(move || serve(stream, tls, &*manner, &seen));
            }
        });
        Self { address, requests }
    }
}

fn config(authority: &Authority, identity: Identity, mutual: bool) -> Arc<ServerConfig> {
    let Identity { certificate, key } = identity;
    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = if mutual {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
        builder.with_client_cert_verifier(
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap(),
        )
    } else {
        builder.with_no_client_auth()
    };
    Arc::new(builder.with_single_cert(vec![certificate], key).unwrap())
}

fn serve(stream: TcpStream, tls: Option<Arc<ServerConfig>>, manner: &Manner, seen: &Mutex<Vec<Request>>) {
    let socket = stream.try_clone().unwrap();
    match tls {
        None => converse(stream, &socket, manner, seen),
        Some(config) => {
            let connection = ServerConnection::new(config).unwrap();
            converse(StreamOwned::new(connection, stream), &socket, manner, seen);
        }
    }
}

fn converse(mut stream: impl Read + Write, socket: &TcpStream, manner: &Manner, seen: &Mutex<Vec<Request>>) {
    let Some(mut request) = receive(&mut stream) else { return };
    {
        let mut seen = seen.lock().unwrap();
        request.number = seen.len();
        seen.push(request.clone());
    }
    for act in manner(&request) {
        match act {
            // The client may have gone; that is its right.
            Act::Send(bytes) => {
                let _ = stream.write_all(&bytes).and_then(|()| stream.flush());
            }
            Act::Pause(time) => thread::sleep(time),
            Act::Cut => break,
        }
    }
    let _ = socket.shutdown(Shutdown::Both);
}

fn receive(stream: &mut impl Read) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let mut request = Request { number: 0, head, body: bytes[end + 4..].to_vec() };
            let length = request.field("content-length").map_or(0, |length| length.parse().unwrap());
            if request.body.len() >= length {
                request.body.truncate(length);
                return Some(request);
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece) {
            Ok(0) => return None,
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}
