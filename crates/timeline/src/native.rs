//! The result of a native attempt: every key that the scripts write, in their order and as strings, then our own.

use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use slipway_model::{Blame, ExitReason};

use crate::boot::{BootMoments, as_date, as_systemd};
use crate::event::{EventLevel, TaskEvent};
use crate::html_escaped;

/// What the scripts keep of their output, in bytes.
const OUTPUT_BYTES: usize = 3_000;

/// How a native attempt ended.
#[derive(Debug, Clone)]
pub struct NativeResult {
    /// Which attempt it was.
    pub attempt: String,
    /// Why there is no node; `None` where there is one.
    pub failure: Option<Failed>,
    /// When it began.
    pub began: Zoned,
    /// When it ended.
    pub ended: Zoned,
    /// When kubelet said that the node is Ready.
    pub ready: Option<Zoned>,
    /// The boot before it.
    pub boot: BootMoments,
    /// Each step, in the order of the plan.
    pub steps: Vec<StepResult>,
    /// What of the contract could not be used.
    pub contract_issues: Option<String>,
}

/// Why there is no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The reason, which has a code.
    pub reason: ExitReason,
    /// Who has to act.
    pub blame: Blame,
    /// What was being done and what was found.
    pub message: String,
    /// What to try.
    pub hint: String,
}

impl Failed {
    /// A failure whose blame and hint are those of its reason.
    pub fn new(reason: ExitReason, message: impl Into<String>) -> Self {
        Self { reason, blame: reason.blame(), message: message.into(), hint: reason.hint().to_owned() }
    }
}

/// How a step ended, as results carry it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepResult {
    /// Its name.
    pub id: String,
    /// `done`, `unchanged`, `failed`, `degraded`, `skipped`, `not-reached`.
    pub outcome: String,
    /// When it began; `None` where it did not.
    pub start: Option<Timestamp>,
    /// When it ended.
    pub end: Option<Timestamp>,
    /// How many operations changed something.
    pub changed: usize,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Document<'a> {
    exit_code: String,
    output: &'a str,
    error: &'a str,
    exec_duration: String,
    kernel_start_time: String,
    cloud_init_local_start_time: String,
    cloud_init_start_time: String,
    cloud_final_start_time: String,
    networkd_start_time: String,
    #[serde(rename = "CSEStartTime")]
    cse_start_time: String,
    guest_agent_start_time: String,
    systemd_summary: String,
    boot_datapoints: BootDatapoints,
    mode: &'static str,
    attempt_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blame: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    steps: &'a [StepResult],
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_issues: Option<&'a str>,
}

#[derive(Serialize)]
struct BootDatapoints {
    #[serde(rename = "KernelStartTime")]
    kernel: String,
    #[serde(rename = "CSEStartTime")]
    cse: String,
    #[serde(rename = "GuestAgentStartTime")]
    guest_agent: String,
    #[serde(rename = "KubeletStartTime")]
    kubelet: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Start {
    exit_code: String,
    #[serde(rename = "E2E")]
    end_to_end: String,
    kernel_start_time: String,
    cloud_init_local_start_time: String,
    cloud_init_start_time: String,
    cloud_final_start_time: String,
    networkd_start_time: String,
    guest_agent_start_time: String,
    kubelet_start_time: String,
    kubelet_ready_time: String,
    scriptless_mode: &'static str,
}

impl NativeResult {
    /// The exit code, 0 for a node.
    pub fn exit_code(&self) -> i16 {
        self.failure.as_ref().map_or(0, |failed| failed.reason.code())
    }

    /// The file's content.
    pub fn json(&self) -> String {
        let boot = &self.boot;
        let output = self.output();
        let kernel = as_systemd(boot.kernel.as_ref());
        let agent = as_systemd(boot.guest_agent.as_ref());
        let document = Document {
            exit_code: self.exit_code().to_string(),
            output: &output,
            error: self.failure.as_ref().map_or("", |failed| &failed.message),
            exec_duration: self.seconds().to_string(),
            kernel_start_time: kernel.clone(),
            cloud_init_local_start_time: as_systemd(boot.cloud_init_local.as_ref()),
            cloud_init_start_time: as_systemd(boot.cloud_init.as_ref()),
            cloud_final_start_time: as_systemd(boot.cloud_final.as_ref()),
            networkd_start_time: as_systemd(boot.networkd.as_ref()),
            cse_start_time: as_date(&self.began),
            guest_agent_start_time: agent.clone(),
            systemd_summary: self.summary(),
            boot_datapoints: BootDatapoints {
                kernel,
                cse: as_date(&self.began),
                guest_agent: agent,
                kubelet: as_systemd(boot.kubelet.as_ref()),
            },
            mode: "native",
            attempt_id: &self.attempt,
            reason: self.failure.as_ref().map(|failed| failed.reason.reason()),
            blame: self.failure.as_ref().map(|failed| failed.blame.word()),
            hint: self.failure.as_ref().map(|failed| failed.hint.as_str()),
            steps: &self.steps,
            contract_issues: self.contract_issues.as_deref(),
        };
        // Strings always have a JSON form.
        html_escaped(&serde_json::to_string(&document).unwrap_or_default())
    }

    /// The events: one for each step that ran, and the one by which the scripts say that they have ended.
    pub fn events(&self) -> Vec<TaskEvent> {
        let zone = self.began.time_zone();
        let of_step = |step: &StepResult| {
            let (start, end) = (step.start?.to_zoned(zone.clone()), step.end?.to_zoned(zone.clone()));
            let (level, message) = match &step.error {
                None => (
                    EventLevel::Informational,
                    format!("Completed: {}, {} changed", step.outcome, step.changed),
                ),
                Some(error) => (EventLevel::Error, format!("{}: {error}", capital(&step.outcome))),
            };
            Some(TaskEvent { task: format!("AKS.Slipway.{}", step.id), level, message, start, end })
        };
        let mut events: Vec<TaskEvent> = self.steps.iter().filter_map(of_step).collect();
        let boot = &self.boot;
        let start = Start {
            exit_code: self.exit_code().to_string(),
            end_to_end: self.seconds().to_string(),
            kernel_start_time: as_systemd(boot.kernel.as_ref()),
            cloud_init_local_start_time: as_systemd(boot.cloud_init_local.as_ref()),
            cloud_init_start_time: as_systemd(boot.cloud_init.as_ref()),
            cloud_final_start_time: as_systemd(boot.cloud_final.as_ref()),
            networkd_start_time: as_systemd(boot.networkd.as_ref()),
            guest_agent_start_time: as_systemd(boot.guest_agent.as_ref()),
            kubelet_start_time: as_systemd(boot.kubelet.as_ref()),
            kubelet_ready_time: as_systemd(self.ready.as_ref()),
            scriptless_mode: "native",
        };
        events.push(TaskEvent {
            task: "AKS.CSE.cse_start".to_owned(),
            level: if self.failure.is_none() { EventLevel::Informational } else { EventLevel::Error },
            message: serde_json::to_string(&start).unwrap_or_default(),
            start: self.began.clone(),
            end: self.ended.clone(),
        });
        events
    }

    fn seconds(&self) -> i64 {
        self.ended.timestamp().as_second() - self.began.timestamp().as_second()
    }

    /// A line for each step that is worth one, the last of them where they are too many.
    fn output(&self) -> String {
        let line = |step: &StepResult| {
            let error = step.error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
            format!("{}: {}{error}\n", step.id, step.outcome)
        };
        let mut text: String =
            self.steps.iter().filter(|step| step.outcome != "unchanged").map(line).collect();
        let from = text.ceil_char_boundary(text.len().saturating_sub(OUTPUT_BYTES));
        text.split_off(from)
    }

    /// The boot in the words of `systemd-analyze`, once it has ended.
    fn summary(&self) -> String {
        let BootMoments {
            kernel: Some(kernel), userspace: Some(userspace), finished: Some(finished), ..
        } = &self.boot
        else {
            return String::new();
        };
        let between =
            |from: &Zoned, to: &Zoned| to.timestamp().duration_since(from.timestamp()).as_secs_f64();
        format!(
            "Startup finished in {:.3}s (kernel) + {:.3}s (userspace) = {:.3}s",
            between(kernel, userspace),
            between(userspace, finished),
            between(kernel, finished)
        )
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{attempts, judge};

    fn result(failure: Option<Failed>) -> NativeResult {
        let time = |text: &str| text.parse::<Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        let began = time("2026-11-15T20:17:43.25Z");
        let step = |id: &str, outcome: &str, error: Option<&str>| StepResult {
            id: id.to_owned(),
            outcome: outcome.to_owned(),
            start: Some(began.timestamp()),
            end: Some("2026-11-15T20:17:44.5Z".parse().unwrap()),
            changed: 2,
            error: error.map(str::to_owned),
        };
        NativeResult {
            attempt: "a1".to_owned(),
            steps: vec![
                step("cni", "done", None),
                step("start-kubelet", "failed", failure.as_ref().map(|failed| failed.message.as_str())),
            ],
            failure,
            ended: time("2026-11-15T20:17:52.25Z"),
            began: began.clone(),
            ready: None,
            boot: BootMoments {
                kernel: Some(time("2026-11-15T20:17:30Z")),
                kubelet: Some(time("2026-11-15T20:17:45Z")),
                ..BootMoments::default()
            },
            contract_issues: None,
        }
    }

    #[test]
    fn the_keys_of_the_scripts_come_first_as_strings_then_our_own() {
        let json = result(Some(Failed::new(ExitReason::UnitStart, "it <died>"))).json();
        let begin = concat!(
            r#"{"ExitCode":"4","Output":"cni: done\nstart-kubelet: failed: it \u003cdied\u003e\n","Error":"it \u003cdied\u003e","#,
            r#""ExecDuration":"9","KernelStartTime":"Sun 2026-11-15 20:17:30 UTC","CloudInitLocalStartTime":"","#,
            r#""CloudInitStartTime":"","CloudFinalStartTime":"","NetworkdStartTime":"","#,
            r#""CSEStartTime":"Sun Nov 15 20:17:43 UTC 2026","GuestAgentStartTime":"","SystemdSummary":"","#,
            r#""BootDatapoints":{"KernelStartTime":"Sun 2026-11-15 20:17:30 UTC","CSEStartTime":"Sun Nov 15 20:17:43 UTC 2026","#,
            r#""GuestAgentStartTime":"","KubeletStartTime":"Sun 2026-11-15 20:17:45 UTC"},"Mode":"native","AttemptId":"a1","#,
            r#""Reason":"unit-start-failed","Blame":"machine","Hint":""#,
        );
        assert!(json.starts_with(begin), "{json}");
        assert!(json.contains(concat!(
            r#""Steps":[{"id":"cni","outcome":"done","start":"2026-11-15T20:17:43.25Z","#,
            r#""end":"2026-11-15T20:17:44.5Z","changed":2},"#
        )));
        assert_eq!(judge(json.as_bytes()).unwrap_err().exit_code, Some(4));
    }

    #[test]
    fn what_is_written_is_understood_when_it_is_read_back() {
        let json = result(Some(Failed::new(ExitReason::UnitStart, "it died"))).json();
        let attempt = &attempts(json.as_bytes())[0];
        assert_eq!((attempt.attempt.as_str(), attempt.mode.as_str()), ("a1", "native"));
        assert_eq!(attempt.steps.len(), 2);
        assert_eq!(
            attempt.moments.iter().map(|moment| moment.key).collect::<Vec<_>>(),
            ["KernelStartTime", "CSEStartTime", "KubeletStartTime"]
        );
        assert_eq!(judge(result(None).json().as_bytes()), Ok(()));
    }

    #[test]
    fn each_step_that_ran_is_an_event_and_the_last_is_the_scripts_own() {
        let events = result(None).events();
        let tasks: Vec<&str> = events.iter().map(|event| event.task.as_str()).collect();
        assert_eq!(tasks, ["AKS.Slipway.cni", "AKS.Slipway.start-kubelet", "AKS.CSE.cse_start"]);
        let message: serde_json::Value = serde_json::from_str(&events[2].message).unwrap();
        assert_eq!((&message["ExitCode"], &message["E2E"]), (&"0".into(), &"9".into()));
    }
}
