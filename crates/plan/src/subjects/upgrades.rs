//! Unattended upgrades of the operating system.

use slipway_model::{ExitReason, Facts, Node, Sources};

use crate::draft::Draft;
use crate::machine::Distro;
use crate::step::{Step, StepId};

use super::units::stopped;

const FILES: StepId = StepId("unattended-upgrades");
const APT: &str = "APT::Periodic::Update-Package-Lists \"1\";\nAPT::Periodic::Unattended-Upgrade \"1\";\n";

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    if !*of.read(&node.system.unattended_upgrades) {
        return;
    }
    let files = Step::join(FILES, "allow the system to upgrade itself").or_degrade(ExitReason::UnitStart);
    let start = Step::after_ready(StepId("start-unattended-upgrades"), "let the system upgrade itself")
        .or_degrade(ExitReason::UnitStart)
        .after(&[FILES]);
    let (files, start) = match Distro::of(facts, &mut of) {
        // Images mask these units so that nothing competes with provisioning.
        Distro::Ubuntu | Distro::Other => (
            files
                .file(of.clone(), "/etc/apt/apt.conf.d/99periodic", 0o644, APT)
                .remove(of.clone(), "/etc/systemd/system/apt-daily.service")
                .remove(of.clone(), "/etc/systemd/system/apt-daily-upgrade.service"),
            start.unit(of.clone(), "apt-daily.timer").unit(of.clone(), "apt-daily-upgrade.timer"),
        ),
        // Kata's packages, kernel included, change together or not at all.
        Distro::AzureLinux if !*of.read(&node.runtime.kata) => (
            files
                .remove(of.clone(), "/etc/systemd/system/dnf-automatic-install.service")
                .remove(of.clone(), "/etc/systemd/system/dnf-automatic-install.timer"),
            start
                .op(of.clone(), stopped("dnf-automatic-notifyonly.timer"))
                .unit(of.clone(), "dnf-automatic-install.timer"),
        ),
        _ => return,
    };
    draft.add(files.because(&of));
    draft.add(start.because(&of));
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    const ASKED: &str = r#"{"version":"v1","enable_unattended_upgrade":true}"#;

    #[test]
    fn upgrades_begin_when_the_node_is_ready() {
        let ubuntu = plan(ASKED, r#"{"os":{"id":"ubuntu"}}"#);
        assert!(file(&ubuntu, "/etc/apt/apt.conf.d/99periodic").contains("Unattended-Upgrade \"1\";"));
        assert_eq!(
            step(&ubuntu, "start-unattended-upgrades"),
            "AfterReady or degrade 4\nrestart enable apt-daily.timer\nrestart enable apt-daily-upgrade.timer\n"
        );
        assert_named("enable_unattended_upgrade", ASKED, r#"{"version":"v1"}"#, "{}");
    }

    #[test]
    fn azure_linux_upgrades_its_packages_unless_they_are_katas() {
        let azure = r#"{"os":{"id":"azurelinux"}}"#;
        let text = step(&plan(ASKED, azure), "start-unattended-upgrades");
        assert!(text.contains("restart enable dnf-automatic-install.timer"));
        let kata = ASKED.replace("\"v1\"", "\"v1\",\"is_kata\":true");
        assert!(plan(&kata, azure).step("unattended-upgrades").is_none());
        assert_named("is_kata", ASKED, &kata, azure);
    }
}
