//! What surrounds the Corefile of the node-local DNS server: its environment, its limits, its hosts file's timer.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::unit::UnitText;

/// What the server may use where nothing was said.
const PROCESSOR: &str = "200.0%";
const MEMORY: &str = "128M";
/// The hosts file is not refreshed more often than this.
const LEAST_REFRESH_SECONDS: u32 = 5;

/// What the server's unit reads from its environment.
#[derive(Debug, Clone, Copy)]
pub struct LocalDnsEnvironment<'a> {
    /// The Corefile.
    pub corefile: &'a str,
    /// The Corefile in which the names of the hosts file come first.
    pub corefile_with_hosts: &'a str,
    /// Whether there is a hosts file.
    pub hosts: bool,
    /// The names that are kept in the hosts file.
    pub names: &'a [String],
}

/// The environment file. Its Corefiles are base64, from which the image's scripts pick one at each start.
pub fn local_dns_environment(of: LocalDnsEnvironment<'_>) -> String {
    let plain = BASE64_STANDARD.encode(of.corefile);
    let hosts = BASE64_STANDARD.encode(of.corefile_with_hosts);
    let names = of.names.join(",");
    format!(
        "LOCALDNS_BASE64_ENCODED_COREFILE={plain}\nLOCALDNS_COREFILE_BASE={plain}\n\
         LOCALDNS_COREFILE_WITH_HOSTS={hosts}\nSHOULD_ENABLE_HOSTS_PLUGIN={}\nLOCALDNS_CRITICAL_FQDNS={names}\n",
        of.hosts
    )
}

/// The slice that bounds the server, from thousandths of a processor and megabytes.
pub fn local_dns_slice(milli_cores: Option<u32>, megabytes: Option<u32>) -> String {
    let processor = milli_cores
        .map_or(PROCESSOR.to_owned(), |thousandths| format!("{}.{}%", thousandths / 10, thousandths % 10));
    let memory = megabytes.map_or(MEMORY.to_owned(), |megabytes| format!("{megabytes}M"));
    UnitText::section("Unit")
        .set("Description", "Limits of the node-local DNS server")
        .set("DefaultDependencies", "no")
        .set("Before", "slices.target")
        .set("Requires", "system.slice")
        .set("After", "system.slice")
        .and("Slice")
        .set("MemoryMax", &memory)
        .set("CPUQuota", &processor)
        .finish()
}

/// The drop-in that sets how often the hosts file is refreshed.
pub fn hosts_timer(seconds: u32) -> String {
    UnitText::section("Timer")
        .set("OnUnitActiveSec", &format!("{}s", seconds.max(LEAST_REFRESH_SECONDS)))
        .set("AccuracySec", "1s")
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_asked_for_or_the_usual_ones() {
        assert!(local_dns_slice(Some(1205), Some(64)).ends_with("MemoryMax=64M\nCPUQuota=120.5%\n"));
        assert!(local_dns_slice(None, None).ends_with("MemoryMax=128M\nCPUQuota=200.0%\n"));
    }

    #[test]
    fn the_environment_holds_both_corefiles() {
        let names = ["a.example".to_owned(), "b.example".to_owned()];
        let of = LocalDnsEnvironment { corefile: "x", corefile_with_hosts: "y", hosts: true, names: &names };
        let text = local_dns_environment(of);
        assert!(text.contains("LOCALDNS_COREFILE_BASE=eA==\nLOCALDNS_COREFILE_WITH_HOSTS=eQ==\n"));
        assert!(
            text.ends_with("SHOULD_ENABLE_HOSTS_PLUGIN=true\nLOCALDNS_CRITICAL_FQDNS=a.example,b.example\n")
        );
    }

    #[test]
    fn the_timer_has_a_least_interval() {
        assert!(hosts_timer(1).contains("OnUnitActiveSec=5s\n") && hosts_timer(60).contains("=60s\n"));
    }
}
