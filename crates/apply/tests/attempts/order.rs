//! When steps run.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;

use slipway_apply::{Event, Outcome, Unwatched, Watcher};
use slipway_host::Recorded;
use slipway_model::ExitReason;
use slipway_plan::{Action, Await, OnFailure, Stage, Step};

use crate::site::{Nowhere, Root, apply, file, options, plan, reset, step, tree, words};

struct Meeting(Barrier);

impl Watcher for Meeting {
    fn saw(&self, event: &Event<'_>) {
        if let Event::StepBegan { step: "left" | "right", .. } = event {
            self.0.wait();
        }
    }
}

#[test]
fn independent_steps_run_at_the_same_time() {
    let host = Recorded::below();
    let plan = plan(vec![step("left", &[], vec![]), step("right", &[], vec![])]);
    let meeting = Meeting(Barrier::new(2));
    let attempt = slipway_apply::apply(&plan, &host, &Nowhere, &options(2), &meeting, &|| false).unwrap();
    assert_eq!(words(&attempt), [("left", "unchanged"), ("right", "unchanged")]);
}

#[test]
fn a_step_begins_after_what_it_needs_and_the_longest_way_is_marked() {
    let host = Recorded::live();
    let plan = plan(vec![
        step("short", &[], vec![file("/a", 0o644, "a")]),
        step("long", &[], vec![ready("n1")]),
        step("last", &["short", "long"], vec![file("/b", 0o644, "b")]),
    ]);
    let attempt = slipway_apply::apply(&plan, &host, &Nowhere, &options(4), &Unwatched, &|| false).unwrap();
    let [short, long, last] = &attempt.steps[..] else { panic!("{attempt:?}") };
    assert!(last.times.unwrap().0 >= long.times.unwrap().1);
    assert_eq!(last.waited_for, Some("long"));
    assert_eq!((short.critical, long.critical, last.critical), (false, true, true));
}

#[test]
fn a_failed_step_lets_no_other_begin_and_its_reason_is_the_attempts() {
    let host = Recorded::below().with_directory("/a", 0o755);
    let plan = plan(vec![
        step("bad", &[], vec![file("/a", 0o644, "a")]),
        step("needy", &["bad"], vec![file("/b", 0o644, "b")]),
        step("other", &[], vec![file("/c", 0o644, "c")]),
    ]);
    let attempt = apply(&plan, &host);
    assert_eq!(words(&attempt), [("bad", "failed"), ("needy", "not-reached"), ("other", "not-reached")]);
    let failure = attempt.failure.unwrap();
    assert_eq!((failure.step, failure.reason), (Some("bad"), ExitReason::UnitStart));
    assert_eq!(failure.problem.to_string(), "/a: there is a directory where a file should be");
}

#[test]
fn a_degraded_step_counts_as_done_for_those_who_need_it() {
    let host = Recorded::below().with_directory("/a", 0o755);
    let bad = Step {
        on_failure: OnFailure::Degrade(ExitReason::UnitStart),
        ..step("bad", &[], vec![file("/a", 0o644, "a")])
    };
    let attempt = apply(&plan(vec![bad, step("needy", &["bad"], vec![file("/b", 0o644, "b")])]), &host);
    assert_eq!(words(&attempt), [("bad", "degraded"), ("needy", "done")]);
    assert_eq!(attempt.failure, None);
}

#[test]
fn steps_of_other_stages_and_steps_left_out_are_skipped_and_count_as_done() {
    let host = Recorded::below();
    let bake = Step { stage: Stage::Bake, ..step("bake", &[], vec![file("/a", 0o644, "a")]) };
    let plan = plan(vec![bake, step("left-out", &["bake"], vec![]), step("last", &["left-out"], vec![])]);
    let mut options = options(1);
    options.stages = BTreeSet::from([Stage::Join]);
    options.skip = BTreeSet::from(["left-out".to_owned()]);
    let run = |options: &slipway_apply::Options| {
        slipway_apply::apply(&plan, &host, &Nowhere, options, &Unwatched, &|| false)
    };
    let attempt = run(&options).unwrap();
    assert_eq!(words(&attempt), [("bake", "skipped"), ("left-out", "skipped"), ("last", "unchanged")]);
    options.skip = BTreeSet::from(["no-such-step".to_owned()]);
    assert_eq!(run(&options).unwrap_err().to_string(), "there is no step no-such-step to leave out");
}

#[test]
fn what_comes_after_ready_waits_for_it_and_runs_also_when_it_does_not_come() {
    for (node, outcome) in [("n1", "unchanged"), ("late", "failed")] {
        let host = Recorded::live();
        let after = Step { stage: Stage::AfterReady, ..step("after", &[], vec![file("/a", 0o644, "a")]) };
        let await_ready =
            Step { within: Duration::from_millis(100), ..step("ready", &[], vec![ready(node)]) };
        let attempt = slipway_apply::apply(
            &plan(vec![after, await_ready]),
            &host,
            &Nowhere,
            &options(2),
            &Unwatched,
            &|| false,
        )
        .unwrap();
        let [after, ready] = &attempt.steps[..] else { panic!("{attempt:?}") };
        assert_eq!((ready.outcome.word(), after.outcome.word()), (outcome, "done"));
        assert!(after.times.unwrap().0 >= ready.times.unwrap().1);
        assert_eq!(attempt.failure.is_some(), outcome == "failed");
    }
}

#[test]
fn what_takes_too_long_is_named_and_the_whole_run_has_its_own_end() {
    let host = Recorded::live();
    let socket = || vec![Action::Await(Await::Socket("/run/x.sock".into()))];
    let slow = Step { within: Duration::from_millis(50), ..step("slow", &[], socket()) };
    let attempt = apply(&plan(vec![slow]), &host);
    let failure = attempt.failure.unwrap();
    assert_eq!((failure.step, failure.reason), (Some("slow"), ExitReason::UnitStart));
    assert_eq!(failure.problem.to_string(), "socket /run/x.sock: did not come to an end in time");

    let mut options = options(1);
    options.within = Duration::from_millis(50);
    let plan = plan(vec![step("slow", &[], socket()), step("next", &["slow"], vec![])]);
    let attempt = slipway_apply::apply(&plan, &host, &Nowhere, &options, &Unwatched, &|| false).unwrap();
    assert_eq!(attempt.failure.unwrap().reason, ExitReason::TimedOut);
    assert_eq!(attempt.steps[1].outcome, Outcome::NotReached);
}

#[test]
fn an_attempt_that_is_asked_to_stop_finishes_what_it_does_and_says_so() {
    let host = Recorded::below();
    let stop = || slipway_host::Host::entry(&host, Path::new("/a")).unwrap().is_some();
    let plan = plan(vec![
        step("first", &[], vec![file("/a", 0o644, "a"), file("/b", 0o644, "b")]),
        step("second", &["first"], vec![file("/c", 0o644, "c")]),
    ]);
    let attempt = slipway_apply::apply(&plan, &host, &Nowhere, &options(1), &Unwatched, &stop).unwrap();
    assert_eq!(words(&attempt), [("first", "failed"), ("second", "not-reached")]);
    assert!(attempt.interrupted);
    assert_eq!(attempt.failure.unwrap().reason, ExitReason::Killed);
    let status = slipway_apply::status(&host).unwrap();
    assert!(status.last.unwrap().is_interrupted());
}

fn ready(node: &str) -> Action {
    Action::Await(Await::Ready {
        server: "https://api:443".to_owned(),
        ca: "/ca".into(),
        node: node.to_owned(),
        kubeconfig: "/kubeconfig".into(),
    })
}

#[test]
fn steps_at_the_same_time_share_the_directories_above_their_files() {
    let names: Vec<&'static str> = vec!["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let steps = names.iter().map(|name| {
        let path = format!("/etc/deep/er/{}/{name}", name.len());
        step(name, &[], vec![file(&path, 0o644, name), file(&format!("/opt/{name}/x"), 0o600, name)])
    });
    let plan = plan(steps.collect());
    for _ in 0..20 {
        let root = Root::new();
        let host = root.machine();
        let before = tree(&host);
        let run =
            || slipway_apply::apply(&plan, &host, &Nowhere, &options(8), &Unwatched, &|| false).unwrap();
        let attempt = run();
        assert_eq!((attempt.failure.clone(), attempt.changed()), (None, 24));
        assert_eq!(run().changed(), 0);
        assert_eq!(reset(&host).kept, []);
        assert_eq!(tree(&host), before);
    }
}
