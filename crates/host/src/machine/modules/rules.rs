//! What `modprobe.d` says about modules.
//!
//! A module that is blacklisted is not loaded for a device that happens to be there; who asks for it by its name gets
//! it all the same, from modprobe as from us.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::super::tree::Tree;
use super::kernel_name;

/// A file in one of the first hides those of its name in the others.
const DIRECTORIES: [&str; 5] = [
    "/etc/modprobe.d",
    "/run/modprobe.d",
    "/usr/local/lib/modprobe.d",
    "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// Commands to run instead of loading, and where they are from.
    replacements: BTreeMap<String, (String, String)>,
    /// Module and parameters, in their order.
    options: Vec<(String, String)>,
}

impl Rules {
    /// The rules of this machine, those of the kernel's command line included.
    pub(super) fn of(tree: &Tree) -> io::Result<Self> {
        let mut files: BTreeMap<OsString, &str> = BTreeMap::new();
        for directory in DIRECTORIES {
            let names = match tree.list(Path::new(directory)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other?,
            };
            for name in names {
                if Path::new(&name).extension().is_some_and(|extension| extension == "conf") {
                    files.entry(name).or_insert(directory);
                }
            }
        }
        let mut rules = Self::default();
        for (name, directory) in files {
            let path = Path::new(directory).join(name);
            match tree.read(&path) {
                Ok(text) => rules.add(&String::from_utf8_lossy(&text), &path.display().to_string()),
                // A link to nowhere hides others too.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let line = tree.read(Path::new("/proc/cmdline")).unwrap_or_default();
        rules.add_command_line(&String::from_utf8_lossy(&line));
        Ok(rules)
    }

    fn add(&mut self, text: &str, place: &str) {
        for line in text.replace("\\\n", " ").lines() {
            let mut words = line.split_whitespace();
            let (Some(kind @ ("install" | "options")), Some(module)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(module) = kernel_name(module) else { continue };
            let rest = words.collect::<Vec<_>>().join(" ");
            if kind == "install" {
                self.replacements.entry(module).or_insert_with(|| (rest, place.to_owned()));
            } else {
                self.options.push((module, rest));
            }
        }
    }

    /// Words such as `overlay.metacopy=1`.
    fn add_command_line(&mut self, line: &str) {
        for word in line.split_whitespace() {
            if let Some((module, parameter)) = word.split_once('.')
                && let Ok(module) = kernel_name(module)
            {
                self.options.push((module, parameter.to_owned()));
            }
        }
    }

    /// The command that is to be run instead of loading a module, and the file that says so.
    pub(super) fn replacement(&self, module: &str) -> Option<(&str, &str)> {
        self.replacements.get(module).map(|(command, place)| (command.as_str(), place.as_str()))
    }

    /// A module's parameters.
    pub(super) fn options(&self, module: &str) -> String {
        let own: Vec<&str> = self
            .options
            .iter()
            .filter(|(name, _)| name == module)
            .map(|(_, options)| options.as_str())
            .collect();
        own.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_forbidden_and_given_parameters() {
        let mut rules = Rules::default();
        let text = "# install dccp /bin/true\ninstall sctp /bin/false\ninstall  nf-x /bin/true \n\
            blacklist floppy\noptions nf_conntrack hashsize=1 \\\n  acct=1\noptions other a=b\ninstall\n";
        rules.add(text, "/etc/modprobe.d/cis.conf");
        rules.add("install sctp /sbin/something", "/lib/modprobe.d/later.conf");
        rules.add_command_line("quiet root=/dev/x.y=1 nf-conntrack.acct=0");
        assert_eq!(rules.replacement("sctp"), Some(("/bin/false", "/etc/modprobe.d/cis.conf")));
        assert_eq!(rules.replacement("nf_x"), Some(("/bin/true", "/etc/modprobe.d/cis.conf")));
        assert_eq!((rules.replacement("dccp"), rules.replacement("floppy")), (None, None));
        assert_eq!(rules.options("nf_conntrack"), "hashsize=1 acct=1 acct=0");
        assert_eq!(rules.options("floppy"), "");
    }

    #[test]
    fn a_file_hides_those_of_its_name_in_later_directories() {
        let area = std::env::temp_dir().join(format!("slipway-modprobe-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&area);
        for (path, text) in [
            ("etc/modprobe.d/a.conf", "install one /bin/true"),
            ("usr/lib/modprobe.d/a.conf", "install two /bin/true"),
            ("usr/lib/modprobe.d/b.conf", "install three /bin/true"),
            ("usr/lib/modprobe.d/c.txt", "install four /bin/true"),
        ] {
            std::fs::create_dir_all(area.join(path).parent().unwrap()).unwrap();
            std::fs::write(area.join(path), text).unwrap();
        }
        let rules = Rules::of(&Tree::open(&area).unwrap()).unwrap();
        let forbidden = ["one", "two", "three", "four"].map(|name| rules.replacement(name).is_some());
        std::fs::remove_dir_all(&area).unwrap();
        assert_eq!(forbidden, [true, false, true, false]);
    }
}
