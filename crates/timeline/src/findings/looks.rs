//! How each trouble is recognised.

use jiff::SignedDuration;

use super::{Case, Found, GAP, SLOW};
use crate::anatomy::Interval;
use crate::evidence::{Certainty, Place, Source};
use crate::phase::Phase;

/// As many places are quoted for one finding.
const QUOTED: usize = 3;

impl Case<'_> {
    /// The places of a sign, and how often it was seen.
    fn signs(&self, id: &str) -> (usize, Vec<Place>) {
        let mut places: Vec<Place> =
            self.evidence.signs.iter().filter(|sign| sign.id == id).map(|sign| sign.place.clone()).collect();
        let count = places.len();
        places.truncate(QUOTED);
        (count, places)
    }

    /// Intervals that did something of their own.
    fn work(&self) -> impl Iterator<Item = &Interval> {
        self.anatomy.intervals.iter().filter(|interval| !interval.envelope)
    }

    fn has(&self, milestone: &str) -> bool {
        self.anatomy.milestones.contains_key(milestone)
    }

    /// The exit code of the last attempt.
    fn code(&self) -> Option<i64> {
        self.evidence.ended.iter().rev().find_map(|ended| ended.exit_code)
    }
}

fn found(about: &str, message: String, evidence: Vec<Place>) -> Found {
    Found { about: about.to_owned(), message, evidence }
}

fn of(interval: &Interval, message: String) -> Found {
    found(&interval.name, message, vec![interval.evidence.clone()])
}

/// A finding from signs alone.
fn from_signs(case: &Case<'_>, id: &str, about: &str, what: &str) -> Vec<Found> {
    let (count, places) = case.signs(id);
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    (count > 0).then(|| found(about, format!("{what}: said {times}"), places)).into_iter().collect()
}

fn seconds(duration: SignedDuration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

pub(super) fn attempt_failed(case: &Case<'_>) -> Vec<Found> {
    let Some(code) = case.code().filter(|code| *code != 0) else { return Vec::new() };
    let ended = case.evidence.ended.iter().filter(|ended| ended.exit_code == Some(code));
    // A line of the shell's trace says less than what a program printed.
    let words = ended.clone().map(|ended| ended.error.as_str()).filter(|error| !error.is_empty());
    let error = words.min_by_key(|error| error.starts_with('+')).unwrap_or_default();
    let places = ended.map(|ended| ended.place.clone()).take(QUOTED).collect();
    let colon = if error.is_empty() { "" } else { ": " };
    vec![found("provisioning", format!("ended with exit code {code}{colon}{error}"), places)]
}

pub(super) fn step_failed(case: &Case<'_>) -> Vec<Found> {
    // What holds others together is unfinished as long as they are.
    let bad = |interval: &&Interval| match interval.outcome.as_deref() {
        Some("failed" | "degraded" | "fail") => true,
        Some("unfinished") => !interval.envelope,
        _ => false,
    };
    let all = case.anatomy.intervals.iter();
    let steps = all.filter(bad).filter(|interval| !interval.name.starts_with("attempt "));
    steps
        .map(|interval| {
            let outcome = interval.outcome.as_deref().unwrap_or_default();
            of(interval, format!("{outcome} after {}", seconds(interval.took())))
        })
        .collect()
}

pub(super) fn attempt_retried(case: &Case<'_>) -> Vec<Found> {
    let earlier = case.work().filter(|interval| interval.name.starts_with("attempt "));
    let mut retried: Vec<Found> = earlier
        .map(|interval| {
            let outcome = interval.outcome.as_deref().unwrap_or("interrupted");
            of(interval, format!("{outcome} after {}, and was made again", seconds(interval.took())))
        })
        .collect();
    let starts: Vec<&Interval> =
        case.anatomy.intervals.iter().filter(|interval| interval.name == "AKS.CSE.cse_start").collect();
    if let [first, .., _] = starts[..] {
        retried.push(of(first, format!("the scripts ran {} times", starts.len())));
    }
    retried
}

pub(super) fn api_server_unreachable(case: &Case<'_>) -> Vec<Found> {
    // What the scripts exit with when name, port or answer of the API server is missing.
    const CODES: [i64; 3] = [51, 52, 53];
    let code = case.code().filter(|code| CODES.contains(code));
    let (count, places) = case.signs("api-server-unreachable");
    let message = match (code, count) {
        (None, 0) => return Vec::new(),
        (Some(code), _) => format!("the scripts gave up on it with exit code {code}"),
        // A refused connection is no trouble where it succeeded in the end.
        (None, _) if case.has("node-registered") => return Vec::new(),
        (None, count) => format!("{count} failed attempts to connect"),
    };
    vec![found("API server", message, places)]
}

pub(super) fn certificate_not_approved(case: &Case<'_>) -> Vec<Found> {
    const LATE: SignedDuration = SignedDuration::from_secs(10);
    let mut looked =
        from_signs(case, "certificate-not-approved", "certificate", "the request was not signed");
    let all = case.anatomy.intervals.iter();
    // The scripts' task, and the step of a native start.
    let waits = |it: &&Interval| it.name.contains("TLSBootstrapping") || it.name == "tls-bootstrap";
    let waited = all.filter(waits).filter(|it| it.took() >= LATE);
    looked
        .extend(waited.map(|it| of(it, format!("kubelet's credentials came after {}", seconds(it.took())))));
    looked
}

pub(super) fn cni_not_ready(case: &Case<'_>) -> Vec<Found> {
    let waited = case.work().find(|interval| interval.phase == Phase::Ready);
    let late = waited.is_none_or(|interval| interval.took() >= SLOW);
    // Kubelet says so on every start, a moment long.
    if !late || !case.has("node-registered") {
        return Vec::new();
    }
    from_signs(case, "cni-not-ready", "network plugin", "kubelet waited for it")
}

pub(super) fn not_ready(case: &Case<'_>) -> Vec<Found> {
    if case.has("node-ready") || !case.has("node-registered") {
        return Vec::new();
    }
    let time = case.anatomy.milestones["node-registered"];
    vec![found("node-ready", format!("the node registered at {time} and has not become Ready"), Vec::new())]
}

pub(super) fn clock_skew(case: &Case<'_>) -> Vec<Found> {
    let far = case.anatomy.clock_steps.iter().filter(|step| step.by.abs() >= SignedDuration::from_secs(1));
    let mut looked: Vec<Found> = far
        .map(|step| {
            let message = format!("it was set by {} at {}", seconds(step.by), step.before);
            found("clock", message, Vec::new())
        })
        .collect();
    looked.extend(from_signs(case, "clock-skew", "clock", "a certificate was not valid yet, or no longer"));
    looked
}

pub(super) fn agent_waiting(case: &Case<'_>) -> Vec<Found> {
    const LONG: SignedDuration = SignedDuration::from_secs(2);
    let waits = ["waiting for the agent", "waiting for the extension"];
    let gaps = case.anatomy.gaps.iter().filter(|gap| waits.contains(&gap.why) && gap.took() >= LONG);
    gaps.map(|gap| {
        let took = seconds(gap.took());
        let message = format!("{took} between {} and {}: {}", gap.after, gap.before, gap.why);
        let at = |interval: &&Interval| interval.name == gap.after || interval.name == gap.before;
        let places = case.work().filter(at).map(|it| it.evidence.clone()).take(QUOTED).collect();
        found(&gap.after, message, places)
    })
    .collect()
}

pub(super) fn apt_lock(case: &Case<'_>) -> Vec<Found> {
    from_signs(case, "apt-lock", "package manager", "another program held its lock")
}

pub(super) fn dns_failover(case: &Case<'_>) -> Vec<Found> {
    let slow = case.work().filter(|it| it.name.to_lowercase().contains("nslookup") && it.took() >= SLOW);
    let mut looked: Vec<Found> = slow
        .map(|it| {
            let (times, each) = (it.took().as_secs() / SLOW.as_secs(), SLOW.as_secs());
            let tries = if times == 1 { "a try".to_owned() } else { format!("{times} tries") };
            of(it, format!("took {}: as long as {tries} of {each} s without an answer", seconds(it.took())))
        })
        .collect();
    looked.extend(from_signs(case, "dns-failover", "name resolution", "a name was not resolved"));
    looked
}

pub(super) fn imds_retries(case: &Case<'_>) -> Vec<Found> {
    const SLOW_ANSWER: SignedDuration = SignedDuration::from_secs(2);
    let slow = case.work().filter(|it| it.name.to_lowercase().contains("imds") && it.took() >= SLOW_ANSWER);
    let mut looked: Vec<Found> =
        slow.map(|it| of(it, format!("the answer took {}", seconds(it.took())))).collect();
    looked.extend(from_signs(case, "imds-retries", "metadata service", "it did not answer"));
    looked
}

pub(super) fn registry_unreachable(case: &Case<'_>) -> Vec<Found> {
    // What the scripts exit with when they cannot reach the registry.
    const CODE: i64 = 50;
    let mut looked = from_signs(case, "registry-unreachable", "registry", "it did not answer");
    if looked.is_empty() && case.code() == Some(CODE) {
        looked.push(found(
            "registry",
            format!("the scripts gave up on it with exit code {CODE}"),
            Vec::new(),
        ));
    }
    looked
}

pub(super) fn cold_binary(case: &Case<'_>) -> Vec<Found> {
    let limit = |interval: &Interval| match (interval.phase, interval.name.as_str()) {
        (_, "kubelet loads") => Some(SignedDuration::from_secs(1)),
        (Phase::Containerd, _) => Some(SignedDuration::from_secs(3)),
        _ => None,
    };
    let exact = |it: &&Interval| it.certainty == Certainty::Measured;
    let cold = case.work().filter(exact);
    let cold = cold.filter(|it| it.critical && limit(it).is_some_and(|limit| it.took() >= limit));
    cold.map(|it| of(it, format!("{} until the program answered", seconds(it.took())))).collect()
}

pub(super) fn manager_reloads(case: &Case<'_>) -> Vec<Found> {
    const MANY: usize = 4;
    let reloads: Vec<&Interval> = case.work().filter(|interval| interval.phase == Phase::Manager).collect();
    if reloads.len() < MANY {
        return Vec::new();
    }
    let whole: SignedDuration = reloads.iter().map(|interval| interval.took()).sum();
    let places = reloads.iter().map(|interval| interval.evidence.clone()).take(QUOTED).collect();
    vec![found("daemon-reload", format!("{} times, {} together", reloads.len(), seconds(whole)), places)]
}

pub(super) fn slow_step(case: &Case<'_>) -> Vec<Found> {
    let step = |it: &&Interval| matches!(it.source, Source::Journal | Source::Event | Source::Trace);
    let good = |it: &&Interval| it.outcome.as_deref().is_none_or(|word| matches!(word, "done" | "unchanged"));
    let slow = case.work().filter(step).filter(good).filter(|it| it.critical && it.took() >= SLOW);
    slow.map(|it| of(it, format!("the node waited {} for it", seconds(it.took())))).collect()
}

pub(super) fn between_steps(case: &Case<'_>) -> Vec<Found> {
    let between = case.anatomy.gaps.iter().filter(|gap| gap.why == "between steps");
    let (count, whole) = between.fold((0, SignedDuration::ZERO), |(n, sum), gap| (n + 1, sum + gap.took()));
    if whole < SignedDuration::from_secs(1) {
        return Vec::new();
    }
    let message = format!("{} in {count} breaks", seconds(whole));
    vec![found("between steps", message, Vec::new())]
}

pub(super) fn unexplained_time(case: &Case<'_>) -> Vec<Found> {
    let known = ["waiting for the agent", "waiting for the extension", "between steps"];
    let gaps = case.anatomy.gaps.iter().filter(|gap| gap.took() >= GAP && !known.contains(&gap.why));
    gaps.map(|gap| {
        let (took, before) = (seconds(gap.took()), &gap.before);
        let message = format!("nothing known happened for {took} between it and {before} ({})", gap.why);
        found(&gap.after, message, Vec::new())
    })
    .collect()
}
