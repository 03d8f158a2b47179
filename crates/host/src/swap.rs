//! Swap areas: listed by the kernel, turned off and on by the system's own programs.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::time::Duration;

use crate::host::{Host, Program, Swap};

const LIST: &str = "/proc/swaps";
const OFF: &str = "/sbin/swapoff";
const ON: &str = "/sbin/swapon";

/// The areas in use.
pub(crate) fn areas(host: &dyn Host) -> io::Result<Vec<Swap>> {
    match host.read(Path::new(LIST)) {
        // A kernel without swap has no list.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        text => Ok(parse(&String::from_utf8_lossy(&text?))),
    }
}

pub(crate) fn off(host: &dyn Host, area: &Path, within: Duration) -> io::Result<()> {
    run(host, OFF, vec![area.to_string_lossy().into_owned()], within)
}

pub(crate) fn on(host: &dyn Host, area: &Swap, within: Duration) -> io::Result<()> {
    let mut arguments = Vec::new();
    if area.priority >= 0 {
        arguments.extend(["--priority".to_owned(), area.priority.to_string()]);
    }
    arguments.push(area.path.to_string_lossy().into_owned());
    run(host, ON, arguments, within)
}

fn run(host: &dyn Host, path: &str, arguments: Vec<String>, within: Duration) -> io::Result<()> {
    host.run(&Program { path: path.into(), arguments, input: None, within })?.succeeded()
}

/// The first line is a heading; a path comes first, the priority last.
fn parse(text: &str) -> Vec<Swap> {
    let area = |line: &str| {
        let mut words = line.split_whitespace();
        let path = words.next()?;
        let priority = words.last()?.parse().ok()?;
        Some(Swap { path: plain(path).into(), priority })
    };
    text.lines().skip(1).filter_map(area).collect()
}

/// The kernel writes white space and backslashes as a backslash and three octal digits.
fn plain(word: &str) -> OsString {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let octal = digits.filter(|_| *first == b'\\').and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_is_read_with_its_escapes_and_priorities() {
        let heading = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
        assert_eq!(parse(heading), []);
        let text = format!(
            "{heading}/dev/sda2                               partition\t2097148\t\t0\t\t-2\n\
             /my\\040swap\\134file                       file\t\t1048572\t\t12\t\t100\n"
        );
        let swap = |path: &str, priority| Swap { path: path.into(), priority };
        assert_eq!(parse(&text), [swap("/dev/sda2", -2), swap("/my swap\\file", 100)]);
    }
}
