//! HTTP/1.1, plain or over TLS, as a node needs it.
//!
//! Comes in: a URL, whom to trust, a proxy perhaps, and how long to wait. Goes out: what the server answered, or
//! which part of the way failed. Never does: cookies, compression, files, deciding what an answer means.
//! Only a [`download`](fetch()) follows redirects.
//!
//! Written here because each wait must end when the caller wants it to: a blocked read, a name that is not resolved
//! and a server that does not accept are all given up within a tenth of a second after [`Patience`] says so, which
//! blocking HTTP libraries do not offer. One call is one connection. A [`Connection`] is the same for another protocol.

mod backoff;
mod body;
mod checksum;
mod client;
mod connection;
mod dial;
mod download;
mod error;
mod exempt;
mod message;
mod patience;
mod proxy;
mod trust;
mod url;
mod wire;

pub use backoff::Backoff;
pub use checksum::Sha256;
pub use client::{Call, Client};
pub use connection::Connection;
pub use download::{Download, FetchError, Fetched, fetch};
pub use error::HttpError;
pub use message::Response;
pub use patience::{Impatience, Patience};
pub use proxy::{ProxyError, ProxySettings};
pub use trust::{Identity, Trust, TrustError};
pub use url::{Scheme, Url, UrlError};
