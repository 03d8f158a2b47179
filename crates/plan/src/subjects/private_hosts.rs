//! The name of a private cluster's API server.

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::step::{Step, StepId};

const FILE: StepId = StepId("private-hosts-name");

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut why = Sources::none();
    if !*why.read(&node.dns.private_hosts) {
        return;
    }
    let mut of = why.clone();
    let name = UnitText::section("Service")
        .environment("KUBE_API_SERVER_NAME", of.read(&node.cluster.server).as_str());
    draft.add(
        Step::join(FILE, "tell the hosts agent the API server's name")
            .or_fail(ExitReason::UnitStart)
            .because(&why)
            .file(
                of,
                "/etc/systemd/system/reconcile-private-hosts.service.d/10-fqdn.conf",
                0o644,
                name.finish(),
            ),
    );
    draft.add(
        Step::join(StepId("private-hosts"), "start the hosts agent")
            .or_fail(ExitReason::UnitStart)
            .after(&[FILE])
            .because(&why)
            .unit(why, "reconcile-private-hosts.service"),
    );
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    #[test]
    fn the_agent_is_told_the_servers_name() {
        let asked = r#"{"version":"v1","enable_hosts_config_agent":true,"api_server_config":{"api_server_name":"a.example"}}"#;
        let agent = plan(asked, "{}");
        let drop_in = file(&agent, "/etc/systemd/system/reconcile-private-hosts.service.d/10-fqdn.conf");
        assert_eq!(drop_in, "[Service]\nEnvironment=\"KUBE_API_SERVER_NAME=a.example\"\n");
        assert!(step(&agent, "private-hosts").ends_with("restart enable reconcile-private-hosts.service\n"));
        let off = asked.replace("true", "false");
        assert_named("enable_hosts_config_agent", asked, &off, "{}");
        assert_named("api_server_config.api_server_name", asked, &asked.replace("a.ex", "b.ex"), "{}");
    }
}
