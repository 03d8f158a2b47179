//! What a boot runs, given what is there.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::paths;

/// Where a boot looks. The variables are those of the launcher script, except for the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// `BIN_PATH`: the image's binary.
    pub binary: PathBuf,
    /// `HOTFIX_JSON`: the pointer to a hotfix.
    pub hotfix: PathBuf,
    /// `CONFIG_PATH`: the contract.
    pub config: PathBuf,
    /// `NBC_CMD_PATH`: the pre-rendered command.
    pub command: PathBuf,
    /// `FEATURES_PATH`: the features file.
    pub features: PathBuf,
    /// `HOSTNAME_PATH`: the name that the machine is to have.
    pub host_name: PathBuf,
}

impl Places {
    /// The places that these variables name; one that is unset or empty is where it always is.
    pub fn named_by(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let place = |name: &str, default: &str| {
            variable(name).filter(|value| !value.is_empty()).map_or_else(|| default.into(), PathBuf::from)
        };
        Self {
            binary: place("BIN_PATH", paths::BINARY),
            hotfix: place("HOTFIX_JSON", paths::HOTFIX),
            config: place("CONFIG_PATH", paths::CONTRACT),
            command: place("NBC_CMD_PATH", paths::COMMAND),
            features: place("FEATURES_PATH", paths::FEATURES),
            host_name: place("HOSTNAME_PATH", paths::HOST_NAME),
        }
    }
}

/// What was found about the image's binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// It can be executed.
    pub executable: bool,
    /// It is this very program, under the name that launchers know.
    pub ourselves: bool,
    /// The image has the scripts that this name stands for.
    pub scripts: bool,
}

/// Who provisions: the image's binary or, in its place, this program under its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provisioner {
    /// The image's binary.
    Image,
    /// This program, since the image's cannot be executed.
    InItsStead,
    /// This program: the image has it as its binary, and no scripts for that to run.
    Natively,
}

impl Provisioner {
    /// Who provisions where this was found.
    pub fn of(found: Found) -> Self {
        match found {
            Found { executable: false, .. } => Self::InItsStead,
            Found { ourselves: true, scripts: false, .. } => Self::Natively,
            Found { .. } => Self::Image,
        }
    }
}

/// The arguments of `provision` for the files that exist, the contract first; `None` where there is neither.
pub fn provision_arguments(config: Option<&Path>, command: Option<&Path>) -> Option<Vec<OsString>> {
    let flag = |name: &str, path: Option<&Path>| {
        path.map(|path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        })
    };
    let files = [flag("--provision-config=", config), flag("--nbc-cmd=", command)];
    if files.iter().all(Option::is_none) {
        return None;
    }
    Some(std::iter::once("provision".into()).chain(files.into_iter().flatten()).collect())
}

/// A step that looks for a newer binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HotfixStep {
    /// Asks which hotfix there is, and writes the pointer to it.
    Check,
    /// Stages the binary that the pointer names.
    Download,
}

impl HotfixStep {
    /// The command of the binary that does it.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Check => "check-hotfix",
            Self::Download => "download-hotfix",
        }
    }
}

/// The hotfix steps that are due.
pub fn hotfix_steps(environment: &BTreeMap<OsString, OsString>, pointer_exists: bool) -> Vec<HotfixStep> {
    let wanted =
        environment.get(OsStr::new("ENABLE_PROVISIONING_HOTFIX")).is_some_and(|value| value == "true");
    let steps = [(HotfixStep::Check, wanted), (HotfixStep::Download, pointer_exists)];
    steps.into_iter().filter(|(_, due)| *due).map(|(step, _)| step).collect()
}

/// Where the replacement of a binary is staged.
pub fn staged_binary(binary: &Path) -> PathBuf {
    let mut name = binary.as_os_str().to_owned();
    name.push("-hotfix");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_exist_are_handed_over_the_contract_first() {
        let (config, command) = (Path::new("/c.json"), Path::new("/a b.sh"));
        let both = provision_arguments(Some(config), Some(command)).unwrap();
        assert_eq!(both, ["provision", "--provision-config=/c.json", "--nbc-cmd=/a b.sh"]);
        assert_eq!(provision_arguments(None, Some(command)).unwrap(), ["provision", "--nbc-cmd=/a b.sh"]);
        assert_eq!(provision_arguments(None, None), None);
    }

    #[test]
    fn an_image_with_our_name_and_no_scripts_is_provisioned_natively() {
        let of = |executable, ourselves, scripts| Provisioner::of(Found { executable, ourselves, scripts });
        assert_eq!(of(true, true, false), Provisioner::Natively);
        assert_eq!(of(true, true, true), Provisioner::Image, "the name asks for the scripts");
        assert_eq!(of(true, false, false), Provisioner::Image, "another program knows what it does");
        assert_eq!(of(false, false, true), Provisioner::InItsStead);
    }

    #[test]
    fn a_check_needs_exactly_true_and_a_download_its_pointer() {
        for (value, pointer, expected) in [
            (Some("true"), false, &[HotfixStep::Check][..]),
            (Some("true"), true, &[HotfixStep::Check, HotfixStep::Download]),
            (Some("True"), true, &[HotfixStep::Download]),
            (Some("true "), false, &[]),
            (None, false, &[]),
        ] {
            let environment: BTreeMap<OsString, OsString> =
                value.map(|value| ("ENABLE_PROVISIONING_HOTFIX".into(), value.into())).into_iter().collect();
            assert_eq!(hotfix_steps(&environment, pointer), expected, "{value:?} {pointer}");
        }
    }

    #[test]
    fn places_can_be_named_and_empty_names_do_not_count() {
        let places = Places::named_by(|name| match name {
            "BIN_PATH" => Some("/x/bin".into()),
            "CONFIG_PATH" => Some("".into()),
            _ => None,
        });
        assert_eq!(places.binary, Path::new("/x/bin"));
        assert_eq!(places.config, Path::new(paths::CONTRACT));
        assert_eq!(staged_binary(&places.binary), Path::new("/x/bin-hotfix"));
    }
}
