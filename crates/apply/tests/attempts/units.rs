//! Units, kernel settings, programs and downloads of a running machine.

use std::path::Path;
use std::time::Duration;

use slipway_host::{Host, Recorded};
use slipway_model::{Attributes, Secret, Verb};
use slipway_plan::{Action, Artifact, Move, Plan, Program, Setting};

use crate::site::{apply, file, plan, reset, step, timeless, tree, unit, words};

const UNIT: &str = "[Service]\nExecStart=/bin/kubelet\n[Install]\nWantedBy=multi-user.target\n";

fn kubelet(config: &str) -> Plan {
    plan(vec![
        step("config", &[], vec![file("/etc/kubelet", 0o644, config)]),
        step("unit", &[], vec![file("/etc/systemd/system/kubelet.service", 0o644, UNIT)]),
        step("reload-units", &["unit"], vec![Action::ReloadUnits]),
        step(
            "start",
            &["config", "reload-units"],
            vec![unit("kubelet.service", Some(Verb::Restart), Some(true))],
        ),
    ])
}

fn jobs(host: &Recorded) -> Vec<String> {
    let calls = host.changes();
    host.forget_calls();
    calls.into_iter().filter(|call| call.starts_with("job") || call == "reload-units").collect()
}

#[test]
fn a_unit_is_restarted_when_what_it_needs_changed_and_only_then() {
    let host = Recorded::live();
    apply(&kubelet("a"), &host);
    assert_eq!(jobs(&host), ["reload-units", "job kubelet.service restart"]);
    let wants = Path::new("/etc/systemd/system/multi-user.target.wants/kubelet.service");
    assert_eq!(host.read_link(wants).unwrap(), Path::new("/etc/systemd/system/kubelet.service"));
    assert_eq!(apply(&kubelet("a"), &host).changed(), 0);
    assert_eq!(jobs(&host), Vec::<String>::new());
    apply(&kubelet("b"), &host);
    assert_eq!(jobs(&host), ["job kubelet.service restart"]);
}

#[test]
fn a_restart_that_an_earlier_attempt_owed_is_made_up_for() {
    let host = Recorded::live();
    apply(&kubelet("a"), &host);
    let mut stopped = crate::site::options(1);
    stopped.skip = ["start".to_owned(), "reload-units".to_owned()].into();
    let run = slipway_apply::apply(
        &kubelet("b"),
        &host,
        &crate::site::Nowhere,
        &stopped,
        &slipway_apply::Unwatched,
        &|| false,
    );
    assert_eq!(run.unwrap().changed(), 1);
    host.forget_calls();
    let attempt = apply(&kubelet("b"), &host);
    assert_eq!(jobs(&host), ["job kubelet.service restart"]);
    assert_eq!(words(&attempt)[3], ("start", "done"));
}

#[test]
fn a_unit_that_the_machine_itself_started_before_we_came_to_it_is_stopped_by_a_reset() {
    for theirs in [false, true] {
        let host = Recorded::live();
        let host = if theirs {
            host.with_files([("/usr/lib/systemd/system/kubelet.service", UNIT, 0o644)])
        } else {
            host
        };
        let mut cut_short = crate::site::options(1);
        cut_short.skip = ["start".to_owned()].into();
        let (outside, watch) = (&crate::site::Nowhere, &slipway_apply::Unwatched);
        slipway_apply::apply(&kubelet("a"), &host, outside, &cut_short, watch, &|| false).unwrap();
        host.job("kubelet.service", Verb::Start, None).unwrap();
        let start = plan(vec![step("start", &[], vec![unit("kubelet.service", Some(Verb::Start), None)])]);
        apply(&start, &host);
        jobs(&host);
        reset(&host);
        assert_eq!(jobs(&host).contains(&"job kubelet.service stop".to_owned()), !theirs);
    }
}

#[test]
fn a_unit_that_will_not_start_fails_its_step_and_the_next_run_tries_again() {
    let host = Recorded::live().with_failing_unit("kubelet.service");
    let plan = plan(vec![step("start", &[], vec![unit("kubelet.service", Some(Verb::Start), None)])]);
    for _ in 0..2 {
        let attempt = apply(&plan, &host);
        assert_eq!(words(&attempt), [("start", "failed")]);
        let hint = attempt.failure.unwrap().problem.hint.unwrap();
        assert!(hint.contains("journalctl -u kubelet.service"), "{hint}");
    }
}

#[test]
fn below_a_root_nothing_is_asked_of_a_running_system() {
    let host = Recorded::below();
    let attempt = apply(&kubelet("a"), &host);
    assert_eq!(attempt.failure, None, "{attempt:?}");
    assert_eq!(jobs(&host), Vec::<String>::new());
    assert_eq!(apply(&kubelet("a"), &host).changed(), 0);
}

#[test]
fn what_ran_before_and_the_kernels_settings_go_back_as_well() {
    let setting = |path: &str, value: &str, required| {
        Action::Setting(Setting { path: path.into(), value: value.to_owned(), required })
    };
    let program = Program {
        path: "/bin/ctr".into(),
        arguments: vec!["run".to_owned()],
        input: None,
        within: Duration::from_secs(1),
        repeatable: false,
        undo: Some(("/bin/ctr".into(), vec!["rm".to_owned()])),
    };
    let plan = plan(vec![
        step(
            "kernel",
            &[],
            vec![
                setting("/proc/sys/vm/max_map_count", "262144", true),
                setting("/sys/kernel/mm/transparent_hugepage/enabled", "never", true),
                setting("/proc/sys/not/here", "1", false),
                Action::Module("br_netfilter"),
                file("/var/lib/kubelet/x", 0o600, "x"),
                Action::SharedMount("/var/lib/kubelet".into()),
                Action::Program(program),
            ],
        ),
        step("start", &["kernel"], vec![unit("a.service", Some(Verb::Start), None)]),
        step("stop", &["kernel"], vec![unit("b.service", Some(Verb::Stop), None)]),
    ]);
    let running = slipway_host::UnitState { exists: true, active: "active".to_owned(), ..Default::default() };
    let host = Recorded::live()
        .with_setting("/proc/sys/vm/max_map_count", "65530")
        .with_setting("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")
        .with_module("br_netfilter")
        .with_program("/bin/ctr", 0, "")
        .with_unit("a.service")
        .with_unit_state("b.service", running)
        .with_directory("/var/lib/kubelet", 0o755);
    let before = tree(&host);
    let attempt = apply(&plan, &host);
    assert_eq!((attempt.failure.clone(), attempt.changed()), (None, 8), "{attempt:?}");
    assert_eq!(apply(&plan, &host).changed(), 0);
    host.forget_calls();
    let report = reset(&host);
    assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]));
    let told = ["run", "job", "unmount", "set-setting", "setting"];
    let calls: Vec<String> =
        host.changes().into_iter().filter(|call| told.iter().any(|word| call.starts_with(word))).collect();
    assert_eq!(calls.len(), 6, "{calls:?}");
    assert_eq!(calls[..2], ["run /bin/ctr rm", "job a.service stop"]);
    assert_eq!(calls[5], "job b.service start");
    assert_eq!(host.setting(Path::new("/proc/sys/vm/max_map_count")).unwrap().unwrap(), "65530");
    assert_eq!(tree(&host), before);
}

#[test]
fn a_download_is_placed_whole_or_not_at_all_and_not_fetched_twice() {
    let artifact = |url: &str| {
        plan(vec![step(
            "download",
            &[],
            vec![Action::Artifact(Artifact {
                url: Secret::from(url),
                sha256: None,
                cached: None,
                members: vec![("kubelet".to_owned(), "/opt/bin/kubelet".into())],
                attributes: Attributes::root(0o755),
            })],
        )])
    };
    let host = Recorded::live().with_files([("/opt/bin/kubelet", "the image's", 0o755)]);
    let (before, untouched) = (tree(&host), timeless(&host));
    let attempt = apply(&artifact("https://broken/x?sig=1"), &host);
    assert_eq!(words(&attempt), [("download", "failed")]);
    assert_eq!(timeless(&host), untouched);
    assert_eq!(apply(&artifact("https://there/x?sig=1"), &host).changed(), 1);
    assert_eq!(host.read(Path::new("/opt/bin/kubelet")).unwrap(), b"from the network");
    assert_eq!(apply(&artifact("https://there/x?sig=2"), &host).changed(), 0);
    assert_eq!(apply(&artifact("https://there/y"), &host).changed(), 1);
    assert_eq!(reset(&host).kept, []);
    assert_eq!(tree(&host), before);
}

#[test]
fn a_file_that_the_image_holds_ready_is_moved_once_and_goes_back() {
    let order = Move {
        from: vec!["/opt/cache/kubelet-1.33".into(), "/opt/cache/kubelet".into()],
        to: "/usr/local/bin/kubelet".into(),
        attributes: Attributes::root(0o755),
    };
    let plan = plan(vec![step("select", &[], vec![Action::Move(order)])]);
    let host = Recorded::live()
        .with_files([("/opt/cache/kubelet", "new", 0o644), ("/usr/local/bin/kubelet", "old", 0o700)]);
    let before = tree(&host);
    assert_eq!(apply(&plan, &host).changed(), 1);
    let placed = Path::new("/usr/local/bin/kubelet");
    assert_eq!(host.read(placed).unwrap(), b"new");
    assert_eq!(host.entry(placed).unwrap().unwrap().attributes, Attributes::root(0o755));
    assert_eq!(apply(&plan, &host).changed(), 0);
    reset(&host);
    assert_eq!(tree(&host), before);
    let attempt = apply(&plan, &Recorded::live());
    assert_eq!(
        attempt.failure.unwrap().problem.to_string(),
        "/usr/local/bin/kubelet: it is not there, nor at /opt/cache/kubelet-1.33, nor at /opt/cache/kubelet"
    );
}
