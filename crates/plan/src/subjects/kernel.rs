//! Kernel modules, sysctls and huge pages.

use std::path::PathBuf;

use slipway_model::{Attributes, ExitReason, Facts, Mode, Node, Sourced, Sources};
use slipway_render::{Sysctl, sysctl_file};

use crate::draft::Draft;
use crate::edit::Change;
use crate::machine::Distro;
use crate::op::{Action, Edit, Setting};
use crate::plan::{Explained, ExplainedKind, Refusal};
use crate::step::{Step, StepId};

/// The kernel modules of a node are loaded.
pub(crate) const MODULES: StepId = StepId("kernel-modules");

const SYSCTL_FILE: &str = "/etc/sysctl.d/999-sysctl-aks.conf";
/// Bridged packets pass the firewall only with the first; the second has settings that nodes change.
const PERSISTENT: [&str; 2] = ["br_netfilter", "nf_conntrack"];
const HUGE_PAGES: &str = "kernel/mm/transparent_hugepage";

pub(crate) fn steps(node: &Node, facts: &Facts, draft: &mut Draft) {
    modules(draft);
    sysctls(node, draft);
    huge_pages(node, facts, draft);
}

fn modules(draft: &mut Draft) {
    let mut files = Step::bake(StepId("kernel-module-files"), "have kernel modules loaded at each boot")
        .or_fail(ExitReason::KernelModule);
    let mut loaded = Step::join(MODULES, "load kernel modules").or_fail(ExitReason::KernelModule);
    for name in PERSISTENT {
        files = files.file(Sources::none(), format!("/etc/modules-load.d/{name}.conf"), 0o644, name);
        loaded = loaded.op(Sources::none(), Action::Module(name));
    }
    draft.add(files);
    draft.add(loaded.op(Sources::none(), Action::Module("overlay")));
}

fn sysctls(node: &Node, draft: &mut Draft) {
    let mut of = Sources::none();
    let requested: Vec<(&str, &str)> =
        node.system.sysctls.iter().map(|(name, value)| (&**name, of.read(value).as_str())).collect();
    let texts = requested.iter().map(|(name, value)| (*name, Sysctl::Text(value)));
    let text = match sysctl_file(texts, Mode::Ours) {
        Ok(text) => text,
        Err(error) => {
            return draft.refuse(Refusal {
                what: "custom_linux_os_config.sysctl_config".into(),
                message: error.to_string(),
                hint: "give one value without line breaks".into(),
            });
        }
    };
    let mut now =
        Step::join(StepId("sysctl"), "set kernel settings").or_degrade(ExitReason::Sysctl).after(&[MODULES]);
    for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
        let mut of = Sources::none();
        // A range of ports decides which port is kept out of it.
        let decided_by =
            if name.ends_with("ip_local_reserved_ports") { "net.ipv4.ip_local_port_range" } else { name };
        if let Some(asked) = node.system.sysctls.get(decided_by) {
            of.read(asked);
        }
        draft.explain(Explained {
            kind: ExplainedKind::Sysctl,
            name: name.to_owned(),
            value: value.to_owned(),
            path: SYSCTL_FILE.into(),
            sources: of.clone(),
        });
        // A container has only some of them; a value that the kernel refuses is an error all the same.
        now = now.sysctl(of, name, value, false);
    }
    draft.add(
        Step::bake(StepId("sysctl-file"), "keep kernel settings over boots")
            .or_degrade(ExitReason::Sysctl)
            .file(of, SYSCTL_FILE, 0o644, text),
    );
    draft.add(now);
}

fn huge_pages(node: &Node, facts: &Facts, draft: &mut Draft) {
    let mut why = Sources::none();
    let (enabled, defrag) = (&node.system.huge_pages, &node.system.huge_page_defrag);
    let asked: Vec<(&str, &Sourced<String>)> = [("enabled", enabled), ("defrag", defrag)]
        .into_iter()
        .filter(|(_, mode)| !why.read(mode).is_empty())
        .collect();
    if asked.is_empty() {
        return;
    }
    let mut step = Step::join(StepId("huge-pages"), "set when the kernel makes huge pages")
        .or_degrade(ExitReason::Sysctl)
        .because(&why);
    for (name, mode) in asked {
        let mut of = Sources::none();
        let mode = of.read(mode);
        let setting = Setting {
            path: PathBuf::from("/sys").join(HUGE_PAGES).join(name),
            value: mode.clone(),
            required: true,
        };
        let lasting = lasting_huge_pages(&mut of, facts, name, mode);
        step = step.op(of.clone(), Action::Setting(setting)).op(of, lasting);
    }
    draft.add(step);
}

/// Debian's family reads `/etc/sysfs.conf` at boot; elsewhere systemd writes to `/sys` itself.
fn lasting_huge_pages(of: &mut Sources, facts: &Facts, name: &str, mode: &str) -> Action {
    let (path, prefix, line) = match Distro::of(facts, of) {
        Distro::Ubuntu | Distro::Other => {
            let key = format!("{HUGE_PAGES}/{name}");
            ("/etc/sysfs.conf", key.clone(), format!("{key}={mode}"))
        }
        _ => {
            let key = format!("w /sys/{HUGE_PAGES}/{name} ");
            ("/etc/tmpfiles.d/slipway-huge-pages.conf", key.clone(), format!("{key}- - - - {mode}"))
        }
    };
    let change = Change::Line { prefix, line };
    Action::Edit(Edit { path: path.into(), attributes: Attributes::root(0o644), exact: false, change })
}

#[cfg(test)]
mod tests {
    use slipway_model::Source;

    use crate::outline::{assert_named, file, plan, step, try_plan};

    #[test]
    fn modules_are_loaded_now_and_at_each_boot() {
        let plan = plan(r#"{"version":"v1"}"#, "{}");
        assert_eq!(
            step(&plan, "kernel-modules"),
            "Join or fail 49\nmodule br_netfilter\nmodule nf_conntrack\nmodule overlay\n"
        );
        assert_eq!(file(&plan, "/etc/modules-load.d/nf_conntrack.conf"), "nf_conntrack");
    }

    #[test]
    fn settings_are_set_kept_and_explained_one_by_one() {
        let asked = r#"{"version":"v1","custom_linux_os_config":{"sysctl_config":{"net_ipv4_ip_local_port_range":"1024 65400","net_core_somaxconn":20000}}}"#;
        let plan = plan(asked, "{}");
        assert!(file(&plan, super::SYSCTL_FILE).contains("net.core.somaxconn=20000\n"));
        let set = step(&plan, "sysctl");
        assert!(set.contains("set /proc/sys/net/core/somaxconn=20000\n"));
        assert!(set.contains("set /proc/sys/net/ipv4/ip_local_reserved_ports=65330\n"));
        let why = |name: &str| &plan.explained().iter().find(|it| it.name == name).unwrap().sources;
        let range = "custom_linux_os_config.sysctl_config.net_ipv4_ip_local_port_range";
        assert!(why("net.ipv4.ip_local_reserved_ports").iter().eq([&Source::Contract(range.into())]));
        assert_eq!(why("net.ipv4.tcp_retries2").iter().count(), 0);
        assert_named(range, asked, &asked.replace("65400", "65000"), "{}");
        assert!(try_plan(&asked.replace("65400", "1\\nx=1"), "{}").is_err());
    }

    #[test]
    fn huge_pages_last_in_the_way_of_each_system() {
        let asked = r#"{"version":"v1","custom_linux_os_config":{"transparent_hugepage_support":"never"}}"#;
        let ubuntu = step(&plan(asked, r#"{"os":{"id":"ubuntu"}}"#), "huge-pages");
        assert!(ubuntu.starts_with(
            "Join or degrade 103\nset /sys/kernel/mm/transparent_hugepage/enabled=never\nedit /etc/sysfs.conf"
        ));
        let azure = step(&plan(asked, r#"{"os":{"id":"azurelinux"}}"#), "huge-pages");
        assert!(azure.contains("edit /etc/tmpfiles.d/slipway-huge-pages.conf"));
        let field = "custom_linux_os_config.transparent_hugepage_support";
        assert_named(field, asked, &asked.replace("never", "always"), "{}");
    }
}
