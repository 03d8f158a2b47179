//! The running part of the machine in memory, and the lines that it keeps.

use std::io;
use std::path::Path;
use std::time::Duration;

use slipway_host::{Exit, Host, Mount, Program, Recorded};
use slipway_model::{Attributes, Verb};

const WAIT: Option<Duration> = Some(Duration::from_secs(1));

#[test]
fn every_operation_leaves_a_line_and_none_leaves_a_secret() {
    let machine = Recorded::live().with_files([("/etc/old", "old", 0o644)]).with_unit("kubelet.service");
    assert!(machine.entry(Path::new("/etc/old")).unwrap().is_some());
    let mut writer = machine.create(Path::new("/etc/new"), Attributes::root(0o600)).unwrap();
    writer.write_all(b"hunter2").unwrap();
    writer.sync().unwrap();
    machine.rename(Path::new("/etc/new"), Path::new("/etc/old")).unwrap();
    machine.job("kubelet.service", Verb::Restart, WAIT).unwrap();
    machine.sync().unwrap();
    let changes = [
        "create /etc/new 0600 0:0",
        "write /etc/new 7",
        "sync /etc/new",
        "rename /etc/new /etc/old",
        "job kubelet.service restart",
        "sync",
    ];
    assert_eq!(machine.changes(), changes);
    assert_eq!(machine.calls()[0], "entry /etc/old");
    assert_eq!(machine.calls()[1..], changes);
    machine.forget_calls();
    assert_eq!(machine.calls(), [""; 0]);
    assert_eq!(machine.read(Path::new("/etc/old")).unwrap(), b"hunter2");
}

#[test]
fn units_run_fail_and_come_from_their_files() {
    let machine = Recorded::live()
        .with_files([("/etc/systemd/system/from-file.service", "[Service]", 0o644)])
        .with_failing_unit("bad.service");
    let active = |name: &str| machine.unit(name).unwrap().active;
    assert_eq!(active("from-file.service"), "inactive");
    machine.job("from-file.service", Verb::Start, WAIT).unwrap();
    assert_eq!(active("from-file.service"), "active");
    machine.job("from-file.service", Verb::Stop, WAIT).unwrap();
    machine.job("from-file.service", Verb::Reload, WAIT).unwrap();
    assert_eq!(active("from-file.service"), "inactive");
    assert!(machine.job("bad.service", Verb::Start, WAIT).is_err());
    assert_eq!(
        (active("bad.service").as_str(), machine.unit("bad.service").unwrap().result.as_str()),
        ("failed", "exit-code")
    );
    assert!(!machine.unit("none.service").unwrap().exists);
    let told = machine.job("none.service", Verb::Start, WAIT).unwrap_err();
    assert_eq!(told.kind(), io::ErrorKind::NotFound);
}

#[test]
fn settings_modules_mounts_and_programs_are_there_as_seeded() {
    let machine = Recorded::live()
        .with_setting("/proc/sys/vm/swappiness", "60")
        .with_module("br-netfilter")
        .with_directory("/var/lib/kubelet", 0o755)
        .with_program("/bin/tool", 3, "words");
    let setting = Path::new("/proc/sys/vm/swappiness");
    machine.set_setting(setting, "10\n").unwrap();
    assert_eq!(machine.setting(setting).unwrap().as_deref(), Some("10"));
    assert_eq!(machine.setting(Path::new("/proc/sys/none")).unwrap(), None);
    assert!(!machine.has_module("br_netfilter").unwrap());
    machine.load_module("br_netfilter").unwrap();
    assert!(machine.has_module("br-netfilter").unwrap());
    assert_eq!(machine.load_module("none").unwrap_err().kind(), io::ErrorKind::NotFound);
    let at = Path::new("/var/lib/kubelet");
    assert!(machine.mount(&Mount::Share { at: at.into() }).is_err());
    machine.mount(&Mount::Bind { from: at.into(), at: at.into() }).unwrap();
    machine.mount(&Mount::Share { at: at.into() }).unwrap();
    assert!(machine.is_mount_point(at).unwrap());
    machine.unmount(at).unwrap();
    assert!(!machine.is_mount_point(at).unwrap());
    let program =
        |path: &str| Program { path: path.into(), arguments: vec![], input: None, within: Duration::ZERO };
    let ended = machine.run(&program("/bin/tool")).unwrap();
    assert_eq!((ended.exit, &ended.stdout[..], ended.cut), (Exit::Code(3), &b"words"[..], false));
    let ended = machine.run_keeping(&program("/bin/tool"), 3).unwrap();
    assert_eq!((&ended.stdout[..], ended.cut), (&b"wor"[..], true));
    assert_eq!(machine.run(&program("/bin/none")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_directory_that_stands_for_a_machine_has_no_running_system() {
    let machine = Recorded::below();
    assert!(!machine.is_live());
    assert_eq!(machine.unit("a.service").unwrap_err().kind(), io::ErrorKind::Unsupported);
    assert_eq!(machine.calls(), [""; 0]);
}

#[test]
fn times_go_on_with_every_change_and_only_then() {
    let machine = Recorded::below().with_files([("/etc/file", "x", 0o644)]);
    let modified = |path: &str| machine.entry(Path::new(path)).unwrap().unwrap().modified.seconds;
    let (file, directory) = (modified("/etc/file"), modified("/etc"));
    assert_eq!((modified("/etc/file"), modified("/etc")), (file, directory));
    machine.append(Path::new("/etc/file"), Attributes::root(0o644)).unwrap().write_all(b"y").unwrap();
    assert!(modified("/etc/file") > file && modified("/etc") == directory);
    machine.remove(Path::new("/etc/file")).unwrap();
    assert!(modified("/etc") > directory);
}
