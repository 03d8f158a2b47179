use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;

use crate::HttpError;
use crate::dial::dial;
use crate::patience::Patience;
use crate::wire::Wire;

/// A TLS connection for those who speak something else than HTTP/1.1 on it. Every wait on it ends with its patience.
pub struct Connection<'p> {
    wire: Wire,
    patience: Patience<'p>,
}

impl<'p> Connection<'p> {
    /// Connects to a host's port, or to `address` in its place; the hello names the host in either case. No proxy.
    pub fn open(
        host: &str,
        port: u16,
        address: Option<SocketAddr>,
        tls: Arc<ClientConfig>,
        patience: Patience<'p>,
    ) -> Result<Self, HttpError> {
        let stream = match address {
            Some(address) => dial(&address.ip().to_string(), address.port(), patience),
            None => dial(host, port, patience),
        };
        let shown = format!("{host}:{port}");
        let wire = Wire::plain(stream?, shown.clone()).secured(tls, host, shown, patience)?;
        Ok(Self { wire, patience })
    }

    /// The protocol that the server selected among those that the hello offered.
    pub fn protocol(&self) -> Option<&[u8]> {
        self.wire.protocol()
    }

    /// Sends everything.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), HttpError> {
        self.wire.send(bytes, self.patience)
    }

    /// Waits for bytes; zero at the end of the stream. What arrives after the patience has ended does not count:
    /// a server that knows our deadline gives up at the same moment, and its farewell is not the answer.
    pub fn receive(&mut self, into: &mut [u8]) -> Result<usize, HttpError> {
        let length = self.wire.receive(into, self.patience)?;
        let late = |end| HttpError::waiting(end, self.wire.host(), "waiting for the answer");
        self.patience.left().map_err(late)?;
        Ok(length)
    }
}
