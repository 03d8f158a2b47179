//! A swap file, made once by a unit of ours and used by systemd's own.

use slipway_model::{ExitReason, Facts, Node, Sources};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::step::{Step, StepId};

/// A megabyte of swap is a thousand kibibytes, as the scripts count.
const KIBIBYTES: u32 = 1000;

pub(crate) fn steps(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let Some(megabytes) = *of.read(&node.system.swap_megabytes) else { return };
    let size = u64::from(megabytes) * u64::from(KIBIBYTES);
    // The file gets its name when it is complete: one that is there can be used.
    let maker = UnitText::section("Unit")
        .set("Description", "Make the node's swap file")
        .set("DefaultDependencies", "no")
        .set("After", "local-fs.target")
        .set("ConditionPathExists", "!/swapfile")
        .and("Service")
        .set("Type", "oneshot")
        .set("UMask", "0077")
        .set("ExecStart", &format!("/usr/bin/fallocate --length {size}KiB /swapfile.new"))
        .set("ExecStart", "/sbin/mkswap /swapfile.new")
        .set("ExecStart", "/bin/mv /swapfile.new /swapfile");
    let user = UnitText::section("Unit")
        .set("Description", "The node's swap file")
        .set("Wants", "slipway-swapfile.service")
        .set("After", "slipway-swapfile.service")
        .and("Swap")
        .set("What", "/swapfile")
        .and("Install")
        .set("WantedBy", "multi-user.target");
    draft.add(
        Step::bake(StepId("swap-units"), "describe the swap file")
            .or_degrade(ExitReason::Swap)
            .because(&of)
            .file(of.clone(), "/etc/systemd/system/slipway-swapfile.service", 0o644, maker.finish())
            .file(of.clone(), "/etc/systemd/system/swapfile.swap", 0o644, user.finish()),
    );
    draft.add(
        Step::join(StepId("swap"), "use the swap file")
            .or_degrade(ExitReason::Swap)
            .after(&[StepId("swap-units")])
            .because(&of)
            .unit(of, "swapfile.swap"),
    );
}

#[cfg(test)]
mod tests {
    use crate::outline::{assert_named, file, plan, step};

    #[test]
    fn a_swap_file_is_made_whole_and_used_through_systemd() {
        let asked =
            r#"{"version":"v1","custom_linux_os_config":{"enable_swap_config":true,"swap_file_size":1500}}"#;
        let on = plan(asked, "{}");
        let maker = file(&on, "/etc/systemd/system/slipway-swapfile.service");
        assert!(maker.contains("ExecStart=/usr/bin/fallocate --length 1500000KiB /swapfile.new\n"));
        assert_eq!(step(&on, "swap"), "Join or degrade 130\nrestart enable swapfile.swap\n");
        let off = r#"{"version":"v1","custom_linux_os_config":{"swap_file_size":1500}}"#;
        assert_eq!(step(&plan(off, "{}"), "swap"), "");
        assert_named("custom_linux_os_config.enable_swap_config", asked, off, "{}");
        assert_named("custom_linux_os_config.swap_file_size", asked, &asked.replace("15", "16"), "{}");
    }
}
