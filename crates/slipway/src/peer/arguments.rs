//! The arguments of `aks-node-controller`, read as its command-line library reads them.
//!
//! Long flags take one dash or two, a value follows an equals sign or is the next word, flags and words mix freely,
//! and two dashes alone end the flags.

use std::collections::VecDeque;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// `provision`, with what its flags say.
    Provision { contract: String, command: String, dry_run: bool },
    /// `provision-wait`.
    ProvisionWait,
    /// `version`.
    Version,
    /// `download-hotfix`; any word behind it is one too many.
    DownloadHotfix { words: usize },
    /// `check-hotfix`.
    CheckHotfix,
    /// Help about everything or about one command.
    Help(Option<&'static str>),
    /// Help about something that there is not.
    NoSuchTopic,
    /// `--version`.
    VersionFlag,
    /// No command, or one that there is not: exit code 1 and not a word.
    Nothing,
    /// Flags that make no sense; help follows where the mistake is not in a command's own flags.
    Misused { problem: String, with_help: bool },
}

/// A command with the flags that it takes.
struct Command {
    name: &'static str,
    flags: &'static [Flag],
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Flag {
    names: &'static [&'static str],
    takes_value: bool,
}

const HELP: Flag = Flag { names: &["help", "h"], takes_value: false };
const ROOT: &[Flag] = &[HELP, Flag { names: &["version", "v"], takes_value: false }];
const COMMANDS: &[Command] = &[
    Command {
        name: "provision",
        flags: &[
            HELP,
            Flag { names: &["provision-config"], takes_value: true },
            Flag { names: &["nbc-cmd"], takes_value: true },
            Flag { names: &["dry-run"], takes_value: false },
        ],
    },
    Command { name: "provision-wait", flags: &[HELP] },
    Command { name: "version", flags: &[HELP] },
    Command { name: "download-hotfix", flags: &[HELP] },
    Command { name: "check-hotfix", flags: &[HELP] },
    Command { name: "help", flags: &[HELP] },
    Command { name: "h", flags: &[HELP] },
];

/// Flags with their values, and the words between them.
#[derive(Default)]
struct Parsed {
    flags: Vec<(&'static str, String)>,
    words: Vec<String>,
}

impl Parsed {
    /// A flag's last value.
    fn text(&self, name: &str) -> Option<&str> {
        self.flags.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn is_set(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }
}

/// Reads the arguments behind the program's name.
pub(super) fn read(arguments: Vec<String>) -> Request {
    let mut rest = VecDeque::from(arguments);
    // The root's own flags come first; the first word that is a command takes over from there.
    let root = match parse(&mut rest, ROOT, |word| command(word).is_some()) {
        Ok(root) => root,
        Err(problem) => return Request::Misused { problem, with_help: true },
    };
    if root.is_set("version") {
        return Request::VersionFlag;
    }
    if root.is_set("help") {
        return Request::Help(None);
    }
    let Some(chosen) = rest.pop_front().as_deref().and_then(command) else { return Request::Nothing };
    if !root.words.is_empty() {
        return Request::Nothing;
    }
    let given = match parse(&mut rest, chosen.flags, |_| false) {
        Ok(given) => given,
        Err(problem) => return Request::Misused { problem, with_help: false },
    };
    let topic = given.words.first().map(String::as_str);
    match chosen.name {
        "help" | "h" => match topic {
            None => Request::Help(None),
            Some(topic) => {
                command(topic).map_or(Request::NoSuchTopic, |known| Request::Help(Some(known.name)))
            }
        },
        name if given.is_set("help") || matches!(topic, Some("help" | "h")) => Request::Help(Some(name)),
        "provision" => Request::Provision {
            contract: given.text("provision-config").unwrap_or_default().to_owned(),
            command: given.text("nbc-cmd").unwrap_or_default().to_owned(),
            dry_run: given.is_set("dry-run"),
        },
        "provision-wait" => Request::ProvisionWait,
        "version" => Request::Version,
        "download-hotfix" => Request::DownloadHotfix { words: given.words.len() },
        _ => Request::CheckHotfix,
    }
}

fn command(word: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == word)
}

/// Takes flags and words off the front, up to a word at which `stops` says so.
fn parse(
    rest: &mut VecDeque<String>,
    flags: &[Flag],
    stops: impl Fn(&str) -> bool,
) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    let mut flags_ended = false;
    while let Some(word) = rest.pop_front() {
        if flags_ended || !word.starts_with('-') || word == "-" {
            if parsed.words.is_empty() && stops(&word) {
                rest.push_front(word);
                break;
            }
            parsed.words.push(word);
        } else if word == "--" {
            flags_ended = true;
        } else {
            let (name, value) = match word.trim_start_matches('-').split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.trim_start_matches('-'), None),
            };
            let Some(flag) = flags.iter().find(|flag| flag.names.contains(&name)) else {
                return Err(format!("flag provided but not defined: -{name}"));
            };
            let value = match (flag.takes_value, value) {
                (true, Some(value)) => value,
                (true, None) => rest.pop_front().ok_or(format!("flag needs an argument: {word}"))?,
                (false, None) => "true".to_owned(),
                (false, Some(value)) => match value.as_str() {
                    "1" | "t" | "T" | "TRUE" | "true" | "True" => "true".to_owned(),
                    "0" | "f" | "F" | "FALSE" | "false" | "False" => "false".to_owned(),
                    _ => return Err(format!("invalid value {value:?} for flag -{name}: parse error")),
                },
            };
            parsed.flags.push((flag.names[0], value));
        }
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Request {
        read(line.split_whitespace().map(str::to_owned).collect())
    }

    fn provision(contract: &str, command: &str, dry_run: bool) -> Request {
        Request::Provision { contract: contract.to_owned(), command: command.to_owned(), dry_run }
    }

    #[test]
    fn flags_are_read_in_all_their_forms() {
        for line in [
            "provision --provision-config=/c --dry-run",
            "provision -provision-config /c -dry-run=T",
            "provision word --provision-config /x --dry-run=false more --provision-config=/c --dry-run=1",
        ] {
            assert_eq!(request(line), provision("/c", "", true), "{line}");
        }
        assert_eq!(request("provision --nbc-cmd -x"), provision("", "-x", false));
        assert_eq!(request("provision -- --dry-run"), provision("", "", false));
        assert_eq!(request("-- version --"), Request::Version);
    }

    #[test]
    fn mistakes_are_told_apart() {
        let misused = |problem: &str, with_help| Request::Misused { problem: problem.to_owned(), with_help };
        assert_eq!(request(""), Request::Nothing);
        assert_eq!(request("bogus"), Request::Nothing);
        assert_eq!(request("bogus version"), Request::Nothing);
        assert_eq!(request("bogus --x"), misused("flag provided but not defined: -x", true));
        assert_eq!(request("--x version"), misused("flag provided but not defined: -x", true));
        assert_eq!(request("version --x=1"), misused("flag provided but not defined: -x", false));
        assert_eq!(request("provision --nbc-cmd"), misused("flag needs an argument: --nbc-cmd", false));
        assert_eq!(
            request("provision --dry-run=maybe"),
            misused("invalid value \"maybe\" for flag -dry-run: parse error", false)
        );
        assert_eq!(request("download-hotfix a b"), Request::DownloadHotfix { words: 2 });
    }

    #[test]
    fn help_has_topics() {
        assert_eq!(request("help"), Request::Help(None));
        assert_eq!(request("--help provision"), Request::Help(None));
        assert_eq!(request("help provision"), Request::Help(Some("provision")));
        assert_eq!(request("provision -h"), Request::Help(Some("provision")));
        assert_eq!(request("provision help"), Request::Help(Some("provision")));
        assert_eq!(request("help nosuch"), Request::NoSuchTopic);
        assert_eq!(request("-v"), Request::VersionFlag);
    }
}
