//! One unary gRPC call over a connection of its own.

use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use h2::client::SendRequest;
use h2::{RecvStream, SendStream};
use http::header::{AUTHORIZATION, CONTENT_TYPE, TE};
use http::{HeaderValue, Request};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use slipway_model::Secret;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::status::{Code, Status};
use super::{LivePatchError, Service, message};

const PORT: u16 = 443;
const METHOD: &str = "/akslivepatching.v1.LivePatchingService/GetComponentConfig";
const GRPC: &str = "application/grpc";
/// What gRPC clients accept unless told otherwise.
const LARGEST_MESSAGE: usize = 4 * 1024 * 1024;

/// Makes the call and returns the configuration in the answer.
pub(super) fn unary(
    service: &Service,
    tls: ClientConfig,
    component: &str,
    token: &Secret<String>,
) -> Result<String, LivePatchError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| transport(service, &format_args!("no runtime: {error}")))?;
    let answer = runtime.block_on(async {
        timeout(service.deadline, async {
            let stream = connect(service, tls).await?;
            exchange(service, stream, component, token).await
        })
        .await
        .unwrap_or_else(|_| Err(LivePatchError::Late(service.host.clone(), service.deadline)))
    });
    // Looking up a name cannot be interrupted; it must not hold us up beyond the deadline.
    runtime.shutdown_background();
    answer
}

fn transport(service: &Service, problem: &dyn std::fmt::Display) -> LivePatchError {
    LivePatchError::Transport { host: service.host.clone(), problem: problem.to_string() }
}

async fn connect(service: &Service, tls: ClientConfig) -> Result<TlsStream<TcpStream>, LivePatchError> {
    let failed = |error: std::io::Error| transport(service, &error);
    let name = ServerName::try_from(service.host.clone());
    let name = name.map_err(|_| LivePatchError::BadHost(service.host.clone()))?;
    let stream = match service.address {
        Some(address) => TcpStream::connect(address).await,
        None => TcpStream::connect((service.host.as_str(), PORT)).await,
    };
    let stream = stream.map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await.map_err(failed)?;
    // Only what was offered can be selected, so any selection will do.
    match stream.get_ref().1.alpn_protocol() {
        Some(_) => Ok(stream),
        None => Err(transport(service, &"the server selected none of the protocols offered")),
    }
}

async fn exchange(
    service: &Service,
    stream: TlsStream<TcpStream>,
    component: &str,
    token: &Secret<String>,
) -> Result<String, LivePatchError> {
    let (requests, connection) =
        h2::client::handshake(stream).await.map_err(|error| http2(service, &error))?;
    // The connection is driven until the call is over, and dropped with the runtime.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    let answer = send(service, requests, component, token)?;
    let (header, body) = answer.await.map_err(|error| http2(service, &error))?.into_parts();
    let is_grpc =
        header.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(GRPC.as_bytes()));
    if header.status != http::StatusCode::OK || !is_grpc {
        return Err(Status::of_http(header.status).into());
    }
    // A call that fails at once has its trailers in place of the header.
    if let Some(status) = Status::of(&header.headers).filter(|_| body.is_end_stream()) {
        return Err(status_of_nothing(status).into());
    }
    let (message, status) = receive(service, body).await?;
    match status {
        Status { code: Code::OK, .. } => Ok(unframed(&message)?),
        status => Err(status.into()),
    }
}

fn send(
    service: &Service,
    requests: SendRequest<Bytes>,
    component: &str,
    token: &Secret<String>,
) -> Result<h2::client::ResponseFuture, LivePatchError> {
    let mut requests = requests;
    let authority =
        if service.host.contains(':') { format!("[{}]", service.host) } else { service.host.clone() };
    let invalid = |_| transport(service, &"the attested document cannot be sent as a header");
    let mut credential = HeaderValue::from_str(token.expose()).map_err(invalid)?;
    credential.set_sensitive(true);
    let request = Request::post(format!("https://{authority}{METHOD}"))
        .header(CONTENT_TYPE, GRPC)
        .header(TE, "trailers")
        .header("grpc-timeout", format!("{}m", service.deadline.as_millis()))
        .header(AUTHORIZATION, credential)
        .body(())
        .map_err(|_| LivePatchError::BadHost(service.host.clone()))?;
    let sent =
        requests.send_request(request, false).and_then(|(answer, mut body): (_, SendStream<Bytes>)| {
            body.send_data(message::request(component).into(), true)?;
            Ok(answer)
        });
    sent.map_err(|error| http2(service, &error))
}

/// The body, and the status after it.
async fn receive(service: &Service, mut body: RecvStream) -> Result<(Vec<u8>, Status), LivePatchError> {
    let mut message = Vec::new();
    while let Some(piece) = poll_fn(|context| body.poll_data(context)).await {
        let piece = piece.map_err(|error| http2(service, &error))?;
        message.extend_from_slice(&piece);
        if message.len() > LARGEST_MESSAGE + 5 {
            return Err(Status::new(Code::RESOURCE_EXHAUSTED, "the answer is larger than 4 MiB").into());
        }
        // The window counts bytes in flight; what has been taken makes room.
        let _ = body.flow_control().release_capacity(piece.len());
    }
    let trailers = poll_fn(|context| body.poll_trailers(context)).await;
    let trailers = trailers.map_err(|error| http2(service, &error))?.unwrap_or_default();
    let missing = || Status::new(Code::UNKNOWN, "the answer ends without a status");
    Ok((message, Status::of(&trailers).unwrap_or_else(missing)))
}

/// The message out of its frame.
fn unframed(body: &[u8]) -> Result<String, Status> {
    let broken = |problem| Status::new(Code::INTERNAL, problem);
    if body.is_empty() {
        return Err(status_of_nothing(Status::new(Code::OK, "")));
    }
    let (head, message) = body.split_at_checked(5).ok_or_else(|| broken("the answer is cut short"))?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    if head[0] != 0 {
        return Err(broken("the answer is compressed, which was not asked for"));
    }
    if usize::try_from(length).ok() != Some(message.len()) {
        return Err(broken("the answer is not exactly one message"));
    }
    message::config(message).ok_or_else(|| broken("the answer is not the message that was asked for"))
}

/// A status without a message: OK is then a contradiction.
fn status_of_nothing(status: Status) -> Status {
    if status.code == Code::OK {
        Status::new(Code::INTERNAL, "the call is OK but has no answer")
    } else {
        status
    }
}

fn http2(service: &Service, error: &h2::Error) -> LivePatchError {
    match error.reason() {
        Some(reason) if error.is_reset() && error.is_remote() => Status::of_reset(reason).into(),
        _ => transport(service, error),
    }
}
