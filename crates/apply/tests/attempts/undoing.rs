//! The way back.

use std::path::Path;

use slipway_apply::{ResetOptions, Unwatched};
use slipway_host::Host;
use slipway_model::Attributes;
use slipway_plan::{Action, Change, Edit, Move, Plan};

use crate::site::{Root, apply, directory, file, link, plan, remove, reset, secret, seed, step, tree, unit};

/// A plan with every kind of change to files.
pub(crate) fn full() -> Plan {
    let edit = Edit {
        path: "/etc/hosts".into(),
        attributes: Attributes::root(0o644),
        exact: false,
        change: Change::Line { prefix: "10.0.0.1".into(), line: "10.0.0.1 api".into() },
    };
    let kubelet = Move {
        from: vec!["/opt/cache/kubelet".into()],
        to: "/usr/local/bin/kubelet".into(),
        attributes: Attributes::root(0o755),
    };
    plan(vec![
        step(
            "files",
            &[],
            vec![
                directory("/etc/app/deep", 0o700),
                file("/etc/app/deep/conf", 0o644, "a=1\n"),
                file("/etc/replaced", 0o600, "ours\n"),
                secret("/etc/app/token", "abcdef.0123456789abcdef"),
                link("/etc/link", "/etc/app"),
                directory("/etc/given", 0o700),
                Action::Edit(edit),
            ],
        ),
        step("removals", &["files"], vec![remove("/etc/old"), remove("/opt/tree")]),
        step(
            "unit",
            &["files"],
            vec![
                file("/etc/systemd/system/a.service", 0o644, "[Install]\nWantedBy=multi-user.target\n"),
                unit("a.service", None, Some(true)),
            ],
        ),
        step("binary", &[], vec![Action::Move(kubelet)]),
    ])
}

/// A machine that people have lived on.
pub(crate) fn lived_in(host: &dyn Host) {
    seed(host, "/etc/hosts", 0o640, "127.0.0.1 localhost\n");
    seed(host, "/etc/replaced", 0o644, "theirs\n");
    seed(host, "/etc/old", 0o600, "old");
    seed(host, "/opt/tree/a/b", 0o755, "b");
    seed(host, "/opt/cache/kubelet", 0o644, "binary");
    seed(host, "/etc/given/x", 0o644, "x");
    host.make_link(Path::new("/etc/link"), Path::new("hosts")).unwrap();
    host.make_link(Path::new("/opt/tree/dangling"), Path::new("/nowhere")).unwrap();
}

#[test]
fn a_reset_leaves_the_machine_as_it_was() {
    for seeded in [false, true] {
        let root = Root::new();
        let host = root.machine();
        if seeded {
            lived_in(&host);
        }
        let before = tree(&host);
        let attempt = apply(&full(), &host);
        assert_eq!(attempt.failure, None);
        assert_ne!(tree(&host), before);
        let report = reset(&host);
        assert_eq!((&report.kept[..], &report.failed[..]), (&[][..], &[][..]));
        assert_eq!(tree(&host), before);
        assert_eq!(host.entry(Path::new("/var")).unwrap(), None);
        assert_eq!(reset(&host).undone, Vec::<String>::new());
    }
}

#[test]
fn a_reset_after_several_attempts_goes_back_to_before_the_first() {
    let root = Root::new();
    let host = root.machine();
    lived_in(&host);
    let before = tree(&host);
    apply(&full(), &host);
    apply(&plan(vec![step("files", &[], vec![file("/etc/replaced", 0o644, "second\n")])]), &host);
    apply(&plan(vec![step("files", &[], vec![file("/etc/replaced", 0o644, "theirs\n")])]), &host);
    apply(
        &plan(vec![step(
            "files",
            &[],
            vec![remove("/etc/app/deep/conf"), file("/opt/tree/new", 0o644, "new")],
        )]),
        &host,
    );
    let report = reset(&host);
    assert_eq!(report.kept, []);
    assert_eq!(tree(&host), before);
}

#[test]
fn what_someone_else_changed_is_kept_and_named_unless_forced() {
    for force in [false, true] {
        let root = Root::new();
        let host = root.machine();
        lived_in(&host);
        let before = tree(&host);
        apply(&full(), &host);
        for path in ["/etc/app/deep/conf", "/etc/replaced"] {
            host.append(Path::new(path), Attributes::root(0o644)).unwrap().write_all(b"theirs").unwrap();
        }
        seed(&host, "/etc/app/foreign", 0o644, "foreign");
        let options = ResetOptions { force, dry_run: true };
        let dry = slipway_apply::reset(&host, options, &Unwatched).unwrap();
        let options = ResetOptions { force, dry_run: false };
        let report = slipway_apply::reset(&host, options, &Unwatched).unwrap();
        let kept: Vec<&str> = report.kept.iter().map(|kept| kept.what.as_str()).collect();
        let changed = ["/etc/replaced", "/etc/app/deep/conf"];
        assert!(changed.iter().all(|path| dry.undone.contains(&(*path).to_owned()) == force));
        if force {
            assert_eq!(kept, ["/etc/app"]);
        } else {
            assert_eq!(kept, ["/etc/replaced", "/etc/app/deep/conf", "/etc/app/deep", "/etc/app"]);
        }
        let mut after = tree(&host);
        after.retain(|path, _| !path.starts_with("/etc/app"));
        if !force {
            assert!(after["/etc/replaced".as_ref() as &Path].contains("theirs"));
            after.insert("/etc/replaced".into(), before["/etc/replaced".as_ref() as &Path].clone());
        }
        assert_eq!(after, before);
        assert_eq!(host.entry(Path::new("/var/lib/slipway")).unwrap(), None);
    }
}

#[test]
fn a_dry_reset_touches_nothing() {
    let root = Root::new();
    let host = root.machine();
    lived_in(&host);
    apply(&full(), &host);
    let before = tree(&host);
    let options = ResetOptions { force: false, dry_run: true };
    let dry = slipway_apply::reset(&host, options, &Unwatched).unwrap();
    assert_eq!(tree(&host), before);
    assert_eq!(dry.undone, reset(&host).undone);
}
