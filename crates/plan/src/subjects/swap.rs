//! Swap: a file of ours, made once by a unit of ours and used by systemd's own; or none, on a machine whose owner had some.

use std::time::Duration;

use slipway_model::{Attributes, ExitReason, Facts, Node, Sources};
use slipway_render::UnitText;

use crate::draft::Draft;
use crate::edit::Change;
use crate::op::{Action, Edit};
use crate::step::{Step, StepId};

const FSTAB: &str = "/etc/fstab";
const UNITS: &str = "/etc/systemd/system";
/// A unit that is this is none, whoever else describes it.
const MASK: &str = "/dev/null";
/// Where a line of the table says what kind of file system it is about.
const KIND: usize = 2;
/// What is in an area has to go into memory.
const WITHIN: Duration = Duration::from_mins(5);

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

/// Turns off what the machine's owner has, until a reset turns it on again.
pub(crate) fn off(node: &Node, _facts: &Facts, draft: &mut Draft) {
    let mut of = Sources::none();
    let Some(swap) = of.read(&node.system.swap_off) else { return };
    let mut step = Step::join(StepId("swap-off"), "turn swap off")
        .or_degrade(ExitReason::Swap)
        .taking(WITHIN)
        .because(&of);
    // First what would bring it back, then what is there.
    for unit in &swap.units {
        step = step.link(of.clone(), format!("{UNITS}/{unit}"), MASK);
    }
    if swap.in_fstab {
        let change = Change::Comment { place: KIND, word: "swap".to_owned() };
        let edit = Edit { path: FSTAB.into(), attributes: Attributes::root(0o644), exact: false, change };
        step = step.op(of.clone(), Action::Edit(edit));
    }
    for area in &swap.areas {
        step = step.op(of.clone(), Action::SwapOff(area.clone()));
    }
    if !step.ops.is_empty() {
        draft.add(step);
    }
}

#[cfg(test)]
mod tests {
    use slipway_model::Sourced;
    use slipway_model::node::SwapOff;

    use crate::outline::{assert_named, file, plan, step};
    use crate::testing::{facts, lines, plain};

    #[test]
    fn the_owners_swap_is_turned_off_only_when_that_is_asked_for() {
        let mut node = plain();
        assert_eq!(lines(super::off, &node, &facts()), Vec::<String>::new());
        node.system.swap_off = Sourced::fixed(Some(SwapOff {
            areas: vec!["/dev/sda2".into(), "/swapfile".into()],
            units: vec!["dev-sda2.swap".to_owned()],
            in_fstab: true,
        }));
        assert_eq!(
            lines(super::off, &node, &facts()),
            [
                "swap-off link /etc/systemd/system/dev-sda2.swap -> /dev/null",
                "swap-off edit /etc/fstab",
                "swap-off swapoff /dev/sda2",
                "swap-off swapoff /swapfile",
            ]
        );
        node.system.swap_off = Sourced::fixed(Some(SwapOff::default()));
        assert_eq!(lines(super::off, &node, &facts()), Vec::<String>::new());
    }

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
