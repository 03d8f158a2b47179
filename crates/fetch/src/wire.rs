use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, StreamOwned};

use crate::HttpError;
use crate::patience::Patience;

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A connection whose reads and writes give up in short slices, so that patience is asked between them.
pub(crate) struct Wire {
    stream: Box<dyn Stream>,
    host: String,
    protocol: Option<Vec<u8>>,
}

impl Wire {
    /// Over a socket that has short timeouts. `host` is what errors speak of.
    pub(crate) fn plain(stream: TcpStream, host: String) -> Self {
        Self { stream: Box::new(stream), host, protocol: None }
    }

    /// TLS over this connection, with a server of this name.
    pub(crate) fn secured(
        self,
        tls: Arc<ClientConfig>,
        name: &str,
        host: String,
        patience: Patience<'_>,
    ) -> Result<Self, HttpError> {
        const SHAKING_HANDS: &str = "agreeing on TLS";
        let failed = |problem: String| HttpError::Tls { host: host.clone(), problem };
        let name = ServerName::try_from(name.to_owned()).map_err(|error| failed(error.to_string()))?;
        let mut connection = ClientConnection::new(tls, name).map_err(|error| failed(error.to_string()))?;
        let mut stream = self.stream;
        while connection.is_handshaking() {
            match connection.complete_io(&mut stream) {
                Ok((0, 0)) => return Err(failed("the server hung up".into())),
                Ok(_) => {}
                Err(error) if is_pause(&error) => {
                    patience.left().map_err(|end| HttpError::waiting(end, &host, SHAKING_HANDS))?;
                }
                Err(error) => return Err(handshake_error(host, error)),
            }
        }
        let protocol = connection.alpn_protocol().map(<[u8]>::to_vec);
        Ok(Self { stream: Box::new(StreamOwned::new(connection, stream)), host, protocol })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// What TLS agreed to speak.
    pub(crate) fn protocol(&self) -> Option<&[u8]> {
        self.protocol.as_deref()
    }

    /// Sends everything.
    pub(crate) fn send(&mut self, mut bytes: &[u8], patience: Patience<'_>) -> Result<(), HttpError> {
        loop {
            let sent = if bytes.is_empty() {
                self.stream.flush().map(|()| None)
            } else {
                self.stream.write(bytes).map(Some)
            };
            match sent {
                Ok(None) => return Ok(()),
                Ok(Some(0)) => return Err(self.broken(ErrorKind::WriteZero.into())),
                Ok(Some(length)) => bytes = &bytes[length..],
                Err(error) if is_pause(&error) => {
                    patience.left().map_err(|end| HttpError::waiting(end, &self.host, "sending"))?;
                }
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    /// Waits for bytes; zero at the end of the stream.
    pub(crate) fn receive(&mut self, into: &mut [u8], patience: Patience<'_>) -> Result<usize, HttpError> {
        loop {
            patience.left().map_err(|end| HttpError::waiting(end, &self.host, "waiting for the answer"))?;
            match self.stream.read(into) {
                Ok(length) => return Ok(length),
                Err(error) if is_pause(&error) => {}
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    fn broken(&self, error: io::Error) -> HttpError {
        // A server may judge our certificate only after the handshake; then the first read says so.
        if tls_error(&error).is_some() {
            return handshake_error(self.host.clone(), error);
        }
        HttpError::Broken { host: self.host.clone(), problem: error }
    }
}

/// A timeout of the socket says "would block".
fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn handshake_error(host: String, error: io::Error) -> HttpError {
    match tls_error(&error) {
        Some(rustls::Error::InvalidCertificate(problem)) => {
            let by_date = matches!(
                problem,
                CertificateError::Expired
                    | CertificateError::ExpiredContext { .. }
                    | CertificateError::NotValidYet
                    | CertificateError::NotValidYetContext { .. }
            );
            HttpError::Untrusted { host, problem: problem.to_string(), by_date }
        }
        Some(problem) => HttpError::Tls { host, problem: problem.to_string() },
        None => HttpError::Broken { host, problem: error },
    }
}

fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}
