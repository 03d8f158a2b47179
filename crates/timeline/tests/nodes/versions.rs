//! Lines in the shapes that real agents and extensions have, from one version to the next.

use slipway_timeline::evidence::{Kind, Span};
use slipway_timeline::{Anatomy, Evidence};

use super::{found, read};

fn agent(lines: &[&str]) -> Evidence {
    read("waagent.log", Kind::AgentLog, lines.join("\n").as_bytes())
}

/// Milliseconds that a span took.
fn took(span: &Span) -> i128 {
    span.end.wall.duration_since(span.start.wall).as_millis()
}

/// Names, milliseconds and outcomes of what ran.
fn ran(evidence: &Evidence) -> Vec<(&str, i128, Option<&str>)> {
    evidence.spans.iter().map(|span| (span.name.as_str(), took(span), span.outcome.as_deref())).collect()
}

fn happened(evidence: &Evidence) -> Vec<(&str, String)> {
    evidence.seen.iter().map(|seen| (seen.name, seen.time.wall.to_string())).collect()
}

const COMMAND: &str = "command of Microsoft.Azure.Extensions.CustomScript";

#[test]
fn an_agent_of_2017_has_slashes_in_its_dates_and_ends_a_command_by_an_event() {
    let evidence = agent(&[
        "2017/11/08 21:38:12.622125 INFO Azure Linux Agent Version:2.2.12",
        "2017/11/08 21:54:42.959541 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.3] Target handler state: enabled",
        "2017/11/08 21:54:42.986050 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.3] [Enable] current handler state is: notinstalled",
        "2017/11/08 21:54:43.154193 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.3] Initialize extension directory",
        "2017/11/08 21:54:46.000000 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.3] Enable extension [bin/custom-script-shim enable]",
        "2017/11/08 21:54:47.250000 INFO Event: name=Microsoft.Azure.Extensions.CustomScript, op=Enable, message=Launch command succeeded: bin/custom-script-shim enable, duration=0",
        "2017/11/08 21:54:47.300000 INFO Event: name=WALinuxAgent, op=HeartBeat, message=, duration=0",
    ]);
    assert_eq!(
        happened(&evidence),
        [
            ("guest-agent-started", "2017-11-08T21:38:12.622125Z".to_owned()),
            ("extension-requested", "2017-11-08T21:54:42.959541Z".to_owned()),
            ("extension-initialized", "2017-11-08T21:54:43.154193Z".to_owned()),
            ("extension-enabled", "2017-11-08T21:54:46Z".to_owned()),
        ]
    );
    assert_eq!(ran(&evidence), [(COMMAND, 1_250, Some("done"))]);
    let older = "2016/12/07 15:31:20.464738 INFO [Microsoft.OSTCExtensions.CustomScriptForLinux-1.5.2.1] Expected handler state: enabled";
    assert_eq!(happened(&agent(&[older]))[0].0, "extension-requested");
}

#[test]
fn an_agent_of_2018_says_how_long_its_goal_state_took_and_not_when_a_command_ended() {
    let evidence = agent(&[
        "2018/08/08 17:03:41.663160 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.6] Target handler state: enabled",
        "2018/08/08 17:03:41.773793 INFO [Microsoft.Azure.Extensions.CustomScript-2.0.6] Enable extension [bin/custom-script-shim enable]",
        "2018/08/08 17:03:41.820681 INFO ExtHandler Move process 1496 into cgroups for extension Microsoft.Azure.Extensions.CustomScript",
        "2018/08/08 17:03:42.899846 INFO ExtHandler ProcessGoalState completed [incarnation 4; 1377 ms]",
    ]);
    assert_eq!(ran(&evidence), [("goal state", 1_377, None)]);
}

#[test]
fn an_agent_of_2020_writes_the_same_in_its_log_and_in_syslog_and_it_counts_once() {
    let lines = [
        "2020-03-02T23:25:56.109771Z INFO ExtHandler ExtHandler WALinuxAgent-2.2.46 running as process 6134",
        "2020-03-02T23:25:56.490559Z INFO ExtHandler [Microsoft.OSTCExtensions.CustomScriptForLinux-1.5.5] Target handler state: enabled [incarnation 1]",
        "2020-03-02T23:25:56.509056Z INFO ExtHandler [Microsoft.OSTCExtensions.CustomScriptForLinux-1.5.5] Enable extension [shim.sh -enable]",
        "2020-03-02T23:26:02.772847Z INFO ExtHandler ExtHandler ProcessGoalState completed [incarnation 1; 6326 ms]",
    ];
    let logged = lines.map(|line| format!("Mar  2 23:26:02 aks-nodepool1-vmss000000 python3[6134]: {line}"));
    let logged = read("syslog", Kind::AgentLog, logged.join("\n").as_bytes());
    let own = agent(&lines);
    assert_eq!((ran(&logged), happened(&logged)), (ran(&own), happened(&own)));
    let both = Anatomy::of([own, logged].into_iter().collect());
    assert_eq!(both.intervals.iter().filter(|interval| interval.name == "goal state").count(), 1);
}

#[test]
fn an_agent_of_today_quotes_what_a_command_printed_below_its_line() {
    let evidence = agent(&[
        "2023-04-07T04:09:08.000001Z INFO Daemon Daemon Azure Linux Agent Version:2.2.46",
        "2023-04-07T04:09:19.906673Z INFO ExtHandler ExtHandler Azure Linux Agent (Goal State Agent version 2.9.0.4)",
        "2023-04-07T04:09:19.950000Z INFO ExtHandler ExtHandler ",
        "2023-04-07T04:09:20.100000Z INFO ExtHandler ExtHandler ProcessExtensionsGoalState started [incarnation_2 channel: WireServer source: Fabric activity: ad238f15 correlation cc8b08e svd_seqNo: 1]",
        "2023-04-07T04:09:20.200000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.3] Target handler state: enabled [incarnation_2]",
        "2023-04-07T04:09:20.300000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.3] Initializing extension Microsoft.Azure.Extensions.CustomScript-2.1.3",
        "2023-04-07T04:09:22.000000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.3] Enable extension: [bin/custom-script-shim enable]",
        "2023-04-07T04:09:22.100000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.3] Executing command: /var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.3/bin/custom-script-shim enable with environment variables: {\"ConfigSequenceNumber\": \"0\"}",
        "2023-04-07T04:09:24.110000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.3] Command: bin/custom-script-shim enable",
        "[stdout]",
        "+ nohup /var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.3/bin/custom-script-extension enable",
        "time=2023-04-07T04:09:22Z version=v2.1.3/git@4cd2b9f-clean operation=enable seq=0 event=\"executing command\" output=/var/lib/waagent/custom-script/download/0",
        "[stderr]",
        "Running scope as unit: enable_6658155c-d541-4cb3-8ef2-e79200ae8094.scope",
        "2023-04-07T04:09:24.648362Z INFO ExtHandler ExtHandler ProcessExtensionsGoalState completed [incarnation_2 4426 ms]",
        "",
        "2023-04-07T04:09:24.740492Z INFO ExtHandler ExtHandler [HEARTBEAT] Agent WALinuxAgent-2.9.0.4 is running as the goal state agent [DEBUG HeartbeatCounter: 0;DroppedPackets: 0]",
        "2023-04-07T04:15:24.000000Z INFO ExtHandler ExtHandler ProcessExtensionsGoalState completed [etag_2824367392948713696 73 ms]",
        "2023-04-07T04:16:24.000000Z ERROR ExtHandler ExtHandler ProcessExtensionsGoalState failed [incarnation_3 12 ms]",
    ]);
    assert_eq!(
        ran(&evidence),
        [
            (COMMAND, 2_010, Some("done")),
            ("goal state", 4_426, None),
            ("goal state", 73, None),
            ("goal state", 12, Some("failed")),
        ]
    );
    let anatomy = Anatomy::of(evidence);
    for (name, expected) in [
        ("guest-agent-started", "2023-04-07T04:09:08.000001Z"),
        // Not the heartbeat, which comes after the goal state was dealt with.
        ("guest-agent-running", "2023-04-07T04:09:19.906673Z"),
        ("extension-initialized", "2023-04-07T04:09:20.3Z"),
        ("extension-enabled", "2023-04-07T04:09:22Z"),
        ("extension-command-started", "2023-04-07T04:09:22Z"),
    ] {
        assert_eq!(anatomy.milestones[name].to_string(), expected, "{name}");
    }
}

#[test]
fn a_command_that_failed_is_told_of_and_one_without_an_end_keeps_nobody_from_becoming_a_node() {
    let began = "2023-04-07T04:09:22.100000Z INFO ExtHandler [Microsoft.Azure.Extensions.CustomScript-2.1.3] Executing command: bin/custom-script-shim enable with environment variables: {}";
    let later = "2023-04-07T04:09:52.100000Z INFO ExtHandler ExtHandler [HEARTBEAT] Agent is alive";
    let open = agent(&[began, later]);
    assert_eq!(ran(&open), [(COMMAND, 30_000, None)]);
    assert!(!found(&Anatomy::of(open)).contains(&"step-failed"));
    let failed = "2023-04-07T04:09:24.100000Z ERROR ExtHandler ExtHandler Event: name=Microsoft.Azure.Extensions.CustomScript, op=Enable, message=[ExtensionOperationError] Non-zero exit code: 51, bin/custom-script-shim enable";
    let failed = agent(&[began, failed, later]);
    assert_eq!(ran(&failed), [(COMMAND, 2_000, Some("failed"))]);
    assert!(found(&Anatomy::of(failed)).contains(&"step-failed"));
}

#[test]
fn a_status_of_cloud_init_is_read_as_it_is_kept_and_as_it_is_printed() {
    let stages = r#""init": {"start": 1680840562.5, "finished": 1680840563.5, "errors": []}, "init-local": {"start": 1680840560.5, "finished": 1680840561.0, "errors": []}, "modules-config": {"start": null, "finished": null, "errors": []}, "stage": "modules-config""#;
    let kept = format!("{{\"v1\": {{{stages}}}}}");
    let printed = format!("{{\"boot_status_code\": \"enabled-by-generator\", \"errors\": [], {stages}}}");
    for (name, text) in [("run/cloud-init/status.json", kept), ("cloud-init-status.json", printed)] {
        let kind = Kind::of(name, text.as_bytes()).unwrap();
        let evidence = read(name, kind, text.as_bytes());
        assert_eq!(
            ran(&evidence),
            [
                ("cloud-init init-network", 1_000, Some("success")),
                ("cloud-init init-local", 500, Some("success"))
            ],
            "{name}"
        );
    }
}

#[test]
fn a_level_in_what_a_line_says_is_not_its_level() {
    let line = "2024-09-30T04:34:07.768951Z WARNING ExtHandler ExtHandler Failed to get http://169.254.169.254/metadata: INFO is all there is";
    assert_eq!(agent(&[line]).signs[0].id, "imds-retries");
}

fn handler(events: &[(&str, &str)]) -> Evidence {
    let line = |(second, event): &(&str, &str)| {
        format!(
            "time=2023-04-07T04:09:{second}Z version=v2.1.3/git@4cd2b9f-clean operation=enable seq=0 {event}\n"
        )
    };
    let lines: String = events.iter().map(line).collect();
    let began = "+ nohup /var/lib/waagent/Microsoft.Azure.Extensions.CustomScript-2.1.3/bin/custom-script-extension enable\n";
    read("handler.log", Kind::ExtensionLog, format!("{began}{lines}").as_bytes())
}

const BEGINS: [(&str, &str); 6] = [
    ("22", "event=start"),
    ("22", "event=pre-check"),
    ("22", "event=\"comparing seqnum\" path=mrseq"),
    ("22", "event=\"creating output directory\" path=/var/lib/waagent/custom-script/download/0"),
    ("23", "event=\"executing command\" output=/var/lib/waagent/custom-script/download/0"),
    ("23", "event=\"executing protected commandToExecute\" output=/var/lib/waagent/custom-script/download/0"),
];

#[test]
fn an_extension_that_did_its_work_has_a_command_within_its_operation() {
    let ends = [
        ("41", "event=\"executed command\" output=/var/lib/waagent/custom-script/download/0"),
        ("41", "event=enabled"),
        ("42", "event=end"),
    ];
    let evidence = handler(&[&BEGINS[..], &ends].concat());
    assert_eq!(ran(&evidence), [("extension command", 18_000, None), ("extension enable", 20_000, None)]);
    assert!(evidence.spans.iter().all(|span| span.envelope) && evidence.problems.is_empty());
}

#[test]
fn an_extension_that_failed_never_says_end_and_is_told_of_all_the_same() {
    let ends = [
        (
            "36",
            "event=\"failed to execute command\" error=\"command terminated with exit status=100\" output=/var/lib/waagent/custom-script/download/0",
        ),
        (
            "36",
            "event=\"failed to handle\" error=\"failed to execute command: command terminated with exit status=100\"",
        ),
    ];
    let evidence = handler(&[&BEGINS[..], &ends].concat());
    assert_eq!(
        ran(&evidence),
        [("extension command", 13_000, Some("failed")), ("extension enable", 14_000, Some("failed")),]
    );
    assert!(found(&Anatomy::of(evidence)).contains(&"step-failed"));
}

#[test]
fn an_extension_that_runs_still_has_not_failed_and_one_that_has_nothing_to_do_ends_at_once() {
    let running = handler(&BEGINS);
    assert_eq!(
        ran(&running),
        [("extension command", 0, Some("unfinished")), ("extension enable", 1_000, Some("unfinished"))]
    );
    assert!(!found(&Anatomy::of(running)).contains(&"step-failed"));
    let again = [
        ("52", "event=start"),
        ("52", "event=pre-check"),
        (
            "52",
            "event=exit message=\"the script configuration has already been processed, will not run again\"",
        ),
    ];
    assert_eq!(ran(&handler(&again)), [("extension enable", 0, None)]);
}
