//! Sockets: who gets in, how many, and how the service goes away.

mod connection;
mod paced;
pub(crate) mod tls;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::files::Watched;
use crate::log::Level;
use crate::service::Service;

use connection::{Peer, refuse, serve};
pub(crate) use paced::Pace;

/// Connections that wait in the kernel to be accepted.
const BACKLOG: u32 = 4096;
/// Connections that are being told that there is no room. More wait in the kernel.
const REFUSALS: usize = 1024;
/// Over TLS they cost a handshake and its buffers.
const TLS_REFUSALS: usize = 128;
/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// What the listener needs to know.
pub(crate) struct Limits {
    /// Connections that are served at a time.
    pub(crate) connections: usize,
    /// How long they may keep us waiting.
    pub(crate) pace: Pace,
    /// How long answers may take after the service was told to stop.
    pub(crate) drain: Duration,
}

/// A socket that accepts connections.
pub(crate) struct Server {
    listener: TcpListener,
    tls: Option<Arc<Watched<ServerConfig>>>,
    limits: Limits,
    service: Arc<Service>,
}

impl Server {
    /// Begins to listen; with `tls` connections are encrypted.
    pub(crate) fn bind(
        address: SocketAddr,
        tls: Option<Arc<Watched<ServerConfig>>>,
        limits: Limits,
        service: Arc<Service>,
    ) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // A restarted service must not wait for connections of the one before.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(Self { listener: socket.listen(BACKLOG)?, tls, limits, service })
    }

    /// The address that it listens on.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Accepts connections until `stop` turns true, then lets the open ones end. Returns how many were cut off.
    pub(crate) async fn run(self, mut stop: watch::Receiver<bool>) -> usize {
        let served = Arc::new(Semaphore::new(self.limits.connections));
        let refusals = if self.tls.is_some() { TLS_REFUSALS } else { REFUSALS };
        let refused = Arc::new(Semaphore::new(refusals));
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            match accepted {
                Ok((stream, address)) => {
                    if let Ok(room) = Arc::clone(&served).try_acquire_owned() {
                        self.serve(stream, address, room, stop.clone());
                        continue;
                    }
                    let room = tokio::select! {
                        room = Arc::clone(&refused).acquire_owned() => room,
                        _ = stop.wait_for(|stop| *stop) => break,
                    };
                    self.refuse(stream, room.ok());
                }
                // Descriptors are used up, or the peer went away in the queue.
                Err(error) => {
                    self.service
                        .log
                        .line(Level::Error, "accept failed")
                        .with("problem", error.to_string())
                        .end();
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
        drop(self.listener);
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        match timeout(self.limits.drain, served.acquire_many(all)).await {
            Ok(_) => 0,
            Err(_) => self.limits.connections - served.available_permits(),
        }
    }

    fn serve(
        &self,
        stream: TcpStream,
        address: SocketAddr,
        room: OwnedSemaphorePermit,
        stop: watch::Receiver<bool>,
    ) {
        let (service, pace) = (Arc::clone(&self.service), self.limits.pace);
        let tls = self.tls.as_ref().map(|tls| TlsAcceptor::from(tls.current()));
        // It only costs a little time when it fails.
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            let counted = Arc::clone(&service);
            let _counted = counted.metrics.connections.enter();
            match tls {
                None => serve(stream, Peer { address, certified: false }, pace, service, stop).await,
                // Boxed, so that plain connections do not have the size of encrypted ones.
                Some(tls) => match Box::pin(timeout(HANDSHAKE, tls.accept(stream))).await {
                    Ok(Ok(stream)) => {
                        let certified = stream.get_ref().1.peer_certificates().is_some();
                        Box::pin(serve(stream, Peer { address, certified }, pace, service, stop)).await;
                    }
                    Ok(Err(_)) | Err(_) => service.metrics.handshakes_failed.add(),
                },
            }
            drop(room);
        });
    }

    fn refuse(&self, stream: TcpStream, room: Option<OwnedSemaphorePermit>) {
        self.service.metrics.connections_refused.add();
        let tls = self.tls.as_ref().map(|tls| TlsAcceptor::from(tls.current()));
        tokio::spawn(async move {
            match tls {
                None => refuse(stream).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = Box::pin(timeout(HANDSHAKE, tls.accept(stream))).await {
                        Box::pin(refuse(stream)).await;
                    }
                }
            }
            drop(room);
        });
    }
}
