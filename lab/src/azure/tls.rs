//! The certificate that the services show which are reached by name.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A certificate with its key, and the authority that vouches for it.
#[derive(Clone, Debug)]
pub struct Tls {
    authority: String,
    config: Arc<ServerConfig>,
}

impl Tls {
    /// What an authority has issued; all three as PEM.
    pub fn issued(authority: String, certificate: &str, key: &str) -> io::Result<Self> {
        let chain = CertificateDer::pem_slice_iter(certificate.as_bytes());
        let chain = chain.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(io::Error::other)?;
        let config = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
            .map_err(io::Error::other)?;
        Ok(Self { authority, config: Arc::new(config) })
    }

    /// A certificate for these names, from an authority of its own.
    pub fn of_its_own(names: &[&str]) -> io::Result<Self> {
        let made = || -> Result<(String, String, String), rcgen::Error> {
            let key = KeyPair::generate()?;
            let mut params = CertificateParams::default();
            params.distinguished_name.push(DnType::CommonName, "the emulated Azure");
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
            let authority = params.self_signed(&key)?.pem();
            let issuer = Issuer::new(params, key);
            let key = KeyPair::generate()?;
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let certificate = CertificateParams::new(names)?.signed_by(&key, &issuer)?;
            Ok((authority, certificate.pem(), key.serialize_pem()))
        };
        let (authority, certificate, key) = made().map_err(io::Error::other)?;
        Self::issued(authority, &certificate, &key)
    }

    /// The authority that a client has to trust, as PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The server's side of a connection.
    pub(super) fn accept<'a>(&self, stream: &'a TcpStream) -> io::Result<Session<'a>> {
        let connection = ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        Ok(Session(StreamOwned::new(connection, stream)))
    }
}

/// A connection with TLS. Its end is announced, so that a client can tell it from a cut.
pub(super) struct Session<'a>(StreamOwned<ServerConnection, &'a TcpStream>);

impl Read for Session<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Session<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.0.conn.send_close_notify();
        // The client may have gone already.
        let _ = self.0.flush();
    }
}
