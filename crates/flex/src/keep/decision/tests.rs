use proptest::prelude::*;

use super::super::observation::{ConfigSeen, CredentialSeen, Joined, NodeSeen, Observation};
use super::*;
use crate::goal::Mark;

const CONTAINERD: &str = "containerd.service";

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn fine() -> Observation {
    Observation {
        joined: Joined::Done,
        repairs: true,
        config: ConfigSeen::Same,
        newer: None,
        strayed: Vec::new(),
        stopped: Vec::new(),
        credential: CredentialSeen::Until(u64::MAX),
        node: NodeSeen::Ready,
        mark: Mark::None,
        goal: None,
    }
}

#[test]
fn each_trouble_has_its_smallest_repair() {
    let unreachable = NodeSeen::Unreachable("no answer".to_owned());
    let bad = ConfigSeen::Unusable("it has 2 errors".to_owned());
    let watch = |text: &str| Decision::Watch(text.to_owned());
    let table = [
        (fine(), Decision::Fine),
        (
            Observation { joined: Joined::Unfinished, strayed: vec!["/a".into()], ..fine() },
            Decision::Act(Repair::Rejoin, Reason::Unfinished),
        ),
        (
            Observation { config: ConfigSeen::Changed, ..fine() },
            Decision::Act(Repair::Rejoin, Reason::ConfigChanged),
        ),
        (
            Observation { strayed: vec!["/a".into()], stopped: vec![KUBELET], ..fine() },
            Decision::Act(Repair::Files, Reason::FilesStrayed),
        ),
        (
            Observation { stopped: vec![CONTAINERD, KUBELET], node: unreachable.clone(), ..fine() },
            Decision::Act(Repair::Start(CONTAINERD), Reason::UnitStopped),
        ),
        (
            Observation { credential: CredentialSeen::Expired, ..fine() },
            Decision::Act(Repair::Renew, Reason::CredentialExpired),
        ),
        (
            Observation { credential: CredentialSeen::Early, node: unreachable.clone(), ..fine() },
            watch("kubelet's certificate is not valid yet by this machine's clock: set the clock"),
        ),
        (
            Observation { node: NodeSeen::Unknown("401".into()), ..fine() },
            Decision::Act(Repair::Renew, Reason::CredentialUnknown),
        ),
        (
            Observation {
                node: NodeSeen::Unknown("401".into()),
                credential: CredentialSeen::Program,
                ..fine()
            },
            Decision::Act(Repair::Rejoin, Reason::CredentialUnknown),
        ),
        (Observation { node: unreachable, ..fine() }, watch("no answer")),
        (Observation { node: NodeSeen::Absent, ..fine() }, watch("the Node is not there")),
        (
            Observation { strayed: vec!["/a".into()], repairs: false, ..fine() },
            watch("the configuration says that nothing is repaired"),
        ),
        (
            Observation { strayed: vec!["/a".into()], config: bad.clone(), ..fine() },
            watch("the configuration cannot be used: it has 2 errors"),
        ),
        (
            Observation { stopped: vec![KUBELET], config: bad, ..fine() },
            Decision::Act(Repair::Start(KUBELET), Reason::UnitStopped),
        ),
        (
            Observation { joined: Joined::Upgrading, strayed: vec!["/a".into()], ..fine() },
            Decision::Act(Repair::Upgrade, Reason::UpgradeUnfinished),
        ),
        (
            Observation { joined: Joined::Leaving, stopped: vec![KUBELET], repairs: false, ..fine() },
            Decision::Act(Repair::Leave, Reason::LeaveUnfinished),
        ),
        (
            Observation { newer: Some("1.35".to_owned()), ..fine() },
            watch("the configuration asks for Kubernetes 1.35: `slipway flex upgrade` brings it"),
        ),
        (Observation { joined: Joined::Never, ..fine() }, watch("this machine was not joined to a cluster")),
    ];
    for (seen, expected) in table {
        assert_eq!(Keeper::default().decide(at(0), &seen), expected, "{seen:?}");
    }
}

#[test]
fn what_azure_wants_comes_after_small_repairs_and_before_everything_else() {
    let watch = |text: &str| Decision::Watch(text.to_owned());
    let table = [
        (
            Observation { goal: Some(Resource::Unapplied), newer: Some("1.35".to_owned()), ..fine() },
            Decision::Act(Repair::Goal, Reason::GoalChanged),
        ),
        (
            Observation { goal: Some(Resource::Unapplied), node: NodeSeen::Absent, ..fine() },
            Decision::Act(Repair::Goal, Reason::GoalChanged),
        ),
        (
            Observation { goal: Some(Resource::Unapplied), strayed: vec!["/a".into()], ..fine() },
            Decision::Act(Repair::Files, Reason::FilesStrayed),
        ),
        (
            Observation {
                goal: Some(Resource::Gone),
                mark: Mark::Deleting,
                stopped: vec![KUBELET],
                ..fine()
            },
            Decision::Act(Repair::Leave, Reason::MachineDeleted),
        ),
        (
            Observation { goal: Some(Resource::Gone), mark: Mark::Deleting, repairs: false, ..fine() },
            watch("the configuration says that nothing is repaired"),
        ),
        (
            Observation { goal: Some(Resource::Applied), mark: Mark::Deleting, ..fine() },
            watch("the Node is to be deleted, and Azure still has the machine: waiting for it"),
        ),
        (
            Observation { goal: Some(Resource::Failed), ..fine() },
            watch("what Azure wants of this machine does not work, and is not tried again until it changes"),
        ),
    ];
    for (seen, expected) in table {
        assert_eq!(Keeper::default().decide(at(0), &seen), expected, "{seen:?}");
    }
}

#[test]
fn a_node_that_is_gone_or_not_ready_gets_a_while_and_then_another_kubelet() {
    for (node, grace, reason) in [
        (NodeSeen::Absent, 15, Reason::NodeAbsent),
        (NodeSeen::NotReady("NetworkPluginNotReady".into()), 60, Reason::NodeNotReady),
    ] {
        let mut keeper = Keeper::default();
        let seen = Observation { node, ..fine() };
        assert!(matches!(keeper.decide(at(5), &seen), Decision::Watch(_)));
        assert!(matches!(keeper.decide(at(4 + grace), &seen), Decision::Watch(_)));
        // An answer that says nothing about it begins the time again.
        keeper.decide(at(65), &Observation { node: NodeSeen::Unreachable("x".into()), ..fine() });
        assert!(matches!(keeper.decide(at(66), &seen), Decision::Watch(_)));
        assert_eq!(keeper.decide(at(66 + grace), &seen), Decision::Act(Repair::Restart(KUBELET), reason));
    }
}

#[test]
fn a_goal_waits_for_its_next_try_and_another_goal_does_not() {
    let mut keeper = Keeper::default();
    let seen = Observation { goal: Some(Resource::Unapplied), ..fine() };
    let act = Decision::Act(Repair::Goal, Reason::GoalChanged);
    assert_eq!(keeper.decide(at(0), &seen), act);
    let wait = Decision::Wait(Repair::Goal, Reason::GoalChanged, at(60));
    assert_eq!(keeper.decide(at(1), &seen), wait);
    keeper.decide(at(2), &Observation { goal: Some(Resource::Failed), ..fine() });
    assert_eq!(keeper.decide(at(3), &seen), act);
}

#[test]
fn a_node_that_went_with_its_machine_is_not_brought_back() {
    let mut keeper = Keeper::default();
    let seen = Observation { node: NodeSeen::Absent, goal: Some(Resource::Gone), ..fine() };
    for second in [0, 61, 3600] {
        let Decision::Watch(why) = keeper.decide(at(second), &seen) else { panic!("at {second}") };
        assert!(why.contains("`slipway flex leave`"), "{why}");
    }
    // One that somebody deleted while its machine stays is.
    let seen = Observation { goal: Some(Resource::Applied), ..seen };
    keeper.decide(at(3601), &seen);
    let again = Decision::Act(Repair::Restart(KUBELET), Reason::NodeAbsent);
    assert_eq!(keeper.decide(at(3700), &seen), again);
}

#[test]
fn what_small_repairs_do_not_mend_is_joined_again() {
    let mut keeper = Keeper::default();
    let seen = Observation { stopped: vec![KUBELET], ..fine() };
    let mut done = Vec::new();
    for second in 0..200 {
        if let Decision::Act(repair, _) = keeper.decide(at(second), &seen) {
            done.push((second, repair));
        }
    }
    let start = Repair::Start(KUBELET);
    let join = Repair::Rejoin;
    assert_eq!(done, [(0, start), (5, start), (15, start), (16, join), (46, join), (106, join)]);
}

#[test]
fn a_repair_that_has_to_wait_does_not_hold_up_another_kind() {
    let mut keeper = Keeper::default();
    let strayed = Observation { strayed: vec!["/a".into()], ..fine() };
    keeper.decide(at(0), &strayed);
    assert_eq!(keeper.decide(at(1), &strayed), Decision::Wait(Repair::Files, Reason::FilesStrayed, at(10)));
    let both = Observation { stopped: vec![KUBELET], ..strayed };
    assert_eq!(keeper.decide(at(2), &both), Decision::Act(Repair::Start(KUBELET), Reason::UnitStopped));
}

fn observations() -> impl Strategy<Value = Observation> {
    let joined = prop_oneof![Just(Joined::Done), Just(Joined::Unfinished), Just(Joined::Leaving)];
    let config = prop_oneof![
        Just(ConfigSeen::Same),
        Just(ConfigSeen::Changed),
        Just(ConfigSeen::Unusable("x".to_owned()))
    ];
    let credential = prop_oneof![
        Just(CredentialSeen::Until(1)),
        Just(CredentialSeen::Expired),
        Just(CredentialSeen::Missing),
        Just(CredentialSeen::Program)
    ];
    let node = prop_oneof![
        Just(NodeSeen::Ready),
        Just(NodeSeen::Absent),
        Just(NodeSeen::Unknown("x".to_owned())),
        Just(NodeSeen::NotReady("x".to_owned())),
        Just(NodeSeen::Unreachable("x".to_owned()))
    ];
    let strayed = prop_oneof![Just(Vec::new()), Just(vec!["/a".to_owned()])];
    let stopped = prop_oneof![Just(Vec::new()), Just(vec![CONTAINERD, KUBELET])];
    let mark = prop_oneof![Just(Mark::None), Just(Mark::Deleting)];
    let goal = prop_oneof![Just(None), Just(Some(Resource::Unapplied)), Just(Some(Resource::Gone))];
    (joined, any::<bool>(), config, strayed, stopped, credential, node, mark, goal).prop_map(
        |(joined, repairs, config, strayed, stopped, credential, node, mark, goal)| Observation {
            joined,
            repairs,
            config,
            newer: None,
            strayed,
            stopped,
            credential,
            node,
            mark,
            goal,
        },
    )
}

proptest! {
    #[test]
    fn whatever_is_seen_in_an_hour_repairs_stay_few_and_wait_their_time(
        seen in proptest::collection::vec((observations(), 1_u64..30), 1..200)
    ) {
        let mut keeper = Keeper::default();
        let mut now = at(0);
        let mut last: Option<(Repair, Duration)> = None;
        let mut acts = 0;
        for (seen, seconds) in seen {
            now += at(seconds);
            let decision = keeper.decide(now, &seen);
            if let Decision::Act(repair, _) = decision {
                prop_assert!(seen.repairs || seen.joined != Joined::Done);
                if let Some((before, moment)) = last && before == repair {
                    prop_assert!(now.saturating_sub(moment) >= repair.rung().allowance().first_pause);
                }
                last = Some((repair, now));
                acts += 1;
            }
            if let Decision::Wait(_, _, until) = decision {
                prop_assert!(until > now);
            }
        }
        // Three of each small kind, then doubling pauses; forgotten only after ten quiet minutes.
        let tens = u32::try_from(now.as_secs() / 600).unwrap() + 1;
        prop_assert!(acts <= tens * 16, "{acts} repairs in {now:?}");
    }
}
