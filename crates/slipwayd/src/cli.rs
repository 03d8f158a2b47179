//! The arguments.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Services of Slipway.
#[derive(Debug, Parser)]
#[command(name = "slipwayd", version = crate::VERSION, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Which service.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Which service to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve node bootstrapping to launchers, until SIGTERM
    Launch(Box<Launch>),
    /// Keep this machine the node that `slipway flex join` made of it, until SIGTERM
    Flex(Flex),
    /// Print the version, alone
    Version,
}

/// Arguments of `slipwayd launch`.
#[derive(Debug, Args)]
pub(crate) struct Launch {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// The clusters that nodes are made for, as JSON: {"clusters": [{"options": …, "environment": …}]}; read again
    /// when it changes
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A file with the token that callers show; read again when it changes
    #[arg(long, value_name = "FILE")]
    pub(crate) bearer_token_file: Option<PathBuf>,
    /// Seconds that the token before is good after the file has changed
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "bearer_token_file", value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub(crate) bearer_token_grace: u64,
    /// The certificate chain of the service as PEM; with it connections are encrypted; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// The key of the certificate as PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Authorities as PEM whose client certificates are as good as the token
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) client_ca: Option<PathBuf>,
    /// Let everyone in: for networks where others see to that
    #[arg(long, conflicts_with_all = ["bearer_token_file", "client_ca"])]
    pub(crate) no_authentication: bool,
    /// Requests for payloads at a time; more get 503
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = at_least_one)]
    pub(crate) max_requests: usize,
    /// Connections at a time; more get 503
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = at_least_one)]
    pub(crate) max_connections: usize,
    /// The longest body, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 65536, value_parser = at_least_one)]
    pub(crate) max_body: usize,
    /// Seconds for a header to arrive, for a body to arrive, and for an answer to be taken
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) request_timeout: u64,
    /// Seconds that open requests have after SIGTERM
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=600))]
    pub(crate) drain: u64,
    /// Log warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Arguments of `slipwayd flex`.
#[derive(Debug, Args)]
pub(crate) struct Flex {
    /// The configuration of the machine
    #[arg(long, value_name = "FILE", default_value = slipway_flex::CONFIG)]
    pub(crate) config: PathBuf,
    /// Where numbers for Prometheus are served, at /metrics
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:10270")]
    pub(crate) metrics: SocketAddr,
    /// Seconds between two looks at the machine; the API server is asked every third time, and at most every ten seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) every: u64,
    /// Log warnings and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The largest number that a limit can be.
const MOST: usize = 1 << 24;

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| (1..=MOST).contains(number))
        .ok_or_else(|| format!("a number from 1 to {MOST}"))
}
