//! The running system from the command line, for tests on a machine of their own: `unit NAME`, `reload-units`, `boot`,
//! a verb with a unit and the seconds to wait for it, `bind FROM AT`, `share AT`, `unmount AT`, `set FILE VALUE`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use slipway_host::{Host as _, Machine, Mount};
use slipway_model::Verb;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{:?}: {error}", error.kind());
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> std::io::Result<String> {
    let machine = Machine::live()?;
    let (verb, unit, seconds) = match *arguments {
        ["unit", unit] => return Ok(format!("{:#?}", machine.unit(unit)?)),
        ["reload-units"] => return machine.reload_units().map(|()| "reloaded".to_owned()),
        ["boot"] => return Ok(format!("{:#?}", machine.boot_moments()?)),
        ["bind", from, at] => return changed(&machine, &Mount::Bind { from: from.into(), at: at.into() }),
        ["share", at] => return changed(&machine, &Mount::Share { at: at.into() }),
        ["unmount", at] => {
            machine.unmount(Path::new(at))?;
            return Ok(machine.is_mount_point(Path::new(at))?.to_string());
        }
        ["set", file, value] => {
            machine.set_setting(Path::new(file), value)?;
            return Ok(machine.setting(Path::new(file))?.unwrap_or_default());
        }
        ["start", unit, ref seconds @ ..] => (Verb::Start, unit, seconds.first()),
        ["restart", unit, ref seconds @ ..] => (Verb::Restart, unit, seconds.first()),
        ["stop", unit, ref seconds @ ..] => (Verb::Stop, unit, seconds.first()),
        ["reload", unit, ref seconds @ ..] => (Verb::Reload, unit, seconds.first()),
        _ => return Err(std::io::ErrorKind::InvalidInput.into()),
    };
    let wait = seconds.map(|seconds| seconds.parse().map(Duration::from_secs_f64)).transpose();
    machine.job(unit, verb, wait.map_err(std::io::Error::other)?)?;
    Ok(machine.unit(unit)?.active)
}

/// Mounts, and says whether there is a mount point now.
fn changed(machine: &Machine, mount: &Mount) -> std::io::Result<String> {
    machine.mount(mount)?;
    let (Mount::Bind { at, .. } | Mount::Share { at }) = mount;
    Ok(machine.is_mount_point(at)?.to_string())
}
