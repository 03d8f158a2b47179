//! Intervals that nobody wrote down, and that follow from moments: the boot until the node is worked on, and kubelet's way
//! from its start to Ready.

use jiff::{SignedDuration, Timestamp};

use crate::anatomy::{Interval, Known, Moments};
use crate::evidence::{Certainty, Source};
use crate::phase::Phase;

/// What begins at each moment of the boot, and lasts until the next one; without a name, nothing does.
const BOOT: [(&str, Option<(&str, Phase)>); 10] = [
    ("vm-requested", Some(("platform", Phase::Platform))),
    ("vm-created", Some(("platform", Phase::Platform))),
    ("kernel-started", Some(("kernel", Phase::Kernel))),
    ("userspace-started", Some(("userspace", Phase::Userspace))),
    ("cloud-init-started", Some(("cloud-init, local", Phase::CloudInit))),
    ("network-started", Some(("network", Phase::Userspace))),
    ("cloud-init-network-started", Some(("cloud-init", Phase::CloudInit))),
    ("cloud-init-final-started", Some(("cloud-init, final", Phase::CloudInit))),
    ("cloud-init-finished", None),
    ("startup-finished", None),
];

/// A stage and its moment begin this close to each other.
const SAME: SignedDuration = SignedDuration::from_millis(50);

/// Kubelet's way: what begins at each moment, and lasts until the next.
const KUBELET: [(&str, &str, Phase); 5] = [
    ("kubelet-started", "kubelet loads", Phase::Kubelet),
    ("kubelet-first-line", "kubelet initialises", Phase::Kubelet),
    ("node-registering", "registration", Phase::Registration),
    ("node-registered", "until Ready", Phase::Ready),
    ("node-ready", "", Phase::Ready),
];

/// The intervals that follow from moments, given those that are told.
pub(crate) fn intervals(
    moments: &Moments,
    told: &[(Interval, Option<bool>)],
) -> impl Iterator<Item = Interval> {
    let mut intervals = boot(moments, told);
    intervals.extend(kubelet(moments));
    intervals.extend(containerd(moments, told));
    intervals.into_iter()
}

/// When work on the node began.
fn provisioning(moments: &Moments, told: &[(Interval, Option<bool>)]) -> Option<Timestamp> {
    let works = |interval: &&Interval| match interval.phase {
        Phase::Extension => true,
        Phase::Bootstrap => interval.source != Source::Systemd,
        _ => false,
    };
    let first = told.iter().map(|(interval, _)| interval).filter(works).map(|interval| interval.start).min();
    first.or_else(|| moments.get("provisioning-started").map(|known| known.time))
}

fn boot(moments: &Moments, told: &[(Interval, Option<bool>)]) -> Vec<Interval> {
    let provisioning = provisioning(moments, told);
    let stages = || told.iter().map(|(interval, _)| interval).filter(|it| it.phase == Phase::CloudInit);
    let mut marks: Vec<(&Known, Option<(&str, Phase)>)> = BOOT
        .iter()
        .filter_map(|(moment, begins)| Some((moments.get(moment)?, *begins)))
        .filter(|(known, _)| provisioning.is_none_or(|begin| known.time < begin))
        .collect();
    marks.sort_by_key(|(known, _)| known.time);
    let next = marks.iter().skip(1).map(|(known, _)| Some(known.time)).chain([provisioning]);
    marks
        .iter()
        .zip(next)
        .filter_map(|((known, begins), end)| {
            let (name, phase) = (*begins)?;
            // cloud-init tells its own stages better; until the first words of one, it loads.
            let told_of = |it: &Interval| it.start <= known.time + SAME && known.time < it.end;
            if phase == Phase::CloudInit && stages().any(told_of) {
                return None;
            }
            let stage = stages().map(|it| it.start).filter(|start| *start > known.time).min();
            Some(between(name, phase, known, end.into_iter().chain(stage).min()?, known.certainty))
        })
        .filter(|interval| interval.end > interval.start)
        .collect()
}

fn kubelet(moments: &Moments) -> Vec<Interval> {
    // A start in whole seconds is worse than the manager's word that the unit has started.
    let surest = |moment: &str| {
        let exact = |known: &&Known| known.certainty == Certainty::Measured;
        let active = moments.get("kubelet-active").filter(|_| moment == "kubelet-started").filter(exact);
        moments.get(moment).filter(exact).or(active).or_else(|| moments.get(moment))
    };
    let mut known: Vec<(usize, &Known)> =
        KUBELET.iter().enumerate().filter_map(|(at, (moment, ..))| Some((at, surest(moment)?))).collect();
    // A kubelet that was started again began after its first words.
    if let [(0, started), (_, next), ..] = known[..] {
        let rounded = started.certainty != Certainty::Measured
            && started.time.duration_since(next.time) <= SignedDuration::from_secs(1);
        if started.time > next.time && !rounded {
            known.remove(0);
        }
    }
    known
        .windows(2)
        .filter_map(|pair| {
            let [(at, from), (next, to)] = pair else { return None };
            let (_, name, phase) = KUBELET[*at];
            let name = if phase == Phase::Kubelet && *next > at + 1 { "kubelet" } else { name };
            let certainty = from.certainty.max(to.certainty);
            Some(between(name, phase, from, to.time.max(from.time), certainty))
        })
        .collect()
}

/// The container runtime's start, where only its own log tells of it.
fn containerd(moments: &Moments, told: &[(Interval, Option<bool>)]) -> Option<Interval> {
    if told.iter().any(|(interval, _)| interval.phase == Phase::Containerd) {
        return None;
    }
    let from = moments.get("containerd-started").or_else(|| moments.get("containerd-first-line"))?;
    let to = moments.get("containerd-active").or_else(|| moments.get("containerd-ready"))?;
    (to.time > from.time).then(|| between("containerd", Phase::Containerd, from, to.time, from.certainty))
}

fn between(name: &str, phase: Phase, from: &Known, end: Timestamp, certainty: Certainty) -> Interval {
    Interval {
        name: name.to_owned(),
        phase,
        start: from.time,
        end,
        source: from.source,
        certainty,
        critical: false,
        saves: SignedDuration::ZERO,
        envelope: false,
        evidence: from.place.clone(),
        after: None,
        outcome: None,
    }
}
