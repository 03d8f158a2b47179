//! The host's resolv.conf.

use slipway_model::{ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::step::{Step, StepId};

/// Releases whose stub resolver is passed by.
const RELEASES: [&str; 4] = ["20.04", "22.04", "24.04", "26.04"];

pub(crate) fn steps(_node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let os = of.fact("os", &facts.os).as_ref();
    if !os.is_some_and(|os| os.id == "ubuntu" && RELEASES.contains(&&*os.version_id)) {
        return;
    }
    draft.add(
        Step::bake(StepId("resolver"), "ask the network's resolvers directly")
            .or_degrade(ExitReason::Unspecified)
            .because(&of)
            .link(of, "/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"),
    );
}

#[cfg(test)]
mod tests {
    use crate::outline::{plan, step};

    #[test]
    fn only_ubuntus_stub_resolver_is_passed_by() {
        let link = |os: &str| step(&plan(r#"{"version":"v1"}"#, os), "resolver");
        let ubuntu = link(r#"{"os":{"id":"ubuntu","version_id":"24.04"}}"#);
        assert!(ubuntu.ends_with("link /etc/resolv.conf -> /run/systemd/resolve/resolv.conf\n"));
        assert_eq!(link(r#"{"os":{"id":"ubuntu","version_id":"18.04"}}"#), "");
        assert_eq!(link(r#"{"os":{"id":"azurelinux","version_id":"3.0"}}"#), "");
    }
}
