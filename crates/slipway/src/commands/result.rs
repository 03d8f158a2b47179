//! `slipway result` and `slipway exit-code`: what a result of provisioning means.

use serde::Serialize;
use slipway_model::ExitReason;
use slipway_timeline::{Attempt, Moment, StepResult, attempts};

use crate::Outcome;
use crate::cli::{ExitCode, Output, ResultFile};
use crate::failure::Failure;
use crate::files;
use crate::screen::Screen;

/// How many lines of a script's output are shown.
const LINES: usize = 10;

const UNKNOWN: &str =
    "the codes are listed in docs/reference/exit-codes.md; image builds and older scripts have more";

pub(crate) fn explain(arguments: &ResultFile, screen: &mut Screen) -> Result<Outcome, Failure> {
    let input = files::read(&arguments.file)?;
    let attempts = attempts(&input.text);
    if attempts.is_empty() {
        return Err(Failure::input(
            "not-a-result",
            format!("cannot read {}", input.name),
            "there is no result of provisioning in it",
        )
        .with_hint(
            "it takes provision.json, an extension's status text with [stdout], or an instance view",
        ));
    }
    let succeeded = attempts.iter().all(Attempt::succeeded);
    match arguments.output {
        Output::Text => {
            for (index, attempt) in attempts.iter().enumerate() {
                if index > 0 {
                    screen.line("");
                }
                explain_attempt(attempt, screen);
            }
        }
        Output::Json => {
            screen.json(&Report { succeeded, attempts: attempts.iter().map(AttemptReport::new).collect() });
        }
    }
    Ok(if succeeded { Outcome::Done } else { Outcome::Negative })
}

pub(crate) fn exit_code(arguments: &ExitCode, screen: &mut Screen) -> Result<Outcome, Failure> {
    let code = arguments.code;
    match (ExitReason::of(code), arguments.output) {
        (None, Output::Text) if code == 0 => screen.line("0: provisioning succeeded"),
        (None, Output::Json) if code == 0 => {
            screen.json(&CodeReport { exit_code: 0, succeeded: true, reason: None });
        }
        (None, _) => {
            return Err(Failure::input(
                "unknown-exit-code",
                format!("cannot explain {code}"),
                "nobody gives this exit code",
            )
            .with_hint(UNKNOWN));
        }
        (Some(reason), Output::Text) => {
            screen.line(format_args!("{code}: {} [{}]", reason.reason(), reason.blame()));
            explain_reason(reason, screen);
        }
        (Some(reason), Output::Json) => {
            screen.json(&CodeReport {
                exit_code: code,
                succeeded: false,
                reason: Some(ReasonReport::new(reason)),
            });
        }
    }
    Ok(Outcome::Done)
}

fn explain_attempt(attempt: &Attempt, screen: &mut Screen) {
    if !attempt.place.is_empty() {
        screen.line(format_args!("{}:", attempt.place));
    }
    let reason = attempt.exit_code.and_then(ExitReason::of);
    match (attempt.exit_code, reason) {
        (Some(0), _) => screen.line("provisioning succeeded"),
        (Some(code), Some(reason)) => {
            let (name, blame) = (reason.reason(), reason.blame());
            screen.line(format_args!("provisioning failed: exit code {code}, {name} [{blame}]"));
            explain_reason(reason, screen);
        }
        (Some(code), None) => {
            screen.line(format_args!("provisioning failed: exit code {code}, which nobody is known to give"));
            screen.line(format_args!("  hint: {UNKNOWN}"));
        }
        (None, _) => {
            screen.line("provisioning did not succeed: the result has no usable exit code");
            screen.line("  hint: the result may have been read while it was written, or changed by hand");
        }
    }
    if attempt.cut {
        screen.line(
            "  the extension cut off the beginning of the result; provision.json on the node has all of it",
        );
    }
    if !attempt.succeeded() {
        listed("error", attempt.error.lines().filter(|line| !line.trim().is_empty()).take(LINES), screen);
        listed("last lines of the output", attempt.telling_lines(LINES), screen);
    }
    let troubled = attempt.steps.iter().filter(|step| step.error.is_some());
    let steps: Vec<String> = troubled
        .map(|step| format!("{}: {}: {}", step.id, step.outcome, step.error.as_deref().unwrap_or_default()))
        .collect();
    listed("steps", steps.iter().map(String::as_str), screen);
    let times = times(attempt);
    listed("time", times.iter().map(String::as_str), screen);
    listed("boot", attempt.boot_summary.lines().map(str::trim), screen);
}

fn explain_reason(reason: ExitReason, screen: &mut Screen) {
    screen.line(format_args!("  {}", reason.meaning()));
    if let Some(name) = reason.script_name() {
        screen.line(format_args!("  the scripts call it {name}"));
    }
    screen.line(format_args!("  hint: {}", reason.hint()));
}

fn listed<'a>(title: &str, lines: impl IntoIterator<Item = &'a str>, screen: &mut Screen) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_some() {
        screen.line(format_args!("{title}:"));
    }
    for line in lines {
        screen.line(format_args!("  {line}"));
    }
}

/// The table of times: what began when, and how long after the first of them.
fn times(attempt: &Attempt) -> Vec<String> {
    let after = |moment: &Moment| match attempt.moments.first() {
        Some(first) => moment.time.duration_since(first.time).as_secs(),
        None => 0,
    };
    let mut rows: Vec<String> = attempt
        .moments
        .iter()
        .map(|moment| {
            let time = moment.time.strftime("%Y-%m-%d %H:%M:%S");
            let what =
                if is_native(attempt) && moment.key == "CSEStartTime" { "slipway" } else { moment.what };
            format!("{what:<18} {time}  +{} s", after(moment))
        })
        .collect();
    let ran = if is_native(attempt) { "slipway ran" } else { "scripts ran" };
    rows.extend(attempt.duration_seconds.map(|seconds| format!("{ran:<18} {seconds} s")));
    rows
}

fn is_native(attempt: &Attempt) -> bool {
    attempt.mode == "native"
}

#[derive(Serialize)]
struct Report<'a> {
    succeeded: bool,
    attempts: Vec<AttemptReport<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptReport<'a> {
    place: &'a str,
    succeeded: bool,
    exit_code: Option<i64>,
    #[serde(flatten)]
    reason: Option<ReasonReport>,
    error: &'a str,
    output: &'a str,
    cut: bool,
    duration_seconds: Option<i64>,
    times: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "str::is_empty")]
    mode: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    attempt_id: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    steps: &'a [StepResult],
}

impl<'a> AttemptReport<'a> {
    fn new(attempt: &'a Attempt) -> Self {
        let time = |moment: &Moment| (moment.key.to_owned(), moment.time.to_string().into());
        Self {
            place: &attempt.place,
            succeeded: attempt.succeeded(),
            exit_code: attempt.exit_code,
            reason: attempt.exit_code.and_then(ExitReason::of).map(ReasonReport::new),
            error: &attempt.error,
            output: &attempt.output,
            cut: attempt.cut,
            duration_seconds: attempt.duration_seconds,
            times: attempt.moments.iter().map(time).collect(),
            mode: &attempt.mode,
            attempt_id: &attempt.attempt,
            steps: &attempt.steps,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeReport {
    exit_code: i64,
    succeeded: bool,
    #[serde(flatten)]
    reason: Option<ReasonReport>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReasonReport {
    reason: &'static str,
    blame: &'static str,
    meaning: &'static str,
    hint: &'static str,
    script_name: Option<&'static str>,
}

impl ReasonReport {
    fn new(reason: ExitReason) -> Self {
        Self {
            reason: reason.reason(),
            blame: reason.blame().word(),
            meaning: reason.meaning(),
            hint: reason.hint(),
            script_name: reason.script_name(),
        }
    }
}
