use std::io;

use slipway_model::Blame;

use crate::dial::RESOLVING;
use crate::patience::Impatience;

/// Why a call has no answer. Each kind is another person's business.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The name of the host stands for no address.
    #[error("the name {host} cannot be resolved: {problem}")]
    NameUnresolved {
        /// The host, or the proxy.
        host: String,
        /// What the resolver said.
        problem: String,
    },
    /// Nobody listens there.
    #[error("{host} refuses connections")]
    Refused {
        /// Host and port.
        host: String,
    },
    /// No connection for another reason.
    #[error("{host} cannot be reached: {problem}")]
    Unreachable {
        /// Host and port.
        host: String,
        /// What the machine said.
        problem: io::Error,
    },
    /// The time ran out.
    #[error("{host} took too long: the time ran out while {doing}")]
    Late {
        /// Host and port.
        host: String,
        /// What was going on.
        doing: &'static str,
    },
    /// The server's certificate is not one that we believe.
    #[error("the certificate of {host} is not trusted: {problem}")]
    Untrusted {
        /// Host and port.
        host: String,
        /// What is wrong with it.
        problem: String,
        /// Whether it is only a matter of the date: its time has not begun or is over, by this machine's clock.
        by_date: bool,
    },
    /// No agreement on TLS.
    #[error("no TLS with {host}: {problem}")]
    Tls {
        /// Host and port.
        host: String,
        /// What went wrong.
        problem: String,
    },
    /// The proxy does not let us through.
    #[error("the proxy {proxy} answered {status} to a connection to {host}")]
    ProxyRefused {
        /// The proxy's host and port.
        proxy: String,
        /// Where we wanted to go.
        host: String,
        /// Its status.
        status: u16,
    },
    /// The connection was lost.
    #[error("the connection to {host} broke: {problem}")]
    Broken {
        /// Host and port.
        host: String,
        /// How it ended.
        problem: io::Error,
    },
    /// What came back is not HTTP.
    #[error("the answer of {host} cannot be read: {problem}")]
    Unreadable {
        /// Host and port.
        host: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The caller asked to stop.
    #[error("stopped while {doing}")]
    Stopped {
        /// What was going on.
        doing: &'static str,
    },
}

impl HttpError {
    /// Who has to act.
    pub fn blame(&self) -> Blame {
        match self {
            Self::NameUnresolved { .. }
            | Self::Refused { .. }
            | Self::Unreachable { .. }
            | Self::Late { .. }
            | Self::ProxyRefused { .. }
            | Self::Broken { .. } => Blame::Network,
            Self::Untrusted { .. } => Blame::Input,
            Self::Tls { .. } | Self::Unreadable { .. } => Blame::Service,
            Self::Stopped { .. } => Blame::Machine,
        }
    }

    /// What to try, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NameUnresolved { .. } | Self::Late { doing: RESOLVING, .. } => {
                "see whether the name is right and whether the servers in /etc/resolv.conf answer"
            }
            Self::Refused { .. } | Self::Unreachable { .. } | Self::Late { .. } | Self::Broken { .. } => {
                "see whether this machine reaches it: a firewall, a route or a proxy may be missing"
            }
            Self::Untrusted { by_date: true, .. } => {
                "compare this machine's clock (`date -u`) with the time: a clock that is wrong makes good certificates bad"
            }
            Self::Untrusted { by_date: false, .. } => {
                "see whether a proxy on the way replaces certificates; if so, its authority has to be trusted"
            }
            Self::ProxyRefused { status: 407, .. } => "put user and password into the proxy's address",
            Self::ProxyRefused { .. } => "ask whoever runs the proxy to let this machine through",
            Self::Tls { .. } | Self::Unreadable { .. } => {
                "see whether something else answers there, such as a proxy"
            }
            Self::Stopped { .. } => return None,
        })
    }

    /// The name that has no address, as far as could be learned in time.
    pub fn unresolved(&self) -> Option<&str> {
        match self {
            Self::NameUnresolved { host, .. } | Self::Late { host, doing: RESOLVING } => Some(host),
            _ => None,
        }
    }

    /// Whether the same call may succeed in a moment.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Untrusted { .. } | Self::Stopped { .. } => false,
            // 407 and 403 are the proxy's policy; the rest is its weather.
            Self::ProxyRefused { status, .. } => *status >= 500 || *status == 429,
            _ => true,
        }
    }

    pub(crate) fn waiting(impatience: Impatience, host: &str, doing: &'static str) -> Self {
        match impatience {
            Impatience::Late => Self::Late { host: host.to_owned(), doing },
            Impatience::Stopped => Self::Stopped { doing },
        }
    }
}
