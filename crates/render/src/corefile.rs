//! The Corefile of the node-local DNS server.

use std::borrow::Cow;
use std::fmt::Write as _;

use slipway_model::Mode;

use crate::form::{ADDRESS, DOMAIN, DURATION, Form, one_word, same_domain};

/// Where pods with the node's own resolver, and kubelet, ask.
const NODE_LISTENER: &str = "169.254.10.10";
/// Where pods of the cluster ask.
const CLUSTER_LISTENER: &str = "169.254.10.11";
/// The cloud's own resolver.
const AZURE_DNS: &str = "168.63.129.16";
/// The cluster's resolver, unless the cluster says otherwise.
const CLUSTER_DNS: &str = "10.0.0.10";

/// What AKS documents for queries at once, seconds in the cache and seconds beyond them, where none are given.
const DEFAULT_CONCURRENT: i32 = 1000;
const DEFAULT_CACHE_SECONDS: i32 = 3600;
const DEFAULT_STALE_SECONDS: i32 = 3600;

/// The node-local DNS server.
#[derive(Debug, Clone, Default)]
pub struct LocalDns<'a> {
    /// Settings by domain for queries of the node.
    pub vnet: Vec<(&'a str, Override<'a>)>,
    /// Settings by domain for queries of pods.
    pub kube: Vec<(&'a str, Override<'a>)>,
    /// The cluster's resolver; empty for the usual one.
    pub cluster_dns: &'a str,
}

/// How queries for a domain are treated. The words are AKS's own; an unknown one means the same as none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Override<'a> {
    /// `Error` or `Log`.
    pub query_logging: &'a str,
    /// `ForceTCP` or `PreferUDP`.
    pub protocol: &'a str,
    /// `ClusterCoreDNS` or `VnetDNS`.
    pub forward_destination: &'a str,
    /// `Sequential`, `RoundRobin` or `Random`.
    pub forward_policy: &'a str,
    /// Queries at once.
    pub max_concurrent: Option<i32>,
    /// Seconds that an answer is kept.
    pub cache_seconds: Option<i32>,
    /// Seconds that an answer is given beyond them.
    pub stale_seconds: Option<i32>,
    /// `Verify`, `Immediate` or `Disable`.
    pub serve_stale: &'a str,
    /// Whether to fail at once when no resolver answers.
    pub fail_fast: bool,
    /// How often resolvers are checked; empty for not at all.
    pub health_check: &'a str,
    /// Whether the check asks without recursion.
    pub health_check_no_recursion: bool,
    /// What the check asks for; empty for the root.
    pub health_check_domain: &'a str,
}

/// Whether the names of the hosts file come before all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// They do.
    First,
    /// There is no such file.
    Unused,
}

/// A setting that a Corefile cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} of the node-local DNS server is {value:?}: that is not {needed}")]
pub struct CorefileError {
    /// Which setting.
    pub what: &'static str,
    /// What was asked for.
    pub value: String,
    /// What it should have been.
    pub needed: &'static str,
}

/// The text of the Corefile.
///
/// In [`Mode::Compat`] an unset number is `<nil>`, as the peer has it, and an odd word is quoted. In [`Mode::Ours`]
/// an unset number is the documented default, no seconds are no cache, and what CoreDNS refuses is an error.
pub fn corefile(dns: &LocalDns<'_>, hosts: Hosts, mode: Mode) -> Result<String, CorefileError> {
    let mut out = String::with_capacity(4096);
    out.push_str("# Written by the node's provisioning; changes made here are lost.\n");
    let _ = writeln!(out, "# The health check of this server asks here.\nhealth-check.localdns.local:53 {{");
    let _ = writeln!(out, "    bind {NODE_LISTENER} {CLUSTER_LISTENER}\n    whoami\n}}");
    for (audience, heading, blocks) in [
        (Audience::Node, "# Queries of the node itself and of pods with its resolver.\n", &dns.vnet),
        (Audience::Pods, "# Queries of the other pods.\n", &dns.kube),
    ] {
        out.push_str(heading);
        for (at, (domain, settings)) in blocks.iter().enumerate() {
            if mode == Mode::Ours && blocks[..at].iter().any(|(other, _)| same_domain(domain, other)) {
                return Err(CorefileError {
                    what: "a domain",
                    value: (*domain).into(),
                    needed: "there only once",
                });
            }
            Block { dns, hosts, mode, domain, settings, audience }.write(&mut out)?;
        }
    }
    Ok(out)
}

type Word<'w> = Result<Cow<'w, str>, CorefileError>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    Node,
    Pods,
}

struct Block<'b, 'a> {
    dns: &'b LocalDns<'a>,
    hosts: Hosts,
    mode: Mode,
    domain: &'a str,
    settings: &'b Override<'a>,
    audience: Audience,
}

impl Block<'_, '_> {
    // Writing to a string cannot fail, so the results of `writeln!` are dropped here.
    fn write(&self, out: &mut String) -> Result<(), CorefileError> {
        let (listener, identity) = match self.audience {
            Audience::Node => (NODE_LISTENER, "localdns"),
            Audience::Pods => (CLUSTER_LISTENER, "localdns-pod"),
        };
        self.word("a domain", self.domain, &DOMAIN)?;
        let _ = writeln!(out, "{} {{", one_word(&format!("{}:53", self.domain)));
        match self.settings.query_logging {
            "Error" => out.push_str("    errors\n"),
            "Log" => out.push_str("    log\n"),
            _ => {}
        }
        let _ = writeln!(out, "    bind {listener}");
        if self.is_root() && self.hosts == Hosts::First {
            out.push_str("    # The names that a node cannot live without.\n");
            out.push_str("    hosts /etc/localdns/hosts {\n        ttl 5\n        reload 5s\n        fallthrough\n    }\n");
        }
        self.forward(out)?;
        let _ = writeln!(out, "    ready {listener}:8181");
        self.cache(out)?;
        let _ = writeln!(out, "    loop\n    nsid {identity}\n    prometheus :9253");
        if self.is_root() {
            out.push_str(concat!(
                "    template ANY ANY internal.cloudapp.net {\n",
                r#"        match "^(?:[^.]+\.){4,}internal\.cloudapp\.net\.$""#,
                "\n        rcode NXDOMAIN\n        fallthrough\n    }\n",
                "    template ANY ANY reddog.microsoft.com {\n        rcode NXDOMAIN\n    }\n",
            ));
        }
        out.push_str("}\n");
        Ok(())
    }

    fn forward(&self, out: &mut String) -> Result<(), CorefileError> {
        let settings = self.settings;
        let _ = writeln!(out, "    forward . {} {{", self.target()?);
        match settings.protocol {
            "ForceTCP" => out.push_str("        force_tcp\n"),
            "PreferUDP" => out.push_str("        prefer_udp\n"),
            _ => {}
        }
        let policy = match settings.forward_policy {
            "RoundRobin" => "round_robin",
            "Random" => "random",
            _ => "sequential",
        };
        let concurrent = self.number("a number of queries", settings.max_concurrent, DEFAULT_CONCURRENT)?;
        let _ = writeln!(out, "        policy {policy}\n        max_concurrent {concurrent}");
        if !settings.health_check.is_empty() {
            let interval = self.word("a health check", settings.health_check, &DURATION)?;
            let _ = write!(out, "        health_check {interval}");
            if settings.health_check_no_recursion {
                out.push_str(" no_rec");
            }
            if !settings.health_check_domain.is_empty() {
                let domain = self.word("a health check's domain", settings.health_check_domain, &DOMAIN)?;
                let _ = write!(out, " domain {domain}");
            }
            out.push('\n');
        }
        if settings.fail_fast {
            out.push_str("        failfast_all_unhealthy_upstreams\n");
        }
        out.push_str("    }\n");
        Ok(())
    }

    fn cache(&self, out: &mut String) -> Result<(), CorefileError> {
        if self.mode == Mode::Ours && self.settings.cache_seconds == Some(0) {
            return Ok(());
        }
        let seconds =
            self.number("a time in the cache", self.settings.cache_seconds, DEFAULT_CACHE_SECONDS)?;
        let _ = writeln!(out, "    cache {seconds} {{\n        success 9984\n        denial 9984");
        if let stale @ ("Verify" | "Immediate") = self.settings.serve_stale {
            let seconds = self.number("a stale time", self.settings.stale_seconds, DEFAULT_STALE_SECONDS)?;
            let _ = writeln!(out, "        serve_stale {seconds}s {}", stale.to_ascii_lowercase());
        }
        out.push_str("        servfail 0\n    }\n");
        Ok(())
    }

    /// The resolver that is asked. The node's root domain never leads into the cluster: the node needs names
    /// before there is a cluster's resolver.
    fn target(&self) -> Word<'_> {
        let in_cluster = match self.mode {
            // A plain suffix, so `foocluster.local` counts.
            Mode::Compat => self.domain.ends_with("cluster.local"),
            Mode::Ours => self.domain == "cluster.local" || self.domain.ends_with(".cluster.local"),
        };
        if self.is_root() && self.audience == Audience::Node
            || !in_cluster && self.settings.forward_destination != "ClusterCoreDNS"
        {
            return Ok(AZURE_DNS.into());
        }
        match self.dns.cluster_dns {
            "" => Ok(CLUSTER_DNS.into()),
            address => self.word("the cluster's resolver", address, &ADDRESS),
        }
    }

    fn is_root(&self) -> bool {
        self.domain == "."
    }

    fn number(&self, what: &'static str, value: Option<i32>, default: i32) -> Word<'static> {
        match (value, self.mode) {
            (Some(value @ ..0), Mode::Ours) => {
                Err(CorefileError { what, value: value.to_string(), needed: "zero or more" })
            }
            (Some(value), _) => Ok(value.to_string().into()),
            (None, Mode::Ours) => Ok(default.to_string().into()),
            (None, Mode::Compat) => Ok("<nil>".into()),
        }
    }

    /// A value as one word. What CoreDNS would refuse is refused here, before the node has lost its names by it.
    fn word<'w>(&self, what: &'static str, value: &'w str, form: &Form) -> Word<'w> {
        match self.mode {
            Mode::Ours if !(form.fits)(value) => {
                Err(CorefileError { what, value: value.to_owned(), needed: form.name })
            }
            _ => Ok(one_word(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(dns: &LocalDns<'_>, mode: Mode) -> String {
        corefile(dns, Hosts::Unused, mode).unwrap()
    }

    fn vnet<'a>(domain: &'a str, settings: Override<'a>) -> LocalDns<'a> {
        LocalDns { vnet: vec![(domain, settings)], ..LocalDns::default() }
    }

    #[test]
    fn unset_numbers_are_defaults_in_our_mode_and_nil_in_the_peers() {
        let dns = vnet("contoso.com", Override { serve_stale: "Verify", ..Override::default() });
        let ours = render(&dns, Mode::Ours);
        for line in ["max_concurrent 1000\n", "cache 3600 {", "serve_stale 3600s verify\n"] {
            assert!(ours.contains(line), "{line}");
        }
        let compat = render(&dns, Mode::Compat);
        for line in ["max_concurrent <nil>\n", "cache <nil> {", "serve_stale <nil>s verify\n"] {
            assert!(compat.contains(line), "{line}");
        }
    }

    #[test]
    fn only_the_clusters_own_domains_go_to_the_cluster() {
        let target = |domain, destination, mode| {
            let settings = Override { forward_destination: destination, ..Override::default() };
            let text = render(&vnet(domain, settings), mode);
            text.lines().find_map(|line| line.trim().strip_prefix("forward . ").map(str::to_owned)).unwrap()
        };
        for mode in [Mode::Compat, Mode::Ours] {
            assert_eq!(target("cluster.local", "VnetDNS", mode), "10.0.0.10 {");
            assert_eq!(target("svc.cluster.local", "", mode), "10.0.0.10 {");
            assert_eq!(target("contoso.com", "", mode), "168.63.129.16 {");
            assert_eq!(target("contoso.com", "ClusterCoreDNS", mode), "10.0.0.10 {");
            assert_eq!(target(".", "ClusterCoreDNS", mode), "168.63.129.16 {");
        }
        assert_eq!(target("foocluster.local", "", Mode::Compat), "10.0.0.10 {");
        assert_eq!(target("foocluster.local", "", Mode::Ours), "168.63.129.16 {");
    }

    #[test]
    fn hosts_come_first_in_root_domains_only() {
        let settings = Override::default();
        let dns = LocalDns {
            vnet: vec![(".", settings), ("a", settings)],
            kube: vec![(".", settings)],
            cluster_dns: "",
        };
        let text = corefile(&dns, Hosts::First, Mode::Ours).unwrap();
        assert_eq!(text.matches("hosts /etc/localdns/hosts {").count(), 2);
        assert_eq!(text.matches("template ANY ANY").count(), 4);
    }

    #[test]
    fn no_value_breaks_out_of_its_place() {
        for odd in ["a b", "a\n}\nb", "a{$HOME}", "a\"b", "#", "a\\"] {
            let settings = Override { health_check: odd, ..Override::default() };
            for dns in [vnet(odd, Override::default()), vnet("a", settings)] {
                assert_eq!(corefile(&dns, Hosts::Unused, Mode::Ours).unwrap_err().value, odd);
                let quoted = odd.replace('\\', r"\\").replace('"', r#"\""#);
                assert!(render(&dns, Mode::Compat).contains(&format!("\"{quoted}")));
            }
        }
    }

    #[test]
    fn a_cache_of_no_seconds_is_none_and_a_negative_number_an_error() {
        let seconds = |seconds| vnet("a", Override { cache_seconds: Some(seconds), ..Override::default() });
        assert!(!render(&seconds(0), Mode::Ours).contains("cache"));
        assert!(render(&seconds(0), Mode::Compat).contains("cache 0 {"));
        let error = corefile(&seconds(-1), Hosts::Unused, Mode::Ours).unwrap_err().to_string();
        assert!(error.ends_with(r#" is "-1": that is not zero or more"#), "{error}");
    }

    #[test]
    fn a_health_check_has_all_its_parts_or_none() {
        let line = |settings| {
            let text = render(&vnet("a", settings), Mode::Ours);
            text.lines().find(|line| line.contains("health_check")).map(|line| line.trim().to_owned())
        };
        let check =
            Override { health_check_domain: "x.org", health_check_no_recursion: true, ..Override::default() };
        assert_eq!(line(check), None);
        let check = Override { health_check: "5s", ..check };
        assert_eq!(line(check).unwrap(), "health_check 5s no_rec domain x.org");
    }
}
