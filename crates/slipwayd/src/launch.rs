//! `slipwayd launch`: puts the service together, and takes it down when it is asked to.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use slipway_launch::nps::Clusters;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::interval;

use crate::VERSION;
use crate::bearer::BearerTokens;
use crate::cli::Launch;
use crate::files::{FileError, Refresh, Watched};
use crate::log::{Level, Log};
use crate::server::{Limits, Pace, Server, tls};
use crate::service::{Admission, RequestLimits, Service};

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How long a connection may be idle; see [`Pace`].
const IDLE: Duration = Duration::from_mins(2);

/// Why the service does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{address}: cannot listen: {problem}")]
    Listen { address: std::net::SocketAddr, problem: io::Error },
    #[error("the service cannot start: {0}")]
    System(#[from] io::Error),
    #[error(
        "{0}: others can reach this address, and nobody would have to show who they are: give --bearer-token-file or \
         --client-ca, or --no-authentication where the network lets nobody else in"
    )]
    Open(std::net::SocketAddr),
}

/// Serves until a signal comes. Returns how many connections were cut off.
pub(crate) fn run(arguments: Launch) -> Result<usize, LaunchError> {
    let open = arguments.bearer_token_file.is_none() && arguments.client_ca.is_none();
    if open && !arguments.no_authentication && !arguments.listen.ip().is_loopback() {
        return Err(LaunchError::Open(arguments.listen));
    }
    let (log, writer) = Log::start(if arguments.quiet { Level::Warning } else { Level::Info })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let cut_off = runtime.block_on(serve(arguments, log));
    // Connections that are left end here, and with them the log.
    runtime.shutdown_timeout(Duration::ZERO);
    writer.finish();
    cut_off
}

async fn serve(arguments: Launch, log: Log) -> Result<usize, LaunchError> {
    let clusters = Arc::new(Watched::open(Vec::from_iter(arguments.config), |files, _| match files {
        [] => Ok(Clusters::default()),
        [text, ..] => clusters(text).map_err(|problem| (0, problem)),
    })?);
    if clusters.current().clusters.is_empty() {
        log.line(Level::Warning, "no cluster is configured, so every request is refused; see --config").end();
    }
    let grace = Duration::from_secs(arguments.bearer_token_grace);
    let token = arguments.bearer_token_file.map(|file| {
        Watched::open(vec![file], move |files, before| {
            let content = files.first().map(Vec::as_slice).unwrap_or_default();
            BearerTokens::parse(content, before, grace).map_err(|problem| (0, problem))
        })
    });
    let token = token.transpose()?.map(Arc::new);
    let certificates = arguments.client_ca.is_some();
    if token.is_none() && !certificates {
        log.line(Level::Warning, "callers are not asked who they are").end();
    }
    let tls = match (arguments.tls_certificate, arguments.tls_key) {
        (Some(certificate), Some(key)) => {
            let files = [certificate, key].into_iter().chain(arguments.client_ca).collect();
            Some(Arc::new(Watched::open(files, |files, _| tls::settings(files))?))
        }
        _ => None,
    };
    let mut watched: Vec<Arc<dyn Refresh>> = vec![Arc::clone(&clusters) as _];
    watched.extend(token.as_ref().map(|token| Arc::clone(token) as Arc<dyn Refresh>));
    watched.extend(tls.as_ref().map(|tls| Arc::clone(tls) as Arc<dyn Refresh>));

    let within = Duration::from_secs(arguments.request_timeout);
    let limits =
        RequestLimits { body: arguments.max_body, body_time: within, requests: arguments.max_requests };
    let admission = Admission { token, certificates };
    let service = Arc::new(Service::new(clusters, admission, limits, log));
    let limits = Limits {
        connections: arguments.max_connections,
        pace: Pace { idle: IDLE, header: within, write: within },
        drain: Duration::from_secs(arguments.drain),
    };
    let encrypted = tls.is_some();
    let mut signals = Signals::new()?;
    let server = Server::bind(arguments.listen, tls, limits, Arc::clone(&service))
        .map_err(|problem| LaunchError::Listen { address: arguments.listen, problem })?;
    service
        .log
        .line(Level::Info, "listening")
        .with("address", server.address()?.to_string())
        .with("tls", encrypted)
        .with("version", VERSION)
        .end();

    tokio::spawn(follow(watched, Arc::clone(&service)));
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(server.run(stopped));
    let signal = signals.next().await;
    service.log.line(Level::Info, "stopping").with("signal", signal).end();
    service.stop();
    // The server listens as long as it runs.
    let _ = stop.send(true);
    let cut_off = running.await.map_err(io::Error::other)?;
    service.log.line(Level::Info, "stopped").with("connectionsCutOff", cut_off).end();
    Ok(cut_off)
}

fn clusters(text: &[u8]) -> Result<Clusters, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    Clusters::parse(text).map_err(|problems| problems.to_string())
}

/// Puts changed files in force.
async fn follow(watched: Vec<Arc<dyn Refresh>>, service: Arc<Service>) {
    let mut looks = interval(LOOK);
    loop {
        looks.tick().await;
        for files in &watched {
            let name = files.name().display().to_string();
            match files.refresh() {
                None => {}
                Some(Ok(())) => {
                    service.metrics.reloads.add();
                    service.log.line(Level::Info, "read again").with("file", name).end();
                }
                Some(Err(error)) => {
                    service.metrics.reloads_failed.add();
                    let line = service
                        .log
                        .line(Level::Error, "a changed file cannot be used; the last good one stays");
                    line.with("file", name).with("problem", error.to_string()).end();
                }
            }
        }
    }
}

/// The signals that end the service.
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
