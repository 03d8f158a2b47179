//! The page of an anatomy in a real browser: it is seen, zoomed, walked with the keyboard and compared, and it asks
//! nothing of anyone. With `SLIPWAY_IMAGES=$PWD/docs/images` it makes the documentation's pictures anew.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a browser is a program")]

use std::path::{Path, PathBuf};
use std::process::Command;

use slipway_peers::binary::slipway;

#[test]
fn a_browser_shows_one_start_and_several_without_asking_the_network() {
    let area = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&area).unwrap();
    // The driver of the browser, without a browser of its own.
    run(Command::new("npm")
        .args(["install", "--silent", "--no-fund", "--no-audit", "--prefix"])
        .arg(&area)
        .arg("playwright-core@1.65.0"));
    // Below the repository: a page and its picture show what a start is called.
    let data = Path::new("crates/timeline/tests/data");
    let (scripts, hostile) = (data.join("scripts"), hostile(&area));
    written(&area, "one.html", &["--from".as_ref(), &scripts]);
    written(&area, "several.html", &["--compare".as_ref(), &scripts, &hostile]);
    let many =
        ["fast", "slow-agent", "apt-lock", "failed-api-server", "native", "retried", "scripts", "fast"];
    let many = many.map(|node| data.join(node));
    let many: Vec<&Path> =
        std::iter::once("--compare".as_ref()).chain(many.iter().map(PathBuf::as_path)).collect();
    written(&area, "many.html", &many);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/look.js");
    println!(
        "{}",
        run(Command::new("node").arg(script).arg(&area).env("NODE_PATH", area.join("node_modules")))
    );
}

/// Evidence whose texts would run in a page that takes them for its own.
fn hostile(area: &Path) -> PathBuf {
    let events = area.join("hostile/events");
    std::fs::create_dir_all(&events).unwrap();
    let event = r#"{"Timestamp":"2026-01-15 10:00:00.000","OperationId":"2026-01-15 10:00:02.000","Version":"1.23","TaskName":"AKS.CSE.<img src=x onerror=alert(1)>","EventLevel":"Informational","Message":"Completed: </script><script>alert(2)</script>","EventPid":"0","EventTid":"0"}"#;
    std::fs::write(events.join("1768471202000.json"), event).unwrap();
    area.join("hostile")
}

fn written(area: &Path, name: &str, of: &[&Path]) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut slipway = Command::new(slipway());
    let page = run(slipway.arg("anatomy").args(of).args(["-o", "html"]).current_dir(repository));
    std::fs::write(area.join(name), page).unwrap();
}

/// What a program printed; it has to succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("a program is missing: run ./test, which installs what tests need");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
