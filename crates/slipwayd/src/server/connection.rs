//! One connection, from its first byte to a close that loses no answer.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::timeout;

use super::paced::{Pace, Paced};
use crate::service::{Caller, Problem, Service};

/// The longest header that is read, in bytes.
const LONGEST_HEADER: usize = 16 * 1024;
/// How long a close waits for the peer to read the answer and close too, and how much it throws away meanwhile.
const LINGER: Duration = Duration::from_secs(2);
const MOST_DISCARDED: usize = 4 * 1024 * 1024;

/// Who is at the other end, as far as the connection tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    /// Its address.
    pub(crate) address: SocketAddr,
    /// Whether it showed a certificate that we believe.
    pub(crate) certified: bool,
}

/// Serves requests until the peer closes, keeps us waiting too long, or `drain` turns true.
pub(crate) async fn serve<S>(
    stream: S,
    peer: Peer,
    pace: Pace,
    service: Arc<Service>,
    mut drain: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let stream = Paced::new(stream, pace);
    let progress = stream.progress();
    let requests = {
        let (service, progress) = (Arc::clone(&service), progress.clone());
        service_fn(move |request| {
            let (service, progress) = (Arc::clone(&service), progress.clone());
            progress.serving();
            // Boxed, because a connection that is polled by hand must be movable.
            Box::pin(async move {
                let caller = Caller { address: peer.address, certified: peer.certified };
                let answer = service.answer(request, caller).await;
                progress.answered();
                Ok::<_, Infallible>(answer)
            })
        })
    };
    let mut http = http1::Builder::new();
    // Its own clock knows one limit for idling and for headers.
    http.header_read_timeout(None).max_buf_size(LONGEST_HEADER).half_close(true);
    let mut connection = http.serve_connection(TokioIo::new(stream), requests);
    let mut told = false;
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|context| connection.poll_without_shutdown(context)) => break ended,
            // The sender is there as long as anything runs.
            _ = drain.wait_for(|draining| *draining), if !told => {
                told = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let mut stream = connection.into_parts().io.into_inner().into_inner();
    if ended.is_err() && progress.in_header() {
        let _ = timeout(pace.write, stream.write_all(&Problem::SlowHeader.bytes())).await;
    }
    close(stream).await;
}

/// Answers a connection that there is no room for, without looking at what it asks.
pub(crate) async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    let answer = Problem::TooManyConnections.bytes();
    if matches!(timeout(LINGER, stream.write_all(&answer)).await, Ok(Ok(()))) {
        close(stream).await;
    }
}

/// Says that no more will come, and reads on for a while: closing on unread bytes would make the kernel reset the
/// connection, and the peer might lose the answer.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    let lingering = pin!(async {
        stream.shutdown().await?;
        let mut discarded = 0;
        let mut buffer = [0; 2048];
        while discarded < MOST_DISCARDED {
            match stream.read(&mut buffer).await? {
                0 => break,
                length => discarded += length,
            }
        }
        Ok::<(), io::Error>(())
    });
    let _ = timeout(LINGER, lingering).await;
}
