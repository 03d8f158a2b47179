//! What a scraper wants to know, in Prometheus' text form.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use crate::service::Route;

/// Upper ends of the histogram's buckets, in seconds and as they are written.
const BUCKETS: [(f64, &str); 10] = [
    (0.000_25, "0.00025"),
    (0.000_5, "0.0005"),
    (0.001, "0.001"),
    (0.002_5, "0.0025"),
    (0.005, "0.005"),
    (0.01, "0.01"),
    (0.025, "0.025"),
    (0.1, "0.1"),
    (1.0, "1"),
    (10.0, "10"),
];

/// The status codes that the service gives; any other is counted as the last.
const CODES: [u16; 11] = [200, 400, 401, 404, 405, 408, 413, 422, 503, 431, 500];

/// Counters of one process.
pub(crate) struct Metrics {
    requests: [[AtomicU64; CODES.len()]; Route::ALL.len()],
    buckets: [AtomicU64; BUCKETS.len() + 1],
    nanoseconds: AtomicU64,
    /// Requests that are being answered.
    pub(crate) in_flight: Gauge,
    /// Connections that are being served.
    pub(crate) connections: Gauge,
    /// Connections that were turned away because there were too many.
    pub(crate) connections_refused: Counter,
    /// TLS handshakes that failed.
    pub(crate) handshakes_failed: Counter,
    /// Changed files that are in force.
    pub(crate) reloads: Counter,
    /// Changed files that could not be used.
    pub(crate) reloads_failed: Counter,
}

/// A number that only grows.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A number of things that are there now.
#[derive(Default)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    /// One more, until what is returned is dropped.
    pub(crate) fn enter(&self) -> Entered<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Entered(self)
    }
}

/// One of the things that a gauge counts.
pub(crate) struct Entered<'a>(&'a Gauge);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// All zero.
    pub(crate) fn new() -> Self {
        Self {
            requests: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(0))),
            buckets: std::array::from_fn(|_| AtomicU64::new(0)),
            nanoseconds: AtomicU64::new(0),
            in_flight: Gauge::default(),
            connections: Gauge::default(),
            connections_refused: Counter::default(),
            handshakes_failed: Counter::default(),
            reloads: Counter::default(),
            reloads_failed: Counter::default(),
        }
    }

    /// A request was answered.
    pub(crate) fn answered(&self, route: Route, status: u16, time: Duration) {
        let code = CODES.iter().position(|code| *code == status).unwrap_or(CODES.len() - 1);
        self.requests[route as usize][code].fetch_add(1, Ordering::Relaxed);
        if route == Route::Bootstrapping {
            let seconds = time.as_secs_f64();
            let bucket = BUCKETS.iter().position(|(end, _)| seconds <= *end).unwrap_or(BUCKETS.len());
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
            let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    /// Everything, as a scraper reads it.
    pub(crate) fn text(&self, version: &str, log_lines_dropped: u64) -> String {
        let mut page = Page(String::with_capacity(4096));
        page.family("slipwayd_requests_total", "counter", "Requests answered, by route and status code.");
        for route in Route::ALL {
            for (code, count) in CODES.iter().zip(&self.requests[route as usize]) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let labels = format!("{{route=\"{}\",code=\"{code}\"}}", route.name());
                    page.sample("slipwayd_requests_total", &labels, count);
                }
            }
        }
        self.durations(&mut page);
        let gauges = [
            ("slipwayd_requests_in_flight", "Requests being answered.", &self.in_flight),
            ("slipwayd_connections", "Connections being served.", &self.connections),
        ];
        for (name, help, gauge) in gauges {
            page.family(name, "gauge", help);
            page.sample(name, "", gauge.0.load(Ordering::Relaxed));
        }
        let counters = [
            ("slipwayd_connections_refused_total", "Connections over the limit.", &self.connections_refused),
            ("slipwayd_handshakes_failed_total", "TLS handshakes that failed.", &self.handshakes_failed),
            ("slipwayd_reloads_total", "Changed files put in force.", &self.reloads),
            ("slipwayd_reloads_failed_total", "Changed files that could not be used.", &self.reloads_failed),
        ];
        for (name, help, counter) in counters {
            page.family(name, "counter", help);
            page.sample(name, "", counter.0.load(Ordering::Relaxed));
        }
        page.family("slipwayd_log_lines_dropped_total", "counter", "Log lines that nobody took in time.");
        page.sample("slipwayd_log_lines_dropped_total", "", log_lines_dropped);
        page.family("slipwayd_build_info", "gauge", "The version, as a label.");
        page.sample("slipwayd_build_info", &format!("{{version=\"{version}\"}}"), 1);
        page.0
    }

    fn durations(&self, page: &mut Page) {
        const NAME: &str = "slipwayd_bootstrapping_duration_seconds";
        page.family(NAME, "histogram", "Time from a complete header to the answer of nodeBootstrapping.");
        let mut below = 0;
        for (bucket, end) in self.buckets.iter().zip(BUCKETS.iter().map(|(_, end)| *end).chain(["+Inf"])) {
            below += bucket.load(Ordering::Relaxed);
            page.sample(&format!("{NAME}_bucket"), &format!("{{le=\"{end}\"}}"), below);
        }
        let seconds = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64();
        page.sample(&format!("{NAME}_sum"), "", seconds);
        page.sample(&format!("{NAME}_count"), "", below);
    }
}

/// The text so far. Writing to a string cannot fail.
pub(crate) struct Page(pub(crate) String);

impl Page {
    /// Begins the samples of one name.
    pub(crate) fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Adds a sample.
    pub(crate) fn sample(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}
