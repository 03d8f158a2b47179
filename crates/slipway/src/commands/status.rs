//! `slipway status`: how far the last attempt came, and how the node is.

use serde_json::{Value, json};
use slipway_apply::{ApplyError, LastAttempt, Status, StepStatus, status};
use slipway_host::{Host, UnitState};
use slipway_model::ExitReason;

use crate::cli::{Output, Status as Arguments};
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

/// The units by which a node stands.
pub(crate) const UNITS: [&str; 2] = ["containerd.service", "kubelet.service"];

pub(crate) fn print(
    arguments: &Arguments,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let status = status(&*host).map_err(unreadable)?;
    let units = units(&*host);
    match arguments.output {
        Output::Json => screen.json(&document(&status, &units)),
        Output::Text => {
            match &status.last {
                None => screen.line("this machine was never provisioned natively"),
                Some(last) => tell(last, status.attempts, screen),
            }
            for (name, state) in &units {
                screen.line(format_args!("{name}: {} ({})", state.active, state.sub));
            }
        }
    }
    Ok(Outcome::Done)
}

/// The records of earlier attempts cannot be read.
pub(crate) fn unreadable(error: ApplyError) -> Failure {
    Failure::machine("records-unreadable", "cannot read the records of earlier attempts", error)
        .with_hint("they are below /var/lib/slipway, for root alone")
}

/// The node's units, where the service manager knows them.
pub(crate) fn units(host: &dyn Host) -> Vec<(&'static str, UnitState)> {
    if !host.is_live() {
        return Vec::new();
    }
    let known =
        |name: &&'static str| host.unit(name).ok().filter(|state| state.exists).map(|state| (*name, state));
    UNITS.iter().filter_map(known).collect()
}

fn tell(last: &LastAttempt, attempts: usize, screen: &mut Screen) {
    let seconds = last.ended.map(|ended| ended.duration_since(last.began).as_secs_f64());
    let how = match (last.outcome.as_deref(), seconds) {
        (Some(outcome), Some(seconds)) => format!("{outcome} after {seconds:.2} s"),
        _ => "running, or killed".to_owned(),
    };
    screen.line(format_args!("attempt {attempts} ({}), begun {}: {how}", last.id, last.began));
    let count = |state: &str| last.steps.iter().filter(|step| step.state == state).count();
    let states = ["done", "unchanged", "degraded", "skipped", "failed", "running", "pending", "not-reached"];
    let counts: Vec<String> = states
        .into_iter()
        .filter(|state| count(state) > 0)
        .map(|state| format!("{} {state}", count(state)))
        .collect();
    screen.line(format_args!("  steps: {}", counts.join(", ")));
    for step in last.steps.iter().filter(|step| step.error.is_some() || step.state == "running") {
        let error = step.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        screen.line(format_args!("  {} {}{error}", step.id, step.state));
    }
    if let Some(failure) = &last.failure {
        let reason = ExitReason::of(i64::from(failure.code)).map_or("unknown", ExitReason::reason);
        screen.line(format_args!("  exit code {}, {reason}: {}", failure.code, failure.message));
        if let Some(hint) = &failure.hint {
            screen.line(format_args!("  hint: {hint}"));
        }
    }
}

fn document(status: &Status, units: &[(&str, UnitState)]) -> Value {
    let last = status.last.as_ref().map(|last| {
        json!({
            "attempt": last.id,
            "version": last.version,
            "plan": last.plan,
            "stages": last.stages,
            "began": last.began.to_string(),
            "ended": last.ended.map(|ended| ended.to_string()),
            "outcome": last.outcome,
            "failure": last.failure.as_ref().map(|failure| json!({
                "step": failure.step,
                "exit_code": failure.code,
                "reason": ExitReason::of(i64::from(failure.code)).map(ExitReason::reason),
                "message": failure.message,
                "hint": failure.hint,
            })),
            "steps": last.steps.iter().map(step).collect::<Vec<_>>(),
        })
    });
    let units: serde_json::Map<String, Value> = units
        .iter()
        .map(|(name, state)| ((*name).to_owned(), json!({ "active": state.active, "sub": state.sub })))
        .collect();
    json!({ "attempts": status.attempts, "last": last, "units": units })
}

fn step(step: &StepStatus) -> Value {
    json!({
        "id": step.id,
        "state": step.state,
        "began": step.began.map(|time| time.to_string()),
        "ended": step.ended.map(|time| time.to_string()),
        "changed": step.changed,
        "error": step.error,
        "waited_for": step.waited_for,
        "critical": step.critical,
    })
}
