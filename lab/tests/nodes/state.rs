//! What a machine is like: everything that an attempt or a reset could change, as lines that can be compared.

use std::collections::BTreeMap;

use serde_json::Value;
use slipway_lab::Machine;

/// The lines of each subject.
pub(crate) struct State(BTreeMap<&'static str, Vec<String>>);

/// Paths that do not count, with what is below them, and why.
const UNCOUNTED: [(&str, &str); 6] = [
    ("/proc", "the kernel's"),
    ("/sys", "the kernel's"),
    ("/dev", "the kernel's"),
    ("/run", "of this boot only; units, mounts and links in it are compared by themselves"),
    ("/var/log", "logs stay, as documented"),
    ("/etc/shadow-", "the backup that the tools of accounts make by themselves"),
];

/// Path, type, mode, owner and target of everything that counts; then the digests of files.
const FILES: &str = r#"prune=(); for path; do prune+=(-path "$path" -o); done
find / \( "${prune[@]}" -false \) -prune -o -printf '%p %y %#m %U:%G %l\n'
find / \( "${prune[@]}" -false \) -prune -o -type f -print0 | xargs -0 sha256sum"#;

/// What we leave below `/run`, such as tokens. The lock stays: whoever works next takes the same one.
const OURS: &str = "find /run -maxdepth 2 -type f \\( -name '*slipway*' -o -name '*arc-connect*' -o -path '/run/slipway/*' \\) \
                    ! -name slipway-provision.lock";

impl State {
    /// What the machine is like now. Images and their layers belong to containerd, which was there before.
    pub(crate) fn of(machine: &Machine) -> Self {
        Self::without(machine, &["/var/lib/containerd"])
    }

    /// What a machine is like now that has nothing of a node.
    pub(crate) fn of_owned(machine: &Machine) -> Self {
        Self::without(machine, &[])
    }

    fn without(machine: &Machine, uncounted: &[&str]) -> Self {
        let shell = |script: &str| machine.run("bash", &["-c", script]).unwrap();
        let always = UNCOUNTED.map(|(path, _)| path);
        let files = machine.run("bash", &[&["-c", FILES, "files"], &always[..], uncounted].concat()).unwrap();
        let units = shell("systemctl list-units --plain --no-legend | awk '{print $1, $2, $3, $4}'");
        Self(BTreeMap::from([
            ("files", lines(&files)),
            ("unit files", lines(&shell("systemctl list-unit-files --plain --no-legend"))),
            ("units", lines(&units)),
            ("mounts", lines(&shell("findmnt --list --noheadings --output TARGET,SOURCE,FSTYPE"))),
            ("firewall", firewall(&shell("nft --json list ruleset"))),
            // The rest of the settings is shared with every other machine of the lab.
            ("settings", lines(&shell("sysctl --all --pattern '^net\\.' 2>/dev/null | grep -v _count"))),
            ("links", lines(&shell("ip -oneline link | cut -d: -f2"))),
            ("addresses", lines(&shell("ip -oneline address | awk '{print $2, $4}'"))),
            ("routes", lines(&shell("ip route; ip -6 route"))),
            ("our files of this boot", lines(&shell(OURS))),
            ("processes", lines(&shell("ps -e -o comm= | grep -vE '^(bash|ps|grep)$'"))),
        ]))
    }

    /// What another state has more (+) and less (-).
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (subject, before) in &self.0 {
            // How often each line is there more than before.
            let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
            for (lines, step) in [(before, -1), (&other.0[subject], 1)] {
                for line in lines {
                    *counts.entry(line).or_default() += step;
                }
            }
            for (line, count) in counts.into_iter().filter(|(_, count)| *count != 0) {
                found.push(format!("{} {subject}: {line}", if count < 0 { '-' } else { '+' }));
            }
        }
        found
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// Chains and rules. A hook that accepts everything is as good as none, and `iptables` cannot unmake the ones that it
/// makes for its tables.
fn firewall(text: &str) -> Vec<String> {
    let ruleset: Value = serde_json::from_str(text).unwrap();
    let counts = |object: &&Value| {
        let hook = object["chain"]["hook"].is_string() && object["chain"]["policy"] == "accept";
        !hook && object.get("metainfo").is_none() && object.get("table").is_none()
    };
    let objects = ruleset["nftables"].as_array().unwrap().iter();
    objects.filter(counts).map(|object| without_counters(object).to_string()).collect()
}

fn without_counters(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "counter" && *name != "handle");
            kept.map(|(name, value)| (name.clone(), without_counters(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_counters).collect(),
        other => other.clone(),
    }
}
