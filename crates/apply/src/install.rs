//! Whether a unit starts at boot: the links that its `[Install]` section asks for, without asking the service manager.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use slipway_host::{EntryKind, Host};

use crate::tree::{Edit, Wanted};

/// Where unit files are, the first counts.
pub(crate) const DIRECTORIES: [&str; 5] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];

const LINKS: &str = "/etc/systemd/system";

/// A unit file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnitFile {
    path: PathBuf,
    text: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Install {
    wanted_by: Vec<String>,
    required_by: Vec<String>,
    aliases: Vec<String>,
    also: Vec<String>,
}

/// Finds a unit's file; a template's for an instance of it.
pub(crate) fn find(host: &dyn Host, name: &str) -> io::Result<Option<UnitFile>> {
    let names = [Some(name.to_owned()), template(name)];
    for name in names.into_iter().flatten() {
        for directory in DIRECTORIES {
            let path = Path::new(directory).join(&name);
            if host.entry(&path)?.is_none() {
                continue;
            }
            match host.read(&path) {
                Ok(text) => {
                    let text = String::from_utf8_lossy(&text).into_owned();
                    return Ok(Some(UnitFile { path, text }));
                }
                // An alias whose unit is gone.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(None)
}

/// The links that make a unit start at boot, and those it asks to be enabled with.
pub(crate) fn enabling(host: &dyn Host, name: &str, file: &UnitFile) -> io::Result<Vec<Edit<'static>>> {
    let mut edits = Vec::new();
    let mut seen = BTreeSet::from([name.to_owned()]);
    let mut units = vec![(name.to_owned(), file.clone())];
    while let Some((name, file)) = units.pop() {
        let install = Install::read(&file.text);
        for link in links(&install, &name) {
            edits.push(Edit {
                path: Cow::Owned(link),
                wanted: Wanted::Link(Cow::Owned(file.path.clone())),
                secret: false,
            });
        }
        for other in install.also {
            if seen.insert(other.clone())
                && let Some(file) = find(host, &other)?
            {
                units.push((other, file));
            }
        }
    }
    Ok(edits)
}

/// The removal of every link by which a unit starts at boot.
pub(crate) fn disabling(host: &dyn Host, name: &str, file: &UnitFile) -> io::Result<Vec<Edit<'static>>> {
    let mut paths: BTreeSet<PathBuf> =
        Install::read(&file.text).aliases.iter().map(|alias| Path::new(LINKS).join(alias)).collect();
    let directories = match host.list(Path::new(LINKS)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other?,
    };
    for directory in directories {
        let text = directory.to_string_lossy();
        if text.ends_with(".wants") || text.ends_with(".requires") {
            paths.insert(Path::new(LINKS).join(&directory).join(name));
        }
    }
    let mut edits = Vec::new();
    for path in paths {
        if host.entry(&path)?.is_some_and(|entry| entry.kind == EntryKind::Link) {
            edits.push(Edit { path: Cow::Owned(path), wanted: Wanted::Absent, secret: false });
        }
    }
    Ok(edits)
}

fn links(install: &Install, name: &str) -> Vec<PathBuf> {
    let below = |units: &[String], suffix: &str| {
        units
            .iter()
            .map(|unit| Path::new(LINKS).join(format!("{unit}.{suffix}")).join(name))
            .collect::<Vec<_>>()
    };
    let mut all = below(&install.wanted_by, "wants");
    all.extend(below(&install.required_by, "requires"));
    all.extend(
        install.aliases.iter().filter(|alias| *alias != name).map(|alias| Path::new(LINKS).join(alias)),
    );
    all
}

fn template(name: &str) -> Option<String> {
    let (unit, rest) = name.split_once('@')?;
    let (_, kind) = rest.rsplit_once('.')?;
    Some(format!("{unit}@.{kind}"))
}

impl Install {
    fn read(text: &str) -> Self {
        let mut install = Self::default();
        let mut inside = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                inside = line == "[Install]";
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| inside) else { continue };
            let list = match key.trim() {
                "WantedBy" => &mut install.wanted_by,
                "RequiredBy" => &mut install.required_by,
                "Alias" => &mut install.aliases,
                "Also" => &mut install.also,
                _ => continue,
            };
            if value.trim().is_empty() {
                // An empty assignment takes back what was said before.
                list.clear();
            }
            list.extend(value.split_whitespace().map(str::to_owned));
        }
        install
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_install_section_is_read_as_systemd_does() {
        let install = Install::read(
            "[Unit]\nWantedBy=no.target\n[Install]\n# WantedBy=x\nWantedBy=a.target b.target\nWantedBy=\nWantedBy=c.target\nAlias = d.service\n",
        );
        assert_eq!(install.wanted_by, ["c.target"]);
        assert_eq!(install.aliases, ["d.service"]);
        assert_eq!(template("getty@tty1.service").as_deref(), Some("getty@.service"));
    }
}
