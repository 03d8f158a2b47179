//! What to do about what was seen: the smallest repair that may help and is not tried too often.

use std::fmt;
use std::time::Duration;

use super::budget::{Allowance, Budget};
use super::observation::{ConfigSeen, CredentialSeen, Joined, NodeSeen, Observation};
use crate::goal::{Course, Member, Resource, course};

const KUBELET: &str = "kubelet.service";

/// How long a Node may be not Ready before something is done: kubelet mends most of it by itself.
const GRACE: Duration = Duration::from_mins(1);
/// How long it may be missing: kubelet does not mend that, and whoever deleted it may be about to stop kubelet, too.
const ABSENCE: Duration = Duration::from_secs(15);

/// One thing that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Start a unit that does not run.
    Start(&'static str),
    /// Restart a unit that runs and does not do its work.
    Restart(&'static str),
    /// Put back what was changed, and let the services read it.
    Files,
    /// Get kubelet another credential.
    Renew,
    /// Join again: everything that joining does, and is not so.
    Rejoin,
    /// Go on with an upgrade that was cut short, or go back.
    Upgrade,
    /// Make the machine what Azure wants it to be.
    Goal,
    /// Leave, or go on leaving.
    Leave,
}

/// Why something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Joining was begun and never came to its end.
    Unfinished,
    /// An upgrade was begun and never came to its end.
    UpgradeUnfinished,
    /// Leaving was begun and never came to its end.
    LeaveUnfinished,
    /// The owner changed the configuration.
    ConfigChanged,
    /// Azure wants something else of the machine.
    GoalChanged,
    /// Azure has removed the machine and marked its Node.
    MachineDeleted,
    /// The certificate has expired.
    CredentialExpired,
    /// There is no credential.
    CredentialMissing,
    /// The API server does not know the credential.
    CredentialUnknown,
    /// Something is not as it was left.
    FilesStrayed,
    /// A unit does not run.
    UnitStopped,
    /// The Node is not there.
    NodeAbsent,
    /// The Node is not Ready.
    NodeNotReady,
}

/// What follows from an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The machine is what it should be.
    Fine,
    /// This is to be done now.
    Act(Repair, Reason),
    /// This is to be done at this moment, unless it is no longer needed then.
    Wait(Repair, Reason, Duration),
    /// Something is wrong that no repair of ours mends.
    Watch(String),
}

/// What is remembered between two decisions.
#[derive(Debug, Default)]
pub struct Keeper {
    units: Budget,
    files: Budget,
    credential: Budget,
    join: Budget,
    goal: Budget,
    /// Since when the Node is missing or not Ready.
    ailing: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rung {
    Units,
    Files,
    Credential,
    Join,
    Goal,
}

impl Rung {
    const ALL: [Self; 5] = [Self::Units, Self::Files, Self::Credential, Self::Join, Self::Goal];

    const fn allowance(self) -> Allowance {
        let (tries, first, longest) = match self {
            Self::Units => (Some(3), 5, 120),
            Self::Files => (Some(3), 10, 300),
            Self::Credential => (Some(3), 30, 600),
            Self::Join => (None, 30, 1800),
            Self::Goal => (None, 60, 1800),
        };
        let (first_pause, longest_pause) = (Duration::from_secs(first), Duration::from_secs(longest));
        Allowance { tries, first_pause, longest_pause }
    }
}

impl Repair {
    const fn rung(self) -> Rung {
        match self {
            Self::Start(_) | Self::Restart(_) => Rung::Units,
            Self::Files => Rung::Files,
            Self::Renew => Rung::Credential,
            Self::Rejoin | Self::Upgrade | Self::Leave => Rung::Join,
            Self::Goal => Rung::Goal,
        }
    }

    /// Its name in the status, in metrics and in events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start(_) => "start-unit",
            Self::Restart(_) => "restart-unit",
            Self::Files => "restore-files",
            Self::Renew => "renew-credential",
            Self::Rejoin => "join-again",
            Self::Upgrade => "upgrade",
            Self::Goal => "apply-goal",
            Self::Leave => "leave",
        }
    }

    /// Every name, for whoever counts.
    pub const NAMES: [&'static str; 8] = [
        "start-unit",
        "restart-unit",
        "restore-files",
        "renew-credential",
        "join-again",
        "upgrade",
        "apply-goal",
        "leave",
    ];
}

impl Reason {
    /// Its name: one word in kebab-case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unfinished => "join-unfinished",
            Self::UpgradeUnfinished => "upgrade-unfinished",
            Self::LeaveUnfinished => "leave-unfinished",
            Self::ConfigChanged => "config-changed",
            Self::GoalChanged => "goal-changed",
            Self::MachineDeleted => "machine-deleted",
            Self::CredentialExpired => "credential-expired",
            Self::CredentialMissing => "credential-missing",
            Self::CredentialUnknown => "credential-unknown",
            Self::FilesStrayed => "files-strayed",
            Self::UnitStopped => "unit-stopped",
            Self::NodeAbsent => "node-absent",
            Self::NodeNotReady => "node-not-ready",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(unit) => write!(out, "start {unit}"),
            Self::Restart(unit) => write!(out, "restart {unit}"),
            Self::Files => out.write_str("put files back"),
            Self::Renew => out.write_str("renew kubelet's credential"),
            Self::Rejoin => out.write_str("join again"),
            Self::Upgrade => out.write_str("go on with the upgrade"),
            Self::Goal => out.write_str("do what Azure wants"),
            Self::Leave => out.write_str("leave"),
        }
    }
}

impl Keeper {
    /// What to do now. What is returned as [`Decision::Act`] counts as tried.
    pub fn decide(&mut self, now: Duration, seen: &Observation) -> Decision {
        if seen.joined == Joined::Never {
            return Decision::Watch("this machine was not joined to a cluster".to_owned());
        }
        self.ailing = match seen.node {
            NodeSeen::Absent | NodeSeen::NotReady(_) => self.ailing.or(Some(now)),
            _ => None,
        };
        // The next goal is another one, and is tried at once.
        if matches!(seen.goal, Some(Resource::Applied | Resource::Failed)) {
            self.goal = Budget::default();
        }
        let needs = self.needs(now, seen);
        for rung in Rung::ALL {
            if !needs.iter().any(|(repair, _)| repair.rung() == rung) {
                self.budget(rung).rest(now);
            }
        }
        // What the owner began is brought to its end in any case.
        if seen.joined == Joined::Done && !seen.repairs && !needs.is_empty() {
            return Decision::Watch("the configuration says that nothing is repaired".to_owned());
        }
        let usable = |repair: Repair| {
            let from_config = !matches!(repair, Repair::Start(_) | Repair::Restart(_) | Repair::Leave);
            !(from_config && matches!(seen.config, ConfigSeen::Unusable(_)))
        };
        let mut wait: Option<(Repair, Reason, Duration)> = None;
        for (repair, reason) in needs {
            let spent = self.budget(repair.rung()).is_spent(&repair.rung().allowance());
            let repair = if spent { Repair::Rejoin } else { repair };
            if !usable(repair) {
                continue;
            }
            let opens = self.budget(repair.rung()).opens(&repair.rung().allowance());
            if opens <= now {
                self.budget(repair.rung()).spend(now);
                return Decision::Act(repair, reason);
            }
            if wait.is_none_or(|(_, _, soonest)| opens < soonest) {
                wait = Some((repair, reason, opens));
            }
        }
        match wait {
            Some((repair, reason, until)) => Decision::Wait(repair, reason, until),
            None => match trouble(seen) {
                Some(trouble) => Decision::Watch(trouble),
                None => Decision::Fine,
            },
        }
    }

    /// What would help, the smallest first where several would.
    fn needs(&self, now: Duration, seen: &Observation) -> Vec<(Repair, Reason)> {
        // Where something was cut short, everything else that is wrong follows from it.
        match seen.joined {
            Joined::Unfinished => return vec![(Repair::Rejoin, Reason::Unfinished)],
            Joined::Upgrading => return vec![(Repair::Upgrade, Reason::UpgradeUnfinished)],
            Joined::Leaving => return vec![(Repair::Leave, Reason::LeaveUnfinished)],
            Joined::Never | Joined::Done => {}
        }
        let course = wanted(seen);
        if course == Course::Leave {
            return vec![(Repair::Leave, Reason::MachineDeleted)];
        }
        let mut needs = Vec::new();
        if seen.config == ConfigSeen::Changed {
            needs.push((Repair::Rejoin, Reason::ConfigChanged));
        }
        if !seen.strayed.is_empty() {
            needs.push((Repair::Files, Reason::FilesStrayed));
        }
        match seen.credential {
            CredentialSeen::Expired => needs.push((Repair::Renew, Reason::CredentialExpired)),
            CredentialSeen::Missing => needs.push((Repair::Renew, Reason::CredentialMissing)),
            CredentialSeen::Until(_) | CredentialSeen::Early | CredentialSeen::Program => {}
        }
        needs.extend(seen.stopped.iter().map(|unit| (Repair::Start(unit), Reason::UnitStopped)));
        if course == Course::Apply {
            needs.push((Repair::Goal, Reason::GoalChanged));
        }
        let ails = |time| self.ailing.is_some_and(|since| now.saturating_sub(since) >= time);
        match &seen.node {
            // Whoever removed the machine may have deleted its Node, too; or what Azure wants brings it back.
            NodeSeen::Absent if matches!(course, Course::Ambiguous | Course::Apply) => {}
            NodeSeen::Unknown(_) if seen.credential == CredentialSeen::Program => {
                needs.push((Repair::Rejoin, Reason::CredentialUnknown));
            }
            NodeSeen::Unknown(_) => needs.push((Repair::Renew, Reason::CredentialUnknown)),
            // Kubelet registers when it starts, and only then.
            NodeSeen::Absent if ails(ABSENCE) => needs.push((Repair::Restart(KUBELET), Reason::NodeAbsent)),
            NodeSeen::NotReady(_) if ails(GRACE) => {
                needs.push((Repair::Restart(KUBELET), Reason::NodeNotReady));
            }
            _ => {}
        }
        needs
    }

    fn budget(&mut self, rung: Rung) -> &mut Budget {
        match rung {
            Rung::Units => &mut self.units,
            Rung::Files => &mut self.files,
            Rung::Credential => &mut self.credential,
            Rung::Join => &mut self.join,
            Rung::Goal => &mut self.goal,
        }
    }
}

/// What Azure wants of the machine, where it is known there.
fn wanted(seen: &Observation) -> Course {
    let member = match seen.node {
        NodeSeen::Ready | NodeSeen::NotReady(_) => Member::There,
        NodeSeen::Absent => Member::Absent,
        NodeSeen::Unasked | NodeSeen::Unreachable(_) | NodeSeen::Unknown(_) | NodeSeen::Forbidden(_) => {
            Member::Unknown
        }
    };
    seen.goal.map_or(Course::Keep, |resource| course(seen.mark, resource, member))
}

/// What is wrong and cannot be mended here.
fn trouble(seen: &Observation) -> Option<String> {
    let of_azure = match wanted(seen) {
        Course::AwaitRemoval => {
            Some("the Node is to be deleted, and Azure still has the machine: waiting for it")
        }
        Course::Ambiguous => Some(
            "Azure no longer has this machine, and nobody has marked its Node to be deleted: `slipway flex leave` \
             takes it out of its cluster",
        ),
        Course::GivenUp => {
            Some("what Azure wants of this machine does not work, and is not tried again until it changes")
        }
        Course::Keep | Course::Apply | Course::Leave => None,
    };
    match (&seen.config, &seen.node) {
        (ConfigSeen::Unusable(why), _) => Some(format!("the configuration cannot be used: {why}")),
        // Without the right time nobody is trusted, so whatever else is wrong may follow from it.
        _ if seen.credential == CredentialSeen::Early => {
            Some("kubelet's certificate is not valid yet by this machine's clock: set the clock".to_owned())
        }
        (_, NodeSeen::Unreachable(why) | NodeSeen::Forbidden(why)) => Some(why.clone()),
        (_, NodeSeen::Absent) if of_azure.is_none() => Some("the Node is not there".to_owned()),
        (_, NodeSeen::NotReady(why)) => Some(format!("the Node is not Ready: {why}")),
        _ if of_azure.is_some() => of_azure.map(str::to_owned),
        // Pods have to leave for it, and that is not done behind anybody's back.
        _ => seen.newer.as_ref().map(|version| {
            format!("the configuration asks for Kubernetes {version}: `slipway flex upgrade` brings it")
        }),
    }
}

#[cfg(test)]
mod tests;
