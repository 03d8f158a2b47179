//! The checks: each a question about what was seen, with what to do where the answer is bad.

use std::path::PathBuf;

use slipway_model::ExitReason;

use super::observed::{Observed, Validity};

/// Something that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) message: String,
    pub(super) advice: String,
}

/// A question.
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) asks: &'static str,
    /// Whether there was something to look at.
    pub(super) seen: fn(&Observed) -> bool,
    pub(super) look: fn(&Observed) -> Vec<Finding>,
}

/// Every check, in the order in which they are told.
pub(super) const CHECKS: &[Check] = &[
    Check { name: "attempt", asks: "did the last attempt end well?", seen: |_| true, look: attempt },
    Check {
        name: "contract",
        asks: "is the contract valid?",
        seen: |seen| seen.contract.is_some(),
        look: contract,
    },
    Check { name: "programs", asks: "are the node's programs there?", seen: |_| true, look: programs },
    Check {
        name: "units",
        asks: "do containerd and kubelet run?",
        seen: |seen| !seen.units.is_empty(),
        look: units,
    },
    Check {
        name: "runtime-socket",
        asks: "does containerd listen?",
        seen: |seen| seen.socket.is_some(),
        look: socket,
    },
    Check {
        name: "kubelet-health",
        asks: "does kubelet say that it is well?",
        seen: |seen| seen.kubelet.is_some(),
        look: kubelet,
    },
    Check {
        name: "certificates",
        asks: "are the certificates valid now?",
        seen: |seen| !seen.certificates.is_empty(),
        look: certificates,
    },
    Check {
        name: "authority",
        asks: "is the cluster's CA the contract's?",
        seen: |seen| seen.authority.is_some(),
        look: authority,
    },
    Check {
        name: "clock",
        asks: "is the clock right?",
        seen: |seen| seen.live || !seen.certificates.is_empty(),
        look: clock,
    },
    Check {
        name: "metadata",
        asks: "does the metadata service answer?",
        seen: |seen| seen.metadata.is_some(),
        look: metadata,
    },
    Check {
        name: "name-resolution",
        asks: "does the API server's name resolve?",
        seen: |seen| seen.server.is_some(),
        look: server,
    },
    Check {
        name: "disk",
        asks: "is there room on the disks?",
        seen: |seen| !seen.disks.is_empty(),
        look: disks,
    },
    Check { name: "swap", asks: "is swap off?", seen: |seen| seen.swaps.is_some(), look: swap },
    Check {
        name: "cgroups",
        asks: "are cgroups of version 2?",
        seen: |seen| seen.cgroup_v2.is_some(),
        look: cgroups,
    },
    Check {
        name: "managed-files",
        asks: "is everything as Slipway left it?",
        seen: |seen| seen.compared,
        look: drift,
    },
];

/// Warn this long before a certificate ends.
const SOON: i64 = 7 * 24 * 3600;

/// Certificates that begin later than this are not the reason, the clock is.
const SKEW: i64 = 60;

/// A disk with less than this share free makes kubelet evict pods.
const LEAST_SHARE: u64 = 10;

const YEAR_2024: i64 = 1_704_067_200;

fn finding(message: impl Into<String>, advice: impl Into<String>) -> Vec<Finding> {
    vec![Finding { message: message.into(), advice: advice.into() }]
}

fn attempt(seen: &Observed) -> Vec<Finding> {
    let Some(status) = &seen.status else {
        return finding("the records of earlier attempts cannot be read", "run this as root");
    };
    let Some(last) = &status.last else { return Vec::new() };
    match (&last.failure, last.ended) {
        (Some(failure), _) => {
            let reason = ExitReason::of(i64::from(failure.code));
            let hint = failure.hint.clone().or_else(|| reason.map(|reason| reason.hint().to_owned()));
            let step = failure.step.as_ref().map(|step| format!("step {step}: ")).unwrap_or_default();
            finding(
                format!("it failed with exit code {}: {step}{}", failure.code, failure.message),
                hint.unwrap_or_else(|| "slipway status tells more".to_owned()),
            )
        }
        (None, None) => finding(
            format!("it began at {} and has not ended: it runs, or it was killed", last.began),
            "if no slipway runs, provision again: it goes on where it was",
        ),
        (None, Some(_)) => Vec::new(),
    }
}

fn contract(seen: &Observed) -> Vec<Finding> {
    match &seen.contract {
        None => Vec::new(),
        Some(Err(problem)) => finding(format!("it cannot be read: {problem}"), "run this as root"),
        Some(Ok(issues)) => issues
            .iter()
            .map(|issue| Finding {
                message: format!("line {}:{}: {}: {}", issue.line, issue.column, issue.path, issue.message),
                advice: issue
                    .hint
                    .clone()
                    .unwrap_or_else(|| format!("rule {} in docs/reference/rules.md", issue.reason)),
            })
            .collect(),
    }
}

fn programs(seen: &Observed) -> Vec<Finding> {
    let missing = seen.programs.iter().filter(|(_, found)| !found);
    missing
        .map(|(name, _)| Finding {
            message: format!("{name} is in none of its usual places"),
            advice:
                "use an image that holds it; kubelet can also come from kube_binary_config.kube_binary_url"
                    .to_owned(),
        })
        .collect()
}

fn units(seen: &Observed) -> Vec<Finding> {
    let bad = seen.units.iter().filter(|(_, state)| state.active != "active");
    bad.map(|(name, state)| Finding {
        message: match (state.exists, state.active.as_str()) {
            (false, _) => format!("{name} does not exist"),
            (true, "failed") => format!("{name} failed: {}", state.result),
            (true, active) => format!("{name} is {active} ({})", state.sub),
        },
        advice: format!("journalctl -u {name} says why"),
    })
    .collect()
}

fn socket(seen: &Observed) -> Vec<Finding> {
    match seen.socket {
        Some(false) => finding(
            "/run/containerd/containerd.sock is not there",
            "journalctl -u containerd says why; a mistake in /etc/containerd/config.toml is the usual reason",
        ),
        _ => Vec::new(),
    }
}

fn kubelet(seen: &Observed) -> Vec<Finding> {
    match &seen.kubelet {
        Some(Err(problem)) => finding(problem.as_str(), "journalctl -u kubelet says why"),
        _ => Vec::new(),
    }
}

fn certificates(seen: &Observed) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, certificate) in &seen.certificates {
        let path = path.display();
        let problem = match certificate {
            Err(problem) => format!("{path}: {problem}"),
            Ok((_, end)) if signed(*end) < seen.now => {
                format!("{path} ended {} ago", days(seen.now - signed(*end)))
            }
            Ok((_, end)) if signed(*end) < seen.now + SOON => {
                format!("{path} ends in {}", days(signed(*end) - seen.now))
            }
            Ok(_) => continue,
        };
        findings.push(Finding {
            message: problem,
            advice: "kubelet renews its own certificates while it reaches the API server; others come with a new contract".to_owned(),
        });
    }
    findings
}

fn authority(seen: &Observed) -> Vec<Finding> {
    match &seen.authority {
        Some((wanted, found)) if !wanted.is_empty() && wanted.trim() != found.trim() => finding(
            "/etc/kubernetes/certs/ca.crt is not the certificate that the contract names",
            "the node trusts another cluster, or the cluster's CA was rotated: provision with a current contract",
        ),
        _ => Vec::new(),
    }
}

fn clock(seen: &Observed) -> Vec<Finding> {
    if seen.live && seen.now < YEAR_2024 {
        return finding("it stands before 2024", "let chrony or timesyncd set it before provisioning");
    }
    let future = |(path, certificate): &(PathBuf, Validity)| match certificate {
        Ok((start, _)) if signed(*start) > seen.now + SKEW => Some(Finding {
            message: format!("{} begins {} from now", path.display(), days(signed(*start) - seen.now)),
            advice: "the clock is slow: compare `date -u` with another machine".to_owned(),
        }),
        _ => None,
    };
    seen.certificates.iter().filter_map(future).collect()
}

fn metadata(seen: &Observed) -> Vec<Finding> {
    match seen.metadata {
        Some(false) => finding(
            "nothing answers at 169.254.169.254 as it does, so the machine cannot be held against its contract",
            "see that no proxy, route or firewall is in its way; for a machine that Azure did not make, give --facts",
        ),
        _ => Vec::new(),
    }
}

fn server(seen: &Observed) -> Vec<Finding> {
    match &seen.server {
        Some((name, Err(problem))) => finding(
            format!("{name}: {problem}"),
            "check /etc/resolv.conf and, for a private cluster, the link of its DNS zone to this network",
        ),
        _ => Vec::new(),
    }
}

fn disks(seen: &Observed) -> Vec<Finding> {
    let full = seen.disks.iter().filter_map(|(path, space)| {
        let share = space.free.saturating_mul(100).checked_div(space.size)?;
        let left = match (share, space.free_files) {
            (share, _) if share < LEAST_SHARE => format!("{share}% of its space is free"),
            (_, Some(0)) => "no more files can be made".to_owned(),
            _ => return None,
        };
        Some(Finding {
            message: format!("{}: {left}", path.display()),
            advice: "kubelet evicts pods on a full disk: remove images (crictl rmi --prune) and logs, or use a larger disk".to_owned(),
        })
    });
    full.collect()
}

fn swap(seen: &Observed) -> Vec<Finding> {
    // The first line is a heading.
    match seen.swaps.as_deref().and_then(|swaps| swaps.lines().nth(1)) {
        Some(line) => finding(
            format!("{} is in use", line.split_whitespace().next().unwrap_or_default()),
            "kubelet does not start with swap unless failSwapOn is false: swapoff -a, or set it in the contract",
        ),
        None => Vec::new(),
    }
}

fn cgroups(seen: &Observed) -> Vec<Finding> {
    match seen.cgroup_v2 {
        Some(false) => finding(
            "they are of version 1",
            "kubelet refuses version 1 from 1.35 on: boot with systemd.unified_cgroup_hierarchy=1",
        ),
        _ => Vec::new(),
    }
}

fn drift(seen: &Observed) -> Vec<Finding> {
    let changed = |what: &String| Finding {
        message: format!("{what} is not as planned"),
        advice: "slipway diff shows the difference, slipway provision mends it".to_owned(),
    };
    seen.drifted.iter().map(changed).collect()
}

fn signed(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

fn days(seconds: i64) -> String {
    match seconds / 3600 {
        hours if hours < 48 => format!("{hours} hours"),
        hours => format!("{} days", hours / 24),
    }
}

#[cfg(test)]
mod tests;
