//! One thing goes wrong at a chosen moment, and nothing else does.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use slipway_host::{Fault, FaultKind, Faulty, Host, Machine, Recorded};
use slipway_model::Attributes;

const FILE: &str = "/file";

/// Five operations.
fn publish(host: &dyn Host) -> std::io::Result<()> {
    let attributes = host.entry(Path::new("/"))?.unwrap().attributes;
    let mut writer = host.create(Path::new("/new"), Attributes { mode: 0o600, ..attributes })?;
    writer.write_all(b"0123456789")?;
    writer.sync()?;
    host.rename(Path::new("/new"), Path::new(FILE))
}

fn faulty(fault: &str) -> Faulty<Recorded> {
    Faulty::new(Recorded::live(), Fault::parse(fault))
}

#[test]
fn operations_are_counted_and_named() {
    let host = faulty("");
    publish(&host).unwrap();
    assert_eq!(host.operations(), ["entry /", "create /new", "write /new", "sync /new", "rename /new /file"]);
}

#[test]
fn an_error_comes_once_and_without_an_effect() {
    for at in 1..=5 {
        let host = faulty(&format!("error:ENOSPC:{at}"));
        assert_eq!(publish(&host).unwrap_err().raw_os_error(), Some(28), "at {at}");
        assert_eq!(host.host().calls().len(), at - 1, "the operation itself is not done");
        let _ = host.remove(Path::new("/new"));
        publish(&host).unwrap();
    }
    let host = faulty("error:EIO:6");
    publish(&host).unwrap();
}

#[test]
fn a_short_write_is_gone_on_with() {
    let host = faulty("short:3");
    publish(&host).unwrap();
    assert_eq!(host.read(Path::new(FILE)).unwrap(), b"0123456789");
    assert_eq!(host.operations()[2..4], ["write /new", "write /new"]);
}

#[test]
fn a_fault_is_read_from_its_words() {
    let fault = |at, kind| Some(Fault { at, kind });
    assert_eq!(Fault::parse("kill:17"), fault(17, FaultKind::Kill));
    assert_eq!(Fault::parse("kill-in-write:1"), fault(1, FaultKind::KillInWrite));
    assert_eq!(Fault::parse("error:EACCES:3"), fault(3, FaultKind::Error(13)));
    assert_eq!(Fault::parse("short:4"), fault(4, FaultKind::ShortWrite));
    for wrong in
        ["", "kill", "kill:", "kill:0", "kill:x", "error:3", "error:EWHAT:3", "short:EIO:3", "stop:1"]
    {
        assert_eq!(Fault::parse(wrong), None, "{wrong}");
    }
}

/// What the process that is killed does: this test program again, with its part given by variables.
#[test]
fn the_process_is_killed_before_an_operation_or_in_the_middle_of_a_write() {
    if let (Ok(root), Ok(fault)) = (std::env::var("SLIPWAY_TEST_ROOT"), std::env::var("SLIPWAY_TEST_FAULT")) {
        let machine = Machine::below(Path::new(&root)).unwrap();
        publish(&Faulty::new(machine, Some(Fault::parse(&fault).unwrap()))).unwrap();
        return;
    }
    let area = std::env::temp_dir().join(format!("slipway-killed-{}", std::process::id()));
    for (fault, left) in [
        ("kill:1", None),
        ("kill:2", None),
        ("kill:3", Some(("new", ""))),
        ("kill-in-write:3", Some(("new", "01234"))),
        ("kill:4", Some(("new", "0123456789"))),
        ("kill-in-write:5", Some(("new", "0123456789"))),
        ("kill:6", Some(("file", "0123456789"))),
    ] {
        let _ = std::fs::remove_dir_all(&area);
        std::fs::create_dir_all(&area).unwrap();
        let name = "the_process_is_killed_before_an_operation_or_in_the_middle_of_a_write";
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env("SLIPWAY_TEST_ROOT", &area)
            .env("SLIPWAY_TEST_FAULT", fault)
            .output()
            .unwrap();
        assert_eq!(ended.status.signal(), (fault != "kill:6").then_some(9), "{fault}");
        let found: Vec<_> = std::fs::read_dir(&area).unwrap().map(|item| item.unwrap()).collect();
        let found = found.first().map(|item| {
            (item.file_name().into_string().unwrap(), std::fs::read_to_string(item.path()).unwrap())
        });
        let left = left.map(|(name, content)| (name.to_owned(), content.to_owned()));
        assert_eq!(found, left, "{fault}");
    }
    std::fs::remove_dir_all(&area).unwrap();
}
