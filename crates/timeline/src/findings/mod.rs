//! Recognised troubles of a start, each with its reason, its evidence and what to do: one table, read by everyone who
//! looks for troubles.

mod looks;

use jiff::SignedDuration;
use serde::Serialize;

use crate::anatomy::Anatomy;
use crate::evidence::{Evidence, Place};

/// Something that stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which of the recognised troubles it is.
    pub id: &'static str,
    /// What it is about: an interval, a milestone.
    pub about: String,
    /// What was found.
    pub message: String,
    /// What to do.
    pub advice: &'static str,
    /// Where that stands.
    pub evidence: Vec<Place>,
}

impl Finding {
    /// Whether it may keep a machine from becoming a node.
    pub fn hinders(&self) -> bool {
        FINDINGS.iter().any(|known| known.id == self.id && known.hinders)
    }
}

/// A trouble that is recognised.
pub struct Known {
    /// Its name.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// Whether it may keep a machine from becoming a node; the others cost time only.
    pub hinders: bool,
    /// What to do about it.
    pub advice: &'static str,
    look: fn(&Case<'_>) -> Vec<Found>,
}

/// What is looked at.
struct Case<'a> {
    anatomy: &'a Anatomy,
    evidence: &'a Evidence,
}

/// What a look has found.
struct Found {
    about: String,
    message: String,
    evidence: Vec<Place>,
}

/// All troubles that are recognised, those that end a start before those that slow it down.
pub const FINDINGS: [Known; 18] = [
    Known {
        id: "attempt-failed",
        title: "provisioning ended without a node",
        hinders: true,
        advice: "slipway result explains the exit code; the findings below may say why",
        look: looks::attempt_failed,
    },
    Known {
        id: "step-failed",
        title: "a step failed, or never came to its end",
        hinders: true,
        advice: "read the evidence around the step; on the node, slipway status and slipway doctor say more",
        look: looks::step_failed,
    },
    Known {
        id: "attempt-retried",
        title: "an earlier attempt failed or was interrupted",
        hinders: false,
        advice: "the first attempt's time is lost time: find out why it ended before the last one succeeded",
        look: looks::attempt_retried,
    },
    Known {
        id: "api-server-unreachable",
        title: "the API server could not be reached",
        hinders: true,
        advice: "check the cluster's state, its firewall and authorised ranges, and the node's route to port 443",
        look: looks::api_server_unreachable,
    },
    Known {
        id: "certificate-not-approved",
        title: "kubelet's certificate was not signed, or late",
        hinders: true,
        advice: "kubectl get csr: look whether requests wait for approval, and whether the bootstrap token is still valid",
        look: looks::certificate_not_approved,
    },
    Known {
        id: "cni-not-ready",
        title: "the node waited for its network plugin",
        hinders: true,
        advice: "look at the network plugin's pod on this node, and whether /etc/cni/net.d has a configuration",
        look: looks::cni_not_ready,
    },
    Known {
        id: "not-ready",
        title: "the node registered and has not become Ready",
        hinders: true,
        advice: "kubectl describe node says which condition is missing",
        look: looks::not_ready,
    },
    Known {
        id: "clock-skew",
        title: "the clock was wrong",
        hinders: true,
        advice: "certificates and logs depend on the clock: let chrony set it before provisioning begins",
        look: looks::clock_skew,
    },
    Known {
        id: "agent-waiting",
        title: "the node waited for Azure's agent",
        hinders: false,
        advice: "start provisioning from custom data (slipway custom-data): then nothing waits for the agent",
        look: looks::agent_waiting,
    },
    Known {
        id: "apt-lock",
        title: "the package manager's lock was taken",
        hinders: false,
        advice: "keep unattended upgrades and other package work out of the boot, or install nothing while provisioning",
        look: looks::apt_lock,
    },
    Known {
        id: "dns-failover",
        title: "names were resolved late",
        hinders: true,
        advice: "a resolver waits 5 s for each server that does not answer: check the virtual network's DNS servers",
        look: looks::dns_failover,
    },
    Known {
        id: "imds-retries",
        title: "the metadata service was asked again and again",
        hinders: true,
        advice: "check that nothing filters 169.254.169.254 (network policy, a proxy without an exception, routes)",
        look: looks::imds_retries,
    },
    Known {
        id: "registry-unreachable",
        title: "a registry could not be reached",
        hinders: true,
        advice: "check the route to the registry, its credentials, and the outbound rules of the cluster",
        look: looks::registry_unreachable,
    },
    Known {
        id: "cold-binary",
        title: "a program was read from a cold disk",
        hinders: false,
        advice: "read the program while the node waits for something else, or use a faster disk for the system",
        look: looks::cold_binary,
    },
    Known {
        id: "manager-reloads",
        title: "the service manager read its units again and again",
        hinders: false,
        advice: "each enable and daemon-reload reads all units: bake units into the image and reload at most once",
        look: looks::manager_reloads,
    },
    Known {
        id: "slow-step",
        title: "Ready waited long for one step",
        hinders: false,
        advice: "the evidence names the step: what it waits for is where time can be saved",
        look: looks::slow_step,
    },
    Known {
        id: "between-steps",
        title: "time went to what lies between steps",
        hinders: false,
        advice: "scripts start programs between their steps: native provisioning (slipway provision) has no such time",
        look: looks::between_steps,
    },
    Known {
        id: "unexplained-time",
        title: "nothing known happened for a while",
        hinders: false,
        advice: "collect more evidence of this time (slipway collect), or look what else ran then",
        look: looks::unexplained_time,
    },
];

/// A time in which nothing known happens is worth a word from here on.
const GAP: SignedDuration = SignedDuration::from_millis(500);

/// A step on the way to Ready is worth a word from here on.
const SLOW: SignedDuration = SignedDuration::from_secs(5);

/// What stands out in a start.
pub(crate) fn findings(anatomy: &Anatomy, evidence: &Evidence) -> Vec<Finding> {
    let case = Case { anatomy, evidence };
    let of = |known: &Known| {
        let found = (known.look)(&case).into_iter();
        let (id, advice) = (known.id, known.advice);
        found
            .map(move |Found { about, message, evidence }| Finding { id, about, message, advice, evidence })
            .collect::<Vec<_>>()
    };
    FINDINGS.iter().flat_map(of).collect()
}
