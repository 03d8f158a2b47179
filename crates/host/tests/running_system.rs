//! The running system, as far as a test may touch it: programs are run, settings, modules and mounts looked at.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use slipway_host::{Exit, Host, Machine, Program};

fn program(script: &str) -> Program {
    Program {
        path: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        input: None,
        within: Duration::from_secs(20),
    }
}

#[test]
fn a_program_gets_its_input_and_a_small_environment() {
    let machine = Machine::live().unwrap();
    let echo = Program { input: Some("a-secret".into()), ..program("read -r word; echo got $word; env") };
    let ended = machine.run(&echo).unwrap();
    let printed = String::from_utf8(ended.stdout).unwrap();
    assert_eq!((ended.exit, printed.lines().next()), (Exit::Code(0), Some("got <secret>")));
    let names = printed.lines().skip(1).map(|line| line.split('=').next().unwrap());
    // The shell adds its own.
    let mut given: Vec<_> = names.filter(|name| !matches!(*name, "PWD" | "_" | "SHLVL" | "OLDPWD")).collect();
    given.sort_unstable();
    assert_eq!(given, ["LANG", "PATH"]);
}

#[test]
fn a_program_has_limited_time_and_an_absolute_path() {
    let machine = Machine::live().unwrap();
    let start = Instant::now();
    let slow = Program { within: Duration::from_millis(100), ..program("sleep 30") };
    assert!(machine.run(&slow).unwrap().timed_out);
    assert!(start.elapsed() < Duration::from_secs(10));
    let told = machine.run(&Program { path: "sh".into(), ..program("") }).unwrap_err();
    assert_eq!(told.kind(), io::ErrorKind::InvalidInput);
    let told = machine.run(&Program { path: "/etc/passwd".into(), ..program("") }).unwrap_err();
    assert_eq!(told.raw_os_error(), Some(8), "no shell makes a program of what is none");
}

#[test]
fn settings_are_read_and_missing_ones_are_none() {
    let machine = Machine::live().unwrap();
    assert_eq!(machine.setting(Path::new("/proc/sys/kernel/ostype")).unwrap().as_deref(), Some("Linux"));
    assert_eq!(machine.setting(Path::new("/proc/sys/no/such/setting")).unwrap(), None);
    assert!(machine.set_setting(Path::new("/proc/sys/no/such/setting"), "1").is_err());
}

#[test]
fn mount_points_are_told_from_directories() {
    let machine = Machine::live().unwrap();
    let is_mount = |path: &str| machine.is_mount_point(Path::new(path)).unwrap();
    assert!(is_mount("/") && is_mount("/proc"));
    assert!(!is_mount("/proc/sys/kernel") && !is_mount("/no/such/directory"));
}
