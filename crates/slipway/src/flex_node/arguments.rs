//! The arguments of `aks-flex-node`, read as its command-line library reads them: flags stand anywhere, a value follows
//! an equals sign or is the next word, two dashes alone end the flags.

use slipway_contract::nearest;

use super::table::{Becomes, COMMANDS, Command, To};

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// A command, with its words and flags as they are here.
    Run {
        /// What it becomes.
        becomes: Becomes,
        /// Its flags with their values.
        flags: Vec<String>,
        /// The configuration that was named.
        config: Option<String>,
    },
    /// Help, which was asked for.
    Help,
    /// What cannot be done: why, and what to do instead.
    Refused(String, String),
}

const HELP: &str = "aks-flex-node --help lists the commands";

/// Reads the arguments behind the program's name.
pub(crate) fn read(arguments: &[String]) -> Request {
    let (words, flags) = match split(arguments) {
        Ok(split) => split,
        Err(refused) => return refused,
    };
    let asks = flags.iter().any(|(name, _)| matches!(*name, "help" | "h"));
    if asks || words.is_empty() || words[0] == "help" {
        return Request::Help;
    }
    let Some(command) = COMMANDS.iter().find(|command| words.starts_with(command.words)) else {
        return unknown(&words);
    };
    if let Becomes::Nothing(reason, instead) = command.becomes {
        return Request::Refused(format!("{}: {reason}", command.words.join(" ")), instead.to_owned());
    }
    match (translated(command, &flags), words.get(command.words.len())) {
        (Request::Run { .. }, Some(more)) => {
            let found = format!("{} takes no argument {more:?}", command.words.join(" "));
            Request::Refused(found, HELP.to_owned())
        }
        (request, _) => request,
    }
}

/// Words, and flags with the values that they have.
type Split<'a> = (Vec<&'a str>, Vec<(&'a str, Option<&'a str>)>);

fn split(arguments: &[String]) -> Result<Split<'_>, Request> {
    let (mut words, mut flags) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if argument == "--" {
            words.extend(rest);
            break;
        }
        let Some(name) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
            words.push(argument);
            continue;
        };
        match name.split_once('=') {
            Some((name, value)) => flags.push((name, Some(value))),
            // The same name takes a value wherever it is known, or nowhere.
            None if takes_value(name) => {
                let value = rest.next().ok_or_else(|| {
                    Request::Refused(format!("flag needs an argument: {argument}"), HELP.to_owned())
                })?;
                flags.push((name, Some(value)));
            }
            None => flags.push((name, None)),
        }
    }
    Ok((words, flags))
}

fn takes_value(name: &str) -> bool {
    COMMANDS.iter().flat_map(|command| command.flags).any(|flag| flag.name == name && flag.takes_value)
}

fn translated(command: &'static Command, given: &[(&str, Option<&str>)]) -> Request {
    let mut flags = Vec::new();
    let mut config = None;
    for (name, value) in given {
        let Some(flag) = command.flags.iter().find(|flag| flag.name == *name) else {
            let near = nearest(name, command.flags.iter().map(|flag| flag.name));
            let hint = near.map_or_else(|| HELP.to_owned(), |near| format!("did you mean --{near}?"));
            return Request::Refused(format!("unknown flag: --{name}"), hint);
        };
        match flag.to {
            // A switch that is off asks for nothing.
            To::Nothing(_) if !flag.takes_value && *value == Some("false") => {}
            To::Nothing(reason) => {
                return Request::Refused(format!("--{name}: {reason}"), "leave it out".to_owned());
            }
            // An empty value is the default.
            To::Flag(_) | To::Each(_) if value.is_none_or(str::is_empty) => {}
            To::Each(to) => {
                let parts = value.unwrap_or_default().split(',').map(str::trim);
                flags.extend(parts.flat_map(|part| [to.to_owned(), part.to_owned()]));
            }
            To::Flag(to) => {
                let value = value.unwrap_or_default();
                if flag.name == "config" {
                    config = Some(value.to_owned());
                }
                flags.extend([to.to_owned(), value.to_owned()]);
            }
        }
    }
    Request::Run { becomes: command.becomes, flags, config }
}

fn unknown(words: &[&str]) -> Request {
    let names = COMMANDS.iter().map(|command| command.words[0]);
    let hint = match nearest(words[0], names) {
        Some(near) if near == words[0] => HELP.to_owned(),
        Some(near) => format!("did you mean {near}?"),
        None => HELP.to_owned(),
    };
    Request::Refused(format!("unknown command {:?} for \"aks-flex-node\"", words.join(" ")), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Request {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    fn command(line: &str) -> String {
        match request(line) {
            Request::Run { becomes: Becomes::Slipway(words) | Becomes::Product(words), flags, .. } => {
                let flags = flags.iter().map(String::as_str);
                words.iter().copied().chain(flags).collect::<Vec<_>>().join(" ")
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn flags_stand_anywhere_and_in_both_forms() {
        for line in
            ["start --config /c", "--config=/c start", "bootstrap --config=/c", "--config /c bootstrap"]
        {
            assert_eq!(command(line), "flex join --yes --config /c", "{line}");
        }
        assert_eq!(command("unbootstrap"), "flex leave --yes --lose-pods --force");
        assert_eq!(command("reset --config="), "flex leave --yes --lose-pods --force");
        assert_eq!(
            command("token kubelogin --server-id 6dae --pop-enabled=false"),
            "flex token --server-id 6dae"
        );
        assert_eq!(
            command("preflight --ignore-preflight-errors=swap,disk --output json"),
            "flex preflight --ignore swap --ignore disk --output json"
        );
    }

    #[test]
    fn help_is_asked_for_in_every_way() {
        for line in ["", "help", "help start", "--help", "start -h"] {
            assert_eq!(request(line), Request::Help, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_done_says_why_and_what_to_do() {
        for (line, found, hint) in [
            ("strat", "unknown command \"strat\"", "did you mean start?"),
            ("token", "unknown command \"token\"", HELP),
            ("frobnicate", "unknown command", HELP),
            ("start --confg /c", "unknown flag: --confg", "did you mean --config?"),
            ("start --config", "flag needs an argument: --config", HELP),
            ("start now", "start takes no argument \"now\"", HELP),
            ("token kubelogin --pop-enabled", "proof of possession", "leave it out"),
            ("apply -f x.json", "single actions", "slipway flex join --dry-run"),
            ("nspawn-lifecycle pre-start", "kubelet runs on the host", "kubelet.service"),
            ("agent-upgrade --preflight", "does not replace itself", "its package"),
        ] {
            let Request::Refused(said, instead) = request(line) else { panic!("{line}") };
            assert!(said.contains(found) && instead.contains(hint), "{line}: {said} {instead}");
        }
    }
}
