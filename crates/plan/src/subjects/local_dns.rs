//! The DNS server on the node.

use slipway_model::node::{Domains, HostsFile, LocalDns, Treatment};
use slipway_model::{Attributes, ExitReason, Facts, Mode, Node, Sources};
use slipway_render::{
    CorefileError, Hosts, LocalDnsEnvironment, Override, UnitText, corefile, hosts_timer,
    local_dns_environment, local_dns_slice,
};

use crate::draft::Draft;
use crate::edit::Change;
use crate::machine::address;
use crate::op::{Action, Edit};
use crate::plan::Refusal;
use crate::step::{Step, StepId};

use super::units::image_unit;

const FILES: StepId = StepId("local-dns-files");
const COREFILE: &str = "/opt/azure/containers/localdns/localdns.corefile";
const EXPORTER: &str = "localdns-exporter.socket";
/// Where the exporter answers.
const EXPORTER_PORT: u16 = 9353;

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let Some(dns) = of.read(&node.dns.local) else { return };
    let files = Step::join(FILES, "configure the DNS server on the node")
        .or_degrade(ExitReason::Localdns)
        .because(&of);
    match configured(files, dns, &of) {
        Ok(step) => draft.add(exporter_address(step, of.clone(), facts)),
        Err(error) => {
            return draft.refuse(Refusal {
                what: "local_dns_profile".into(),
                message: error.to_string(),
                hint: "correct the setting, or switch the server off".into(),
            });
        }
    }
    let mut with_hosts = of.clone();
    let hosts = with_hosts.read(&dns.hosts).as_ref();
    if hosts.is_some_and(|hosts| !with_hosts.read(&hosts.names).is_empty()) {
        draft.add(
            Step::join(StepId("local-dns-hosts"), "keep critical names at hand")
                .or_degrade(ExitReason::Localdns)
                .after(&[FILES])
                .because(&with_hosts)
                .op(with_hosts, image_unit("aks-localdns-hosts-setup.timer")),
        );
    }
    // The image orders this unit before containerd and kubelet: started with them, it would hold both up.
    draft.add(
        Step::after_ready(StepId("local-dns"), "start the DNS server on the node")
            .or_degrade(ExitReason::Localdns)
            .after(&[FILES])
            .because(&of)
            .op(of.clone(), image_unit("localdns.service")),
    );
    draft.add(
        Step::after_ready(StepId("local-dns-exporter"), "show the DNS server's numbers")
            .or_degrade(ExitReason::Localdns)
            .after(&[FILES])
            .because(&of)
            .op(of, image_unit(EXPORTER)),
    );
}

fn configured(mut step: Step, dns: &LocalDns, why: &Sources) -> Result<Step, CorefileError> {
    let mut of = why.clone();
    let settings = slipway_render::LocalDns {
        vnet: domains(&mut of, &dns.vnet),
        kube: domains(&mut of, &dns.kube),
        cluster_dns: of.read(&dns.cluster_dns).as_str(),
    };
    let plain = corefile(&settings, Hosts::Unused, Mode::Ours)?;
    let first = corefile(&settings, Hosts::First, Mode::Ours)?;
    step = step.file(of.clone(), COREFILE, 0o644, plain.as_str());
    let hosts = of.read(&dns.hosts).as_ref();
    let names = hosts.map(|hosts| of.read(&hosts.names).as_slice()).unwrap_or_default();
    let environment =
        LocalDnsEnvironment { corefile: &plain, corefile_with_hosts: &first, hosts: hosts.is_some(), names };
    step = step.file(of, "/etc/localdns/environment", 0o644, local_dns_environment(environment));
    let mut of = why.clone();
    let slice = local_dns_slice(*of.read(&dns.milli_cores), *of.read(&dns.megabytes));
    step = step.file(of, "/etc/systemd/system/localdns.slice", 0o644, slice);
    let mut of = why.clone();
    Ok(match of.read(&dns.hosts) {
        Some(hosts) => hosts_files(step, of, hosts),
        None => step,
    })
}

fn hosts_files(step: Step, mut of: Sources, hosts: &HostsFile) -> Step {
    let filled_by_others = Edit {
        path: "/etc/localdns/hosts".into(),
        attributes: Attributes::root(0o644),
        exact: false,
        change: Change::Present,
    };
    let step = step.op(of.clone(), Action::Edit(filled_by_others));
    let Some(seconds) = *of.read(&hosts.refresh_seconds) else { return step };
    let path = "/etc/systemd/system/aks-localdns-hosts-setup.timer.d/10-refresh-interval.conf";
    step.file(of, path, 0o644, hosts_timer(seconds))
}

/// The exporter answers at the node's address only, where that is known.
fn exporter_address(step: Step, mut of: Sources, facts: &Facts) -> Step {
    let Some(node) = address(facts, &mut of) else { return step };
    let text = UnitText::section("Socket")
        .set("ListenStream", "")
        .set("ListenStream", &std::net::SocketAddr::new(node, EXPORTER_PORT).to_string());
    step.file(of, format!("/etc/systemd/system/{EXPORTER}.d/10-listen-address.conf"), 0o644, text.finish())
}

fn domains<'n>(of: &mut Sources, domains: &'n Domains) -> Vec<(&'n str, Override<'n>)> {
    let domains = of.read(domains).iter();
    domains.map(|(domain, treatment)| (domain.as_str(), settings(of.read(treatment)))).collect()
}

fn settings(of: &Treatment) -> Override<'_> {
    Override {
        query_logging: &of.query_logging,
        protocol: &of.protocol,
        forward_destination: &of.forward_destination,
        forward_policy: &of.forward_policy,
        max_concurrent: of.max_concurrent,
        cache_seconds: of.cache_seconds,
        stale_seconds: of.stale_seconds,
        serve_stale: &of.serve_stale,
        fail_fast: of.fail_fast,
        health_check: &of.health_check,
        health_check_no_recursion: of.health_check_no_recursion,
        health_check_domain: &of.health_check_domain,
    }
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step, try_plan};

    const DNS: &str = r#"{"version":"v1","local_dns_profile":{"enable_local_dns":true,"enable_hosts_plugin":true,"critical_fqdns":["a.example"],"hosts_plugin_refresh_interval_in_seconds":60,"cpu_limit_in_milli_cores":1000,"memory_limit_in_mb":64,"vnet_dns_overrides":{".":{"query_logging":"Error","protocol":"PreferUDP"}},"kube_dns_overrides":{"cluster.local":{"query_logging":"Log","health_check":{"duration":"5s"}}}},"cluster_config":{"cluster_network_config":{"core_dns_service_ip":"10.0.0.9"}}}"#;

    #[test]
    fn the_server_is_configured_started_and_never_waited_for() {
        let plan = plan(
            DNS,
            r#"{"imds":{"network":{"interface":[{"ipv4":{"ipAddress":[{"privateIpAddress":"10.1.0.4"}]}}]}}}"#,
        );
        assert_eq!(
            step(&plan, "local-dns-files"),
            "Join or degrade 216\nfile /opt/azure/containers/localdns/localdns.corefile 644\n\
             file /etc/localdns/environment 644\nfile /etc/systemd/system/localdns.slice 644\n\
             edit /etc/localdns/hosts Present\n\
             file /etc/systemd/system/aks-localdns-hosts-setup.timer.d/10-refresh-interval.conf 644\n\
             file /etc/systemd/system/localdns-exporter.socket.d/10-listen-address.conf 644\n"
        );
        assert_eq!(
            step(&plan, "local-dns"),
            "AfterReady or degrade 216\nrestart enable localdns.service if there\n"
        );
        assert!(
            file(&plan, "/etc/systemd/system/localdns-exporter.socket.d/10-listen-address.conf")
                .ends_with("ListenStream=\nListenStream=10.1.0.4:9353\n")
        );
        assert!(file(&plan, super::COREFILE).contains("10.0.0.9"));
    }

    #[test]
    fn every_setting_of_it_is_named_by_what_it_changes() {
        for (field, from, to) in [
            ("local_dns_profile.enable_local_dns", "dns\":true", "dns\":false"),
            ("local_dns_profile.enable_hosts_plugin", "plugin\":true", "plugin\":false"),
            ("local_dns_profile.critical_fqdns", "a.example", "b.example"),
            ("local_dns_profile.hosts_plugin_refresh_interval_in_seconds", "60", "61"),
            ("local_dns_profile.cpu_limit_in_milli_cores", "1000", "1001"),
            ("local_dns_profile.memory_limit_in_mb", "64", "65"),
            ("local_dns_profile.vnet_dns_overrides.protocol", "PreferUDP", "ForceTCP"),
            ("local_dns_profile.kube_dns_overrides.query_logging", "Log", "Error"),
            ("local_dns_profile.kube_dns_overrides.health_check.duration", "5s", "6s"),
            ("cluster_config.cluster_network_config.core_dns_service_ip", "10.0.0.9", "10.0.0.8"),
        ] {
            assert_named(field, DNS, &DNS.replace(from, to), "{}");
        }
    }

    #[test]
    fn every_setting_of_a_domain_is_named() {
        const SETTINGS: &str = r#""query_logging":"Error","protocol":"PreferUDP","forward_destination":"VnetDNS",
            "forward_policy":"Random","max_concurrent":11,"cache_duration_in_seconds":12,
            "serve_stale_duration_in_seconds":13,"serve_stale":"Verify","failfast_all_unhealthy_upstreams":false,
            "health_check":{"duration":"5s","no_rec":true,"domain":"b.example"}"#;
        for (setting, from, to) in [
            ("query_logging", "Error", "Log"),
            ("protocol", "PreferUDP", "ForceTCP"),
            ("forward_destination", "VnetDNS", "ClusterCoreDNS"),
            ("forward_policy", "Random", "RoundRobin"),
            ("max_concurrent", "11", "7"),
            ("cache_duration_in_seconds", "12", "7"),
            ("serve_stale_duration_in_seconds", "13", "7"),
            ("serve_stale", "Verify", "Disable"),
            ("failfast_all_unhealthy_upstreams", "false", "true"),
            ("health_check.duration", "5s", "7s"),
            ("health_check.no_rec", "\"no_rec\":true", "\"no_rec\":false"),
            ("health_check.domain", "b.example", "c.example"),
        ] {
            for map in ["vnet_dns_overrides", "kube_dns_overrides"] {
                let contract = format!(
                    r#"{{"local_dns_profile":{{"enable_local_dns":true,"{map}":{{"a.example":{{{SETTINGS}}}}}}}}}"#
                );
                let field = format!("local_dns_profile.{map}.{setting}");
                assert_named(&field, &contract, &contract.replace(from, to), "{}");
            }
        }
    }

    #[test]
    fn what_the_server_would_not_read_is_refused() {
        let odd = DNS.replace("10.0.0.9", "ten");
        assert!(try_plan(&odd, "{}").unwrap_err().to_string().contains("not an IP address"));
    }
}
