//! Requests and their answers.

mod bootstrapping;
mod openapi;
mod problem;
mod route;
mod trace;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response};
use slipway_launch::nps::Clusters;
use tokio::sync::Semaphore;

use crate::VERSION;
use crate::bearer::BearerTokens;
use crate::files::Watched;
use crate::log::{Level, Log};
use crate::metrics::Metrics;

pub(crate) use problem::Problem;
pub(crate) use route::{ClusterPath, Route};
use trace::{Names, Trace};

/// What every answer is: one piece.
type Answer = Response<Full<Bytes>>;

/// Who may ask for payloads.
pub(crate) struct Admission {
    /// A token that callers show.
    pub(crate) token: Option<Arc<Watched<BearerTokens>>>,
    /// Whether a certificate of a known authority will do.
    pub(crate) certificates: bool,
}

/// What one request may take.
pub(crate) struct RequestLimits {
    /// Bytes of its body.
    pub(crate) body: usize,
    /// Time for its body to arrive.
    pub(crate) body_time: Duration,
    /// Requests for payloads at a time.
    pub(crate) requests: usize,
}

/// Answers requests.
pub(crate) struct Service {
    pub(crate) clusters: Arc<Watched<Clusters>>,
    pub(crate) admission: Admission,
    pub(crate) limits: RequestLimits,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    room: Semaphore,
    names: Names,
    stopping: AtomicBool,
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller {
    /// From where.
    pub(crate) address: SocketAddr,
    /// Whether it showed a certificate that we believe.
    pub(crate) certified: bool,
}

impl Service {
    /// A service that takes requests.
    pub(crate) fn new(
        clusters: Arc<Watched<Clusters>>,
        admission: Admission,
        limits: RequestLimits,
        log: Log,
    ) -> Self {
        let room = Semaphore::new(limits.requests);
        let (metrics, names) = (Metrics::new(), Names::new());
        Self { clusters, admission, limits, log, metrics, room, names, stopping: AtomicBool::new(false) }
    }

    /// From now on it is not ready.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Answers one request, counts it and logs it.
    pub(crate) async fn answer(&self, request: Request<Incoming>, caller: Caller) -> Answer {
        let start = Instant::now();
        let _counted = self.metrics.in_flight.enter();
        let trace = Trace::new(&self.names, request.headers());
        let path = request.uri().path().to_owned();
        let route = Route::of(&path);
        let (mut answer, problem) = match self.respond(route, &path, request, caller).await {
            Ok(answer) => (answer, None),
            Err(problem) => (problem.answer(), Some(problem)),
        };
        let (status, time) = (answer.status().as_u16(), start.elapsed());
        self.metrics.answered(route, status, time);
        if route == Route::Bootstrapping || problem.is_some() {
            let line = self.log.line(if status >= 500 { Level::Warning } else { Level::Info }, "request");
            let line = trace
                .record(line)
                .with("peer", caller.address.to_string())
                .with("route", route.name())
                .with("status", status)
                .with("microseconds", u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
            let cluster = ClusterPath::parse(&path).map(|path| path.name.into_owned());
            line.with_some("cluster", cluster)
                .with_some("problem", problem.map(|problem| problem.to_string()))
                .end();
        }
        trace.mark(answer.headers_mut());
        answer
    }

    async fn respond(
        &self,
        route: Route,
        path: &str,
        request: Request<Incoming>,
        caller: Caller,
    ) -> Result<Answer, Problem> {
        if route != Route::Unknown && request.method() != Method::GET {
            return Err(Problem::WrongMethod);
        }
        match route {
            Route::Bootstrapping => {
                self.admit(request.headers(), caller)?;
                let _room = self.room.try_acquire().map_err(|_| Problem::TooManyRequests)?;
                let body = bootstrapping::body(request.into_body(), &self.limits).await?;
                let answer = bootstrapping::answer(&self.clusters.current(), path, &body)?;
                Ok(plain("application/json", answer))
            }
            Route::Ready if self.stopping.load(Ordering::Relaxed) => Err(Problem::Stopping),
            Route::Health | Route::Ready => Ok(plain("text/plain", "ok\n")),
            Route::Metrics => {
                let text = self.metrics.text(VERSION, self.log.dropped());
                Ok(plain("text/plain; version=0.0.4", text))
            }
            Route::OpenApi => Ok(plain("application/json", openapi::document())),
            Route::Unknown => Err(Problem::NoSuchPath),
        }
    }

    /// Lets those in who can show who they are, or everyone where nothing was configured.
    fn admit(&self, fields: &HeaderMap, caller: Caller) -> Result<(), Problem> {
        let Admission { token, certificates } = &self.admission;
        let open = token.is_none() && !certificates;
        let shown = || {
            let (token, field) = (token.as_ref()?, fields.get(AUTHORIZATION)?);
            token.current().are_shown_by(field.as_bytes()).then_some(())
        };
        if open || *certificates && caller.certified || shown().is_some() {
            Ok(())
        } else {
            Err(Problem::Unauthenticated)
        }
    }
}

fn plain(kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}
