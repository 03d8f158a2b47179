//! What an attempt left, and whether it is still so.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use slipway_apply::Holdings;
use slipway_host::{Host, Recorded};
use slipway_model::Attributes;
use slipway_plan::Plan;

use crate::site::{Root, apply, directory, file, link, plan, remove, reset, step};

fn wanted(text: &str) -> Plan {
    let actions = vec![
        directory("/etc/own", 0o755),
        file("/etc/own/a", 0o600, text),
        file("/etc/own/b", 0o644, "b"),
        link("/etc/own/l", "a"),
        file("/var/lib/kubelet/kubeconfig", 0o600, "theirs soon"),
        remove("/etc/old"),
    ];
    plan(vec![step("own", &[], actions)])
}

fn strayed(holdings: &mut Holdings, host: &dyn Host) -> Vec<String> {
    let strayed = holdings.look(host).unwrap();
    strayed.iter().map(|it| format!("{} {}", it.path.display(), it.how)).collect()
}

#[test]
fn what_somebody_changes_is_seen_and_what_is_not_ours_is_not() {
    let root = Root::new();
    let host = root.machine();
    std::fs::create_dir(root.0.join("etc")).unwrap();
    std::fs::write(root.0.join("etc/old"), "old").unwrap();
    apply(&wanted("a"), &host);
    let mut holdings = Holdings::open(&host, &["/var/lib/kubelet/kubeconfig"]).unwrap();
    assert_eq!(strayed(&mut holdings, &host), Vec::<String>::new());
    std::fs::write(root.0.join("etc/own/a"), "x").unwrap();
    std::fs::set_permissions(root.0.join("etc/own/b"), PermissionsExt::from_mode(0o666)).unwrap();
    std::fs::remove_file(root.0.join("etc/own/l")).unwrap();
    std::fs::write(root.0.join("etc/own/foreign"), "x").unwrap();
    std::fs::write(root.0.join("etc/old"), "new").unwrap();
    std::fs::write(root.0.join("var/lib/kubelet/kubeconfig"), "kubelet's").unwrap();
    let found =
        ["/etc/old here again", "/etc/own/a changed", "/etc/own/b another mode or owner", "/etc/own/l gone"];
    assert_eq!(strayed(&mut holdings, &host), found);
    apply(&wanted("a"), &host);
    assert_eq!(strayed(&mut holdings, &host), Vec::<String>::new(), "it is as it was left");
}

#[test]
fn what_is_wanted_last_counts_also_when_it_was_wanted_before() {
    let host = Recorded::live();
    for text in ["a", "b", "a"] {
        apply(&wanted(text), &host);
        let mut holdings = Holdings::open(&host, &[]).unwrap();
        assert_eq!(strayed(&mut holdings, &host), Vec::<String>::new(), "{text}");
    }
    let put = |text: &str| {
        let path = Path::new("/etc/own/a");
        host.remove(path).unwrap();
        host.create(path, Attributes::root(0o600)).unwrap().write_all(text.as_bytes()).unwrap();
    };
    put("b");
    let mut holdings = Holdings::open(&host, &[]).unwrap();
    assert_eq!(strayed(&mut holdings, &host), ["/etc/own/a changed"]);
    holdings.settle(&host).unwrap();
    assert_eq!(strayed(&mut holdings, &host), Vec::<String>::new(), "what is there was accepted");
    put("a");
    assert!(reset(&host).kept.is_empty());
    assert_eq!(host.entry(Path::new("/etc/own")).unwrap(), None);
}

#[test]
fn a_thousand_looks_leave_no_growth() {
    let root = Root::new();
    let host = root.machine();
    apply(&wanted("a"), &host);
    let mut holdings = Holdings::open(&host, &[]).unwrap();
    holdings.look(&host).unwrap();
    let memory = allocation_counter::measure(|| {
        for _ in 0..1000 {
            assert!(holdings.look(&host).unwrap().is_empty());
        }
    });
    assert_eq!((memory.count_current, memory.bytes_current), (0, 0), "{memory:?}");
}
