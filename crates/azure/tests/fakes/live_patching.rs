//! A live-patching service: TLS, ALPN, HTTP/2, gRPC.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::Bytes;
use h2::Reason;
use http::{HeaderMap, Response};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::server::Acceptor;
use rustls::version::{TLS12, TLS13};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio_rustls::LazyConfigAcceptor;

use super::Identity;

/// What the service does with a call.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Serves a configuration.
    Config(String),
    /// Serves these bytes as the body, and says OK.
    Body(Vec<u8>),
    /// Fails with a status in trailers after a header.
    Trailers(u32, &'static str),
    /// Fails with a status in the header of an empty answer.
    TrailersOnly(u32, &'static str),
    /// Answers with this HTTP status and no gRPC.
    Http(u16),
    /// Ends an answer without a status.
    NoStatus,
    /// Resets the stream.
    Reset(Reason),
    /// Says nothing.
    Silence,
}

/// What the service saw of its client.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub server_name: Option<String>,
    pub offered: Vec<String>,
    pub path: String,
    pub authority: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// The running service. Its thread ends with the test program.
pub struct LivePatching {
    pub address: SocketAddr,
    seen: Arc<Mutex<Option<Seen>>>,
}

#[derive(Clone)]
struct Manner {
    config: Arc<ServerConfig>,
    answer: Answer,
    seen: Arc<Mutex<Option<Seen>>>,
}

impl LivePatching {
    /// Starts it with the protocols that it knows, most liked first.
    pub fn start(identity: Identity, protocols: &[&str], tls12_only: bool, answer: Answer) -> Self {
        let versions = if tls12_only { &[&TLS12][..] } else { &[&TLS12, &TLS13] };
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(identity.chain, identity.key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let seen = Arc::new(Mutex::new(None));
        let manner = Manner { config: Arc::new(config), answer, seen: Arc::clone(&seen) };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, manner.clone()));
                }
            });
        });
        Self { address, seen }
    }

    /// What was seen of the last client that got as far as its hello.
    pub fn seen(&self) -> Option<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(stream: TcpStream, manner: Manner) {
    let Ok(start) = LazyConfigAcceptor::new(Acceptor::default(), stream).await else { return };
    let hello = start.client_hello();
    let mut seen = Seen { server_name: hello.server_name().map(str::to_owned), ..Seen::default() };
    seen.offered =
        hello.alpn().into_iter().flatten().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    *manner.seen.lock().unwrap() = Some(seen.clone());
    let Ok(stream) = start.into_stream(Arc::clone(&manner.config)).await else { return };
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    while let Some(Ok((request, reply))) = connection.accept().await {
        let (head, mut body) = request.into_parts();
        let seen = Seen {
            path: head.uri.path().to_owned(),
            authority: head.uri.authority().map(ToString::to_string).unwrap_or_default(),
            headers: head.headers,
            ..seen.clone()
        };
        let manner = manner.clone();
        tokio::spawn(async move {
            let mut seen = seen;
            while let Some(Ok(piece)) = body.data().await {
                seen.body.extend_from_slice(&piece);
            }
            *manner.seen.lock().unwrap() = Some(seen);
            answer(reply, manner.answer).await;
        });
    }
}

async fn answer(mut reply: h2::server::SendResponse<Bytes>, answer: Answer) {
    let grpc = || Response::builder().header("content-type", "application/grpc");
    let status = |code: u32, message: &str| {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", code.into());
        trailers.insert("grpc-message", message.parse().unwrap());
        trailers
    };
    let body = match &answer {
        Answer::Config(config) => Some(framed(config)),
        Answer::Body(body) => Some(body.clone()),
        Answer::Trailers(..) | Answer::NoStatus => Some(Vec::new()),
        _ => None,
    };
    if let Some(body) = body {
        let mut stream = reply.send_response(grpc().body(()).unwrap(), false).unwrap();
        if !body.is_empty() {
            stream.send_data(body.into(), matches!(answer, Answer::NoStatus)).unwrap();
        }
        let end = match answer {
            Answer::NoStatus => stream.send_data(Bytes::new(), true),
            Answer::Trailers(code, message) => stream.send_trailers(status(code, message)),
            _ => stream.send_trailers(status(0, "")),
        };
        end.unwrap();
        return;
    }
    match answer {
        Answer::TrailersOnly(code, message) => {
            let mut response = grpc().body(()).unwrap();
            response.headers_mut().extend(status(code, message));
            reply.send_response(response, true).unwrap();
        }
        Answer::Http(code) => {
            let response = Response::builder().status(code).header("content-type", "text/html");
            reply.send_response(response.body(()).unwrap(), true).unwrap();
        }
        Answer::Reset(reason) => reply.send_reset(reason),
        _ => std::future::pending().await,
    }
}

/// A response message in its frame: the component's name and its configuration.
fn framed(config: &str) -> Vec<u8> {
    let mut message = b"\x0a\x11aksNodeController".to_vec();
    message.push(0x12);
    let mut length = config.len();
    while length >= 0x80 {
        message.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    message.push(u8::try_from(length).unwrap());
    message.extend_from_slice(config.as_bytes());
    let mut frame = vec![0];
    frame.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    frame.append(&mut message);
    frame
}
