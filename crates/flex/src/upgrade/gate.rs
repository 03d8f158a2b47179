//! Whether a node serves after its programs came or changed.
//!
//! The API server goes on calling a node Ready for most of a minute after its kubelet ended, and keeps the Node of a machine
//! that has left until somebody deletes it. So Ready alone says nothing: it has to be this Node, of this machine, with this
//! version, said by a kubelet that was started since; and, after an upgrade, it has to stay so for a while.

use std::time::Duration;

use jiff::Timestamp;
use slipway_kubernetes::NodeState;

use crate::preflight::look::MachineName;

/// What is expected of the Node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// What tells it from another Node of the same name; empty where there was none.
    pub uid: String,
    /// The machine that it is.
    pub machine: MachineName,
    /// The version of kubelet, without `v`.
    pub kubelet: String,
    /// Kubelet has to have been heard since: when it was started, by the machine's own clock, which is also what it writes.
    pub heard_since: Option<Timestamp>,
}

/// Why a node does not serve, as far as one can see.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The Node was seen, or there is none to see.
    #[error("{0}")]
    Seen(String),
    /// The Node could not be asked for.
    #[error("{0}")]
    Unseen(String),
}

/// What follows from what was seen so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Look again.
    Wait,
    /// It serves.
    Serves,
    /// It does not, and the time is over.
    Fails(Unfit),
}

/// Watches a node until it is clear whether it serves.
#[derive(Debug)]
pub struct Gate {
    expected: Expected,
    within: Duration,
    stays: Duration,
    fit_since: Option<Duration>,
}

impl Expected {
    /// Whether a Node is as expected.
    pub fn judge(&self, node: Option<&NodeState>) -> Result<(), Unfit> {
        let unfit = |text: String| Err(Unfit::Seen(text));
        let Some(node) = node else { return unfit("there is no such Node".to_owned()) };
        if !self.uid.is_empty() && node.uid != self.uid {
            return unfit("another Node has taken its name".to_owned());
        }
        if !self.machine.is(&node.machine_id, &node.system_uuid) {
            return unfit("it is another machine's".to_owned());
        }
        let version = node.kubelet_version.strip_prefix('v').unwrap_or(&node.kubelet_version);
        if version != self.kubelet {
            return unfit(format!("its kubelet is {version}, not {}", self.kubelet));
        }
        let Some(ready) = node.ready.as_ref().filter(|ready| ready.holds) else {
            let why = node.ready.as_ref().map(|ready| format!(": {}: {}", ready.reason, ready.message));
            return unfit(format!("it is not Ready{}", why.unwrap_or_default()));
        };
        if let Some(since) = self.heard_since {
            // Kubelet writes whole seconds.
            let heard = ready.heard.parse::<Timestamp>().ok().map(Timestamp::as_second);
            if heard.is_none_or(|heard| heard < since.as_second()) {
                return unfit("kubelet has not been heard of since it was started".to_owned());
            }
        }
        Ok(())
    }
}

impl Gate {
    /// A gate that a node passes when it is as expected within this time, and stays so for that long.
    pub const fn new(expected: Expected, within: Duration, stays: Duration) -> Self {
        Self { expected, within, stays, fit_since: None }
    }

    /// What follows from what is seen at a moment, counted from the beginning. A node that is as expected when the time is
    /// over may still show that it stays so.
    pub fn see(&mut self, at: Duration, seen: Result<Option<NodeState>, Unfit>) -> Verdict {
        match seen.and_then(|node| self.expected.judge(node.as_ref())) {
            Ok(()) if at.saturating_sub(*self.fit_since.get_or_insert(at)) >= self.stays => Verdict::Serves,
            Ok(()) => Verdict::Wait,
            Err(why) => {
                self.fit_since = None;
                if at >= self.within { Verdict::Fails(why) } else { Verdict::Wait }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use slipway_host::Recorded;
    use slipway_kubernetes::Readiness;

    use super::*;
    use crate::preflight::look::machine_name;

    fn node(version: &str, ready: bool, heard: &str) -> NodeState {
        NodeState {
            machine_id: "aa".to_owned(),
            system_uuid: String::new(),
            name: "n".to_owned(),
            uid: "1".to_owned(),
            created: String::new(),
            ready: Some(Readiness {
                holds: ready,
                reason: "KubeletReady".to_owned(),
                message: "m".to_owned(),
                since: String::new(),
                heard: heard.to_owned(),
            }),
            addresses: Vec::new(),
            kubelet_version: version.to_owned(),
            unschedulable: true,
            taints: Vec::new(),
            version: String::new(),
        }
    }

    fn expected() -> Expected {
        let heard_since = Some("2026-01-01T00:00:10.7Z".parse().unwrap());
        let host = Recorded::live().with_files([("/etc/machine-id", "aa\n", 0o444)]);
        Expected {
            uid: "1".to_owned(),
            machine: machine_name(&host),
            kubelet: "1.34.3".to_owned(),
            heard_since,
        }
    }

    #[test]
    fn a_node_serves_when_it_is_this_one_with_this_version_ready_and_heard_since() {
        let fresh = "2026-01-01T00:00:10Z";
        let unheard = NodeState { ready: None, ..node("v1.34.3", true, fresh) };
        let elsewhere = NodeState { machine_id: "ab".to_owned(), ..node("v1.34.3", true, fresh) };
        let other = NodeState { uid: "2".to_owned(), ..node("v1.34.3", true, fresh) };
        for (seen, says) in [
            (Some(node("v1.34.3", true, fresh)), "serves"),
            (Some(node("v1.34.3", true, "2026-01-01T00:00:09Z")), "not been heard of since"),
            (Some(node("v1.34.3", true, "")), "not been heard of since"),
            (Some(node("v1.33.4", true, fresh)), "its kubelet is 1.33.4, not 1.34.3"),
            (Some(node("v1.34.3", false, fresh)), "not Ready: KubeletReady: m"),
            (Some(unheard), "it is not Ready"),
            (Some(other), "another Node has taken its name"),
            (Some(elsewhere), "it is another machine's"),
            (None, "no such Node"),
        ] {
            let judged = expected().judge(seen.as_ref());
            let text = judged.map_or_else(|why| why.to_string(), |()| "serves".to_owned());
            assert!(text.contains(says), "{text}");
        }
        let unchanged = Expected { heard_since: None, ..expected() };
        assert_eq!(unchanged.judge(Some(&node("v1.34.3", true, ""))), Ok(()));
    }

    #[test]
    fn a_gate_waits_for_a_node_that_stays_as_expected() {
        let good = || Ok(Some(node("v1.34.3", true, "2026-01-01T00:00:11Z")));
        let bad = || Ok(Some(node("v1.34.3", false, "2026-01-01T00:00:11Z")));
        let away = || Err(Unfit::Unseen("no answer".to_owned()));
        let run = |seen: &[Result<Option<NodeState>, Unfit>]| {
            let mut gate = Gate::new(expected(), Duration::from_secs(6), Duration::from_secs(3));
            let verdicts = seen
                .iter()
                .enumerate()
                .map(|(at, seen)| gate.see(Duration::from_secs(at as u64), seen.clone()));
            verdicts.enumerate().find(|(_, verdict)| *verdict != Verdict::Wait)
        };
        assert_eq!(run(&[bad(), good(), good(), good(), good()]), Some((4, Verdict::Serves)));
        assert_eq!(run(&[good(), good(), good()]), None);
        // One look that finds it amiss begins the wait anew.
        assert_eq!(
            run(&[good(), good(), away(), good(), good(), good(), good()]),
            Some((6, Verdict::Serves))
        );
        // Who is as expected when the time is over may still stay so.
        let late = [bad(), bad(), bad(), bad(), bad(), good(), good(), good(), good()];
        assert_eq!(run(&late), Some((8, Verdict::Serves)));
        let never = [bad(), bad(), bad(), bad(), bad(), bad(), away()];
        assert_eq!(run(&never), Some((6, Verdict::Fails(Unfit::Unseen("no answer".to_owned())))));
    }
}
