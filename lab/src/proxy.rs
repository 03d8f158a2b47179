//! A proxy that looks into what passes: the way out of networks whose owners want to see it.
//!
//! It ends the TLS of its clients with certificates of its own, so only a machine that trusts its authority gets through,
//! and leads every host to one server. It knows GET and HEAD, one request for each connection.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::Error;
use crate::azure::listen::Listener;
use crate::error::At as _;

/// Longer heads are none that a client of the lab sends.
const LONGEST_HEAD: u64 = 64 * 1024;

/// A request that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Who asked.
    pub peer: IpAddr,
    /// For which host, with the port where one was named.
    pub host: String,
    /// Whether it came through a tunnel, with TLS.
    pub tunnelled: bool,
    /// Method and path.
    pub request: String,
}

/// A running proxy; it ends when this is dropped.
pub struct Proxy {
    listener: Listener,
    office: Arc<Office>,
    authority: String,
}

struct Office {
    /// Where everything is.
    origin: SocketAddr,
    issuer: Issuer<'static, KeyPair>,
    passages: Mutex<Vec<Passage>>,
}

/// The first lines of a request.
struct Head {
    method: String,
    target: String,
    fields: Vec<String>,
}

impl Proxy {
    /// Listens on an address; what is asked for is fetched from the origin, by plain HTTP.
    pub fn start(address: SocketAddr, origin: SocketAddr) -> Result<Self, Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "the lab's proxy");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let authority = params.self_signed(&key)?.pem();
        let office =
            Arc::new(Office { origin, issuer: Issuer::new(params, key), passages: Mutex::default() });
        let serving = Arc::clone(&office);
        let listener = Listener::open(address, move |stream, _| {
            // A client that gives up, or does not trust us, is not our failure; what passed is in the log.
            let _ = serving.serve(stream);
        });
        let listener = listener.at("listen for the proxy on", Path::new(&address.to_string()))?;
        Ok(Self { listener, office, authority })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The certificate of the authority that a client has to trust, as PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// What has passed so far.
    pub fn passages(&self) -> Vec<Passage> {
        self.office.passages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Office {
    fn serve(&self, mut client: &TcpStream) -> io::Result<()> {
        let peer = client.peer_addr()?.ip();
        let head = Head::read(&mut client)?;
        if head.method == "CONNECT" {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            let name = head.target.rsplit_once(':').map_or(&*head.target, |(name, _)| name);
            let mut inner = StreamOwned::new(self.session(name)?, client);
            let request = Head::read(&mut inner)?;
            self.log(peer, &head.target, true, &request.method, &request.target);
            self.fetch(&request, &request.target, &mut inner)?;
            inner.conn.send_close_notify();
            return inner.flush();
        }
        let Some((host, path)) = head.target.strip_prefix("http://").map(split) else {
            return client.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        };
        self.log(peer, host, false, &head.method, path);
        self.fetch(&head, path, &mut client)
    }

    /// The server's side of TLS for this name.
    fn session(&self, name: &str) -> io::Result<ServerConnection> {
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let params = CertificateParams::new([name.to_owned()]).map_err(io::Error::other)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(io::Error::other)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![certificate.der().clone()], key)
            })
            .map_err(io::Error::other)?;
        ServerConnection::new(Arc::new(config)).map_err(io::Error::other)
    }

    fn fetch(&self, head: &Head, path: &str, client: &mut impl Write) -> io::Result<()> {
        let mut origin = TcpStream::connect(self.origin)?;
        let mut message = format!("{} {path} HTTP/1.1\r\n", head.method);
        let kept = |field: &&String| !field.to_ascii_lowercase().starts_with("connection:");
        for field in head.fields.iter().filter(kept) {
            message.push_str(field);
            message.push_str("\r\n");
        }
        message.push_str("Connection: close\r\n\r\n");
        origin.write_all(message.as_bytes())?;
        io::copy(&mut origin, client).map(drop)
    }

    fn log(&self, peer: IpAddr, host: &str, tunnelled: bool, method: &str, path: &str) {
        let request = format!("{method} {path}");
        let passage = Passage { peer, host: host.to_owned(), tunnelled, request };
        self.passages.lock().unwrap_or_else(PoisonError::into_inner).push(passage);
    }
}

impl Head {
    /// Reads no octet beyond the head: what follows may be another protocol.
    fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(1, stream.take(LONGEST_HEAD));
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end() {
                "" if lines.is_empty() => {}
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let fields = lines.split_off(1);
        let mut words = lines.concat().split(' ').map(str::to_owned).collect::<Vec<_>>().into_iter();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        Ok(Self { method, target, fields })
    }
}

/// Host and path of an address behind its scheme.
fn split(address: &str) -> (&str, &str) {
    address.find('/').map_or((address, "/"), |at| address.split_at(at))
}
