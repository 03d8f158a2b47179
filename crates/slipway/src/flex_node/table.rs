//! The commands of `aks-flex-node`, from its first version to its current one, and what becomes of each here.

/// A command as it is called.
#[derive(Debug)]
pub(crate) struct Command {
    /// Its words: its name, or its name and that of a command below it.
    pub(crate) words: &'static [&'static str],
    /// Which versions have it.
    pub(crate) versions: &'static str,
    /// Its flags.
    pub(crate) flags: &'static [Flag],
    /// What becomes of it.
    pub(crate) becomes: Becomes,
}

/// What becomes of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Becomes {
    /// These words of `slipway`; what it says is kept in the log.
    Slipway(&'static [&'static str]),
    /// The same, whose product is on standard output.
    Product(&'static [&'static str]),
    /// These words of `slipwayd`, in this process's place.
    Service(&'static [&'static str]),
    /// The four lines of the version.
    Version,
    /// Nothing, for this reason; what there is instead.
    Nothing(&'static str, &'static str),
}

/// A flag of a command.
#[derive(Debug)]
pub(crate) struct Flag {
    /// Its name, without dashes.
    pub(crate) name: &'static str,
    /// Whether a value belongs to it.
    pub(crate) takes_value: bool,
    /// What becomes of it.
    pub(crate) to: To,
}

/// What becomes of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// This flag, with the same value.
    Flag(&'static str),
    /// This flag, once for each part of a list with commas.
    Each(&'static str),
    /// Nothing can be done for it, for this reason.
    Nothing(&'static str),
}

const fn flag(name: &'static str, to: &'static str) -> Flag {
    Flag { name, takes_value: true, to: To::Flag(to) }
}

const fn unmet(name: &'static str, takes_value: bool, reason: &'static str) -> Flag {
    Flag { name, takes_value, to: To::Nothing(reason) }
}

const CONFIG: Flag = flag("config", "--config");
const NO_POP: &str = "the token is a bearer token: proof of possession is not supported";
const NO_WARNINGS: &str = "what warns and what blocks is told apart, in the output too";
const JOIN: Becomes = Becomes::Slipway(&["flex", "join", "--yes"]);
/// It ends, whatever the cluster says, as it does there: what cannot be asked is a warning.
const LEAVE: Becomes = Becomes::Slipway(&["flex", "leave", "--yes", "--lose-pods", "--force"]);
const DAEMON: Becomes = Becomes::Service(&["flex"]);

/// Every command.
pub(crate) const COMMANDS: &[Command] = &[
    Command { words: &["start"], versions: "July 2026 to now", flags: &[CONFIG], becomes: JOIN },
    Command { words: &["bootstrap"], versions: "v1 to now", flags: &[CONFIG], becomes: JOIN },
    Command {
        words: &["preflight"],
        versions: "July 2026 to now",
        flags: &[
            CONFIG,
            flag("output", "--output"),
            unmet("fail-on-warnings", false, NO_WARNINGS),
            Flag { name: "ignore-preflight-errors", takes_value: true, to: To::Each("--ignore") },
        ],
        becomes: Becomes::Product(&["flex", "preflight"]),
    },
    Command { words: &["reset"], versions: "July 2026 to now", flags: &[CONFIG], becomes: LEAVE },
    Command { words: &["unbootstrap"], versions: "v1 to now", flags: &[CONFIG], becomes: LEAVE },
    Command { words: &["daemon"], versions: "July 2026 to now", flags: &[CONFIG], becomes: DAEMON },
    Command { words: &["agent"], versions: "January 2026 to now", flags: &[CONFIG], becomes: DAEMON },
    Command {
        words: &["token", "kubelogin"],
        versions: "April 2026 to now",
        flags: &[
            CONFIG,
            flag("server-id", "--server-id"),
            unmet("pop-enabled", false, NO_POP),
            unmet("pop-claims", true, NO_POP),
        ],
        becomes: Becomes::Product(&["flex", "token"]),
    },
    Command { words: &["version"], versions: "v1 to now", flags: &[CONFIG], becomes: Becomes::Version },
    Command {
        words: &["apply"],
        versions: "April 2026 only",
        flags: &[unmet("f", true, ""), unmet("no-prettyui", false, "")],
        becomes: Becomes::Nothing(
            "single actions are not applied",
            "`start` does all that is needed; `slipway flex join --dry-run` shows it first",
        ),
    },
    Command {
        words: &["fetch-bootstrap-data"],
        versions: "August 2026 to now",
        flags: &[],
        becomes: Becomes::Nothing(
            "what Azure says about the cluster is not kept in a file",
            "`start` asks Azure itself, with the identity of the configuration",
        ),
    },
    Command {
        words: &["agent-upgrade"],
        versions: "August 2026 to now",
        flags: &[unmet("preflight", false, "")],
        becomes: OF_THE_PACKAGE,
    },
    Command {
        words: &["recover-agent-upgrade"],
        versions: "August 2026 to now",
        flags: &[],
        becomes: OF_THE_PACKAGE,
    },
    Command {
        words: &["nspawn-lifecycle"],
        versions: "August 2026 to now",
        flags: &[],
        becomes: Becomes::Nothing(
            "kubelet runs on the host itself, not in a container of its own",
            "its unit is kubelet.service",
        ),
    },
];

const OF_THE_PACKAGE: Becomes = Becomes::Nothing(
    "this program does not replace itself",
    "its package brings a newer version; `slipway flex upgrade` is for the node's programs",
);
