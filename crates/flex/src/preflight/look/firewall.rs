//! Whether a firewall keeps others from kubelet's port. It is read, and never changed.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use slipway_host::{Exit, Host, Program};

use super::super::Firewall;
use super::{exists, text};

const PORT: u64 = 10250;
const NFT: &str = "/usr/sbin/nft";
const IPTABLES: [&str; 2] = ["/usr/sbin/iptables-legacy", "/usr/sbin/iptables"];
/// The tables of the kernel's older interface that are loaded.
const LOADED: &str = "/proc/net/ip_tables_names";
const WITHIN: Duration = Duration::from_secs(5);

/// The firewalls that close the port; `None` where nothing tells.
pub(super) fn closed(host: &dyn Host) -> Option<Vec<Firewall>> {
    if let Some(closes) = ufw(host) {
        let opens = "ufw allow 10250/tcp opens it".to_owned();
        return Some(if closes { vec![Firewall { name: "ufw", opens }] } else { Vec::new() });
    }
    if let Some(closes) = firewalld(host) {
        let opens =
            "firewall-cmd --permanent --add-port=10250/tcp and firewall-cmd --reload open it".to_owned();
        return Some(if closes { vec![Firewall { name: "firewalld", opens }] } else { Vec::new() });
    }
    let tables = [
        (
            "nftables",
            ruleset(host).map(|it| nftables(&it)),
            "a rule `tcp dport 10250 accept` in the table's input chain opens it",
        ),
        (
            "iptables",
            older(host).map(|it| iptables(&it)),
            "iptables -I INPUT -p tcp --dport 10250 -j ACCEPT opens it; what is loaded at boot has to have it too, on Azure Linux \
             /etc/systemd/scripts/ip4save",
        ),
    ];
    if tables.iter().all(|(_, closes, _)| closes.is_none()) {
        return None;
    }
    let closing = tables.into_iter().filter(|(_, closes, _)| *closes == Some(true));
    Some(closing.map(|(name, _, opens)| Firewall { name, opens: opens.to_owned() }).collect())
}

/// Whether ufw closes the port, where it is on.
fn ufw(host: &dyn Host) -> Option<bool> {
    let says = |text: &str, key: &str, value: &str| {
        text.lines()
            .any(|line| line.trim().strip_prefix(key).is_some_and(|said| said.trim_matches('"') == value))
    };
    let on = says(&text(host, "/etc/ufw/ufw.conf")?, "ENABLED=", "yes");
    if !on {
        return None;
    }
    let open = says(&text(host, "/etc/default/ufw").unwrap_or_default(), "DEFAULT_INPUT_POLICY=", "ACCEPT");
    let rules = text(host, "/etc/ufw/user.rules").unwrap_or_default();
    let allows = |line: &str| line.contains("--dport 10250") && line.trim_end().ends_with("-j ACCEPT");
    Some(!open && !rules.lines().any(allows))
}

/// Whether firewalld closes the port, where it runs.
fn firewalld(host: &dyn Host) -> Option<bool> {
    let state = host.unit("firewalld.service").ok()?;
    if !state.exists || !state.runs() {
        return None;
    }
    let zones = Path::new("/etc/firewalld/zones");
    let names = host.list(zones).unwrap_or_default();
    let mut texts = names.iter().filter_map(|name| host.read(&zones.join(name)).ok());
    let is_open = texts.any(|zone| {
        let zone = String::from_utf8_lossy(&zone).into_owned();
        zone.contains("port=\"10250\"") || zone.contains("<zone target=\"ACCEPT\">")
    });
    let config = text(host, "/etc/firewalld/firewalld.conf").unwrap_or_default();
    let trusts = config.lines().any(|line| line.trim() == "DefaultZone=trusted");
    Some(!is_open && !trusts)
}

fn ruleset(host: &dyn Host) -> Option<Value> {
    if !exists(host, NFT) {
        return None;
    }
    let arguments = ["--json", "list", "ruleset"].map(str::to_owned).into();
    let program = Program { path: NFT.into(), arguments, input: None, within: WITHIN };
    let ended = host.run(&program).ok().filter(|ended| ended.exit == Exit::Code(0))?;
    serde_json::from_slice(&ended.stdout).ok()
}

/// The rules of the kernel's older interface, which Azure Linux loads at boot and nft does not show. To ask for them loads the
/// interface's modules, so nobody is asked where they are not loaded.
fn older(host: &dyn Host) -> Option<String> {
    text(host, LOADED)?.lines().find(|table| *table == "filter")?;
    let path = IPTABLES.into_iter().find(|path| exists(host, path))?;
    let program = Program {
        path: path.into(),
        arguments: vec!["--list-rules".to_owned()],
        input: None,
        within: WITHIN,
    };
    let ended = host.run(&program).ok().filter(|ended| ended.exit == Exit::Code(0))?;
    String::from_utf8(ended.stdout).ok()
}

/// Whether rules, as iptables lists them, keep others from the port.
fn iptables(rules: &str) -> bool {
    let of_port = rules.lines().filter(|rule| lists_port(rule));
    let of_all = rules.lines().filter(|rule| rule.starts_with("-A INPUT -j "));
    let about: Vec<&str> = of_port.chain(of_all).collect();
    if about.iter().any(|rule| after(rule, "-j") == Some("ACCEPT")) {
        return false;
    }
    let drops = |rule: &&str| matches!(after(rule, "-j"), Some("DROP" | "REJECT"));
    rules.lines().any(|rule| rule == "-P INPUT DROP") || about.iter().any(drops)
}

/// Whether a rule, as iptables lists it, is about TCP connections to the port.
fn lists_port(rule: &str) -> bool {
    let holds = |ports: &str| {
        ports.split(',').any(|part| {
            let (from, to) = part.split_once(':').unwrap_or((part, part));
            matches!((from.parse::<u64>(), to.parse::<u64>()), (Ok(from), Ok(to)) if (from..=to).contains(&PORT))
        })
    };
    let ports = after(rule, "--dport").or_else(|| after(rule, "--dports"));
    after(rule, "-p") == Some("tcp") && !rule.contains("! --dport") && ports.is_some_and(holds)
}

/// The word after another one.
fn after<'a>(rule: &'a str, word: &str) -> Option<&'a str> {
    let mut words = rule.split_whitespace();
    words.find(|it| *it == word)?;
    words.next()
}

/// Whether a chain for what comes in drops by default or names the port to drop it, and no rule of its table lets it in.
fn nftables(ruleset: &Value) -> bool {
    let objects = || ruleset["nftables"].as_array().into_iter().flatten();
    let of = |object: &Value| (object["family"].clone(), object["table"].clone());
    let rules = || objects().map(|object| &object["rule"]).filter(|rule| rule.is_object());
    let inputs = objects().map(|object| &object["chain"]).filter(|chain| chain["hook"] == "input");
    inputs.into_iter().any(|chain| {
        let in_table = || rules().filter(|rule| of(rule) == of(chain));
        if in_table().any(|rule| names_port(rule) && has_verdict(rule, &["accept"])) {
            return false;
        }
        let in_chain = || in_table().filter(|rule| rule["chain"] == chain["name"]);
        let dropped = in_table().any(|rule| names_port(rule) && has_verdict(rule, &["drop", "reject"]));
        // A rule without a condition is the chain's policy in other words.
        let accepts = in_chain().any(|rule| is_unconditional(rule) && has_verdict(rule, &["accept"]));
        let drops = in_chain().any(|rule| is_unconditional(rule) && has_verdict(rule, &["drop", "reject"]));
        dropped || (chain["policy"] == "drop" && !accepts) || (drops && !accepts)
    })
}

fn expressions(rule: &Value) -> impl Iterator<Item = &Value> {
    rule["expr"].as_array().into_iter().flatten()
}

fn has_verdict(rule: &Value, verdicts: &[&str]) -> bool {
    expressions(rule).any(|part| verdicts.iter().any(|verdict| part.get(verdict).is_some()))
}

fn is_unconditional(rule: &Value) -> bool {
    !expressions(rule).any(|part| part.get("match").is_some() || part.get("xt").is_some())
}

/// Whether a rule is about TCP connections to the port.
fn names_port(rule: &Value) -> bool {
    expressions(rule).any(|part| {
        let matched = &part["match"];
        let payload = &matched["left"]["payload"];
        payload["protocol"] == "tcp"
            && payload["field"] == "dport"
            && matched["op"] != "!="
            && holds_port(&matched["right"])
    })
}

fn holds_port(right: &Value) -> bool {
    match right {
        Value::Number(number) => number.as_u64() == Some(PORT),
        Value::Array(items) => items.iter().any(holds_port),
        Value::Object(members) => match (members.get("range"), members.get("set")) {
            (Some(range), _) => {
                let end = |at: usize| range[at].as_u64();
                matches!((end(0), end(1)), (Some(from), Some(to)) if (from..=to).contains(&PORT))
            }
            (None, Some(set)) => holds_port(set),
            (None, None) => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slipway_host::{Recorded, UnitState};

    use super::*;

    fn ruleset(policy: &str, rules: &[Value]) -> Value {
        let chain = json!({"chain": {"family": "inet", "table": "filter", "name": "input", "hook": "input", "policy": policy}});
        let rules = rules.iter().map(|expressions| {
            json!({"rule": {"family": "inet", "table": "filter", "chain": "input", "expr": expressions}})
        });
        let objects: Vec<Value> = std::iter::once(chain).chain(rules).collect();
        json!({ "nftables": objects })
    }

    fn port(right: &Value, verdict: &str) -> Value {
        let left = json!({"payload": {"protocol": "tcp", "field": "dport"}});
        json!([{"match": {"op": "==", "left": left, "right": right}}, {verdict: null}])
    }

    #[test]
    fn a_table_closes_the_port_unless_a_rule_opens_it() {
        let ssh = port(&json!(22), "accept");
        for (ruleset, closes) in [
            (ruleset("accept", &[]), false),
            (ruleset("drop", &[]), true),
            (ruleset("drop", std::slice::from_ref(&ssh)), true),
            (ruleset("drop", &[ssh.clone(), port(&json!(10250), "accept")]), false),
            (ruleset("drop", &[port(&json!({"set": [22, {"range": [10000, 11000]}]}), "accept")]), false),
            (ruleset("accept", &[port(&json!(10250), "drop")]), true),
            (ruleset("accept", &[ssh, json!([{"counter": {}}, {"reject": null}])]), true),
            (ruleset("drop", &[json!([{"accept": null}])]), false),
            (json!({ "nftables": [{"metainfo": {}}] }), false),
        ] {
            assert_eq!(nftables(&ruleset), closes, "{ruleset}");
        }
    }

    #[test]
    fn rules_of_iptables_close_the_port_unless_one_opens_it() {
        let ssh = "-P INPUT DROP\n-P FORWARD DROP\n-A INPUT -i lo -j ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n";
        for (more, closes) in [
            ("", true),
            ("-A INPUT -p tcp -m tcp --dport 10250 -j ACCEPT\n", false),
            ("-A INPUT -s 10.0.0.0/8 -p tcp -m multiport --dports 22,10000:11000 -j ACCEPT\n", false),
            ("-A INPUT -p udp -m udp --dport 10250 -j ACCEPT\n", true),
            ("-A INPUT -j ACCEPT\n", false),
        ] {
            assert_eq!(iptables(&format!("{ssh}{more}")), closes, "{more}");
        }
        assert!(!iptables("-P INPUT ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n"));
        assert!(iptables("-P INPUT ACCEPT\n-A INPUT -j REJECT --reject-with icmp-port-unreachable\n"));
    }

    #[test]
    fn the_firewall_that_is_on_is_the_one_that_is_asked() {
        let names = |host: &Recorded| -> Option<Vec<&str>> {
            closed(host).map(|found| found.iter().map(|firewall| firewall.name).collect())
        };
        assert_eq!(names(&Recorded::live()), None);
        let ufw = |rules: &str| {
            Recorded::live().with_files([
                ("/etc/ufw/ufw.conf", "ENABLED=yes\n", 0o644),
                ("/etc/default/ufw", "DEFAULT_INPUT_POLICY=\"DROP\"\n", 0o644),
                ("/etc/ufw/user.rules", rules, 0o640),
            ])
        };
        assert_eq!(names(&ufw("-A ufw-user-input -p tcp --dport 22 -j ACCEPT\n")), Some(vec!["ufw"]));
        assert_eq!(names(&ufw("-A ufw-user-input -p tcp --dport 10250 -j ACCEPT\n")), Some(vec![]));
        let runs = UnitState { exists: true, active: "active".into(), ..UnitState::default() };
        let firewalld = || Recorded::live().with_unit_state("firewalld.service", runs.clone());
        assert_eq!(names(&firewalld()), Some(vec!["firewalld"]));
        let open = ("/etc/firewalld/zones/public.xml", "<port port=\"10250\" protocol=\"tcp\"/>", 0o644);
        assert_eq!(names(&firewalld().with_files([open])), Some(vec![]));
        let nft = Recorded::live().with_files([(NFT, "", 0o755)]).with_program(
            NFT,
            0,
            &ruleset("drop", &[]).to_string(),
        );
        assert_eq!(names(&nft), Some(vec!["nftables"]));
        // As Azure Linux has it, once its tables are loaded; before, nobody is asked.
        let path = IPTABLES[1];
        let unloaded =
            || Recorded::live().with_files([(path, "", 0o755)]).with_program(path, 0, "-P INPUT DROP\n");
        assert_eq!((names(&unloaded()), unloaded().changes()), (None, Vec::new()));
        let loaded = unloaded().with_files([(LOADED, "nat\nfilter\n", 0o440)]);
        assert_eq!(names(&loaded), Some(vec!["iptables"]));
        assert!(
            nft.changes().iter().all(|call| call == "run /usr/sbin/nft --json list ruleset"),
            "{:?}",
            nft.changes()
        );
    }
}
