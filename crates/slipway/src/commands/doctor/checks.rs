//! The checks: each a question about what was seen, with what to do where the answer is bad.

use std::path::PathBuf;

use slipway_flex::preflight::{Check, Finding, Severity};
use slipway_model::ExitReason;

use super::observed::{Observed, Validity};

/// The checks of a node at work, in the order in which they are told.
pub(super) const CHECKS: &[Check<Observed>] = &[
    Check { id: "attempt", asks: "did the last attempt end well?", seen: |_| true, look: attempt },
    Check {
        id: "start",
        asks: "did nothing keep the node from becoming Ready?",
        seen: |seen| seen.start.is_some(),
        look: start,
    },
    Check {
        id: "contract",
        asks: "is the contract valid?",
        seen: |seen| seen.contract.is_some(),
        look: contract,
    },
    Check { id: "programs", asks: "are the node's programs there?", seen: |_| true, look: programs },
    Check {
        id: "units",
        asks: "do containerd and kubelet run?",
        seen: |seen| !seen.units.is_empty(),
        look: units,
    },
    Check {
        id: "runtime-socket",
        asks: "does containerd listen?",
        seen: |seen| seen.socket.is_some(),
        look: socket,
    },
    Check {
        id: "kubelet-health",
        asks: "does kubelet say that it is well?",
        seen: |seen| seen.kubelet.is_some(),
        look: kubelet,
    },
    Check {
        id: "certificates",
        asks: "are the certificates valid now?",
        seen: |seen| !seen.certificates.is_empty(),
        look: certificates,
    },
    Check {
        id: "authority",
        asks: "is the cluster's CA the contract's?",
        seen: |seen| seen.authority.is_some(),
        look: authority,
    },
    Check {
        id: "clock",
        asks: "is the clock right?",
        seen: |seen| seen.live || !seen.certificates.is_empty(),
        look: clock,
    },
    Check {
        id: "metadata",
        asks: "does the metadata service answer?",
        seen: |seen| seen.metadata.is_some(),
        look: metadata,
    },
    Check {
        id: "name-resolution",
        asks: "does the API server's name resolve?",
        seen: |seen| seen.server.is_some(),
        look: server,
    },
    Check {
        id: "managed-files",
        asks: "is everything as Slipway left it?",
        seen: |seen| seen.compared,
        look: drift,
    },
];

/// Warn this long before a certificate ends.
const SOON: i64 = 7 * 24 * 3600;

/// Certificates that begin later than this are not the reason, the clock is.
const SKEW: i64 = 60;

const YEAR_2024: i64 = 1_704_067_200;

fn finding(message: impl Into<String>, advice: impl Into<String>) -> Vec<Finding> {
    vec![Finding::blocks(message, advice)]
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

/// What the anatomy of a start recognises, where the node never became Ready; afterwards it is history.
fn start(seen: &Observed) -> Vec<Finding> {
    let Some(anatomy) = &seen.start else { return Vec::new() };
    if anatomy.milestones.contains_key("node-ready") {
        return Vec::new();
    }
    // How Slipway's own attempts end, another check tells better.
    let ours = seen.status.as_ref().is_some_and(|status| status.last.is_some());
    let told = |id: &str| ours && matches!(id, "attempt-failed" | "step-failed");
    let hindering = anatomy.findings.iter().filter(|found| found.hinders() && !told(found.id));
    hindering
        .map(|found| Finding::blocks(format!("{}: {}", found.about, found.message), found.advice))
        .collect()
}

fn contract(seen: &Observed) -> Vec<Finding> {
    match &seen.contract {
        None => Vec::new(),
        Some(Err(problem)) => finding(format!("it cannot be read: {problem}"), "run this as root"),
        Some(Ok(issues)) => issues
            .iter()
            .map(|issue| Finding {
                severity: Severity::Blocks,
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
            severity: Severity::Blocks,
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
        severity: Severity::Blocks,
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
            severity: Severity::Blocks,
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
            severity: Severity::Blocks,
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

fn drift(seen: &Observed) -> Vec<Finding> {
    let changed = |what: &String| Finding {
        severity: Severity::Blocks,
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
