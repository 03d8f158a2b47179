//! `slipway flex goal`: what Azure wants of this machine, and making it so.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use slipway_apply::{keep_note, server_of_node};
use slipway_azure::arm::MachineWish;
use slipway_fetch::Patience;
use slipway_flex::FlexConfig;
use slipway_flex::goal::{RECORD, Record, Seen, Standing, Wanted};
use slipway_host::{Host, os_text};
use slipway_model::Verb;

use super::leave::{KUBECONFIG, KUBELET, WITHIN};
use super::{given, hostname, identity, join, kept, notes, registration, upgrade};
use crate::cli::{FlexGoal, Output, Telling};
use crate::failure::Failure;
use crate::native::lock;
use crate::native::progress::Told;
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

/// How long Azure may take to say what it wants.
const ASKED_WITHIN: Duration = Duration::from_secs(20);
/// Why a goal does not work, however often it is tried.
const FINAL: [&str; 8] = [
    "bad-version",
    "cannot-plan",
    "flex-refused",
    "no-kubelet",
    "no-programs",
    "not-in-manifest",
    "upgrade-failed",
    "version-skew",
];
const GIVEN_UP: &str = "this goal is not tried again until it changes, or the configuration does";

pub(crate) fn run(
    arguments: &FlexGoal,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let config = given::config(&arguments.config, &hostname(None, &*host)?, screen)?;
    if !config.registers() {
        let found = "the configuration registers it in no agent pool";
        return Err(Failure::input("not-registered", "cannot ask Azure about this machine", found)
            .with_hint("azure.targetAgentPoolName names a pool, and an Azure identity is needed for it"));
    }
    let seen = ask(&config, &*host);
    if arguments.apply {
        return Errand { arguments, around, host: &*host, config: &config }.apply(seen, screen);
    }
    let record = record(&*host)?;
    let well = matches!(&seen, Seen::There { goal } if record.standing(goal) == Standing::Applied);
    match arguments.output {
        Output::Json => screen.json(&json!({ "machine": seen, "applied": well, "failed": record.failed })),
        Output::Text => tell(&seen, &record, screen),
    }
    Ok(if well { Outcome::Done } else { Outcome::Negative })
}

/// What Azure says about this machine.
fn ask(config: &FlexConfig, host: &dyn Host) -> Seen {
    let never = || false;
    let patience = Patience::new(Instant::now() + ASKED_WITHIN, &never);
    let asked =
        identity::own_arm(config, host).and_then(|arm| Ok((arm, registration::pool_machine(config)?)));
    match asked {
        Ok((arm, id)) => arm.pool_machine(&id, patience).into(),
        Err(Failure { doing, found, .. }) => {
            Seen::Unanswered { why: format!("{doing}: {found}"), forbidden: false, retry_after: None }
        }
    }
}

fn tell(seen: &Seen, record: &Record, screen: &mut Screen) {
    let goal = match seen {
        Seen::Unanswered { why, .. } => return screen.line(format_args!("nobody knows: {why}")),
        Seen::Gone => return screen.line("Azure knows no such machine"),
        Seen::There { goal } => goal,
    };
    screen.line(format_args!("goal        {}", goal.settings_version));
    screen.line(format_args!("kubernetes  {}", goal.kubernetes_version));
    let MachineWish { max_pods, node_labels, node_taints, kubelet_config } = &goal.wish;
    if let Some(pods) = max_pods {
        screen.line(format_args!("pods        {pods}"));
    }
    for (name, value) in node_labels.iter().flatten() {
        screen.line(format_args!("label       {name}={value}"));
    }
    for taint in node_taints.iter().flatten() {
        screen.line(format_args!("taint       {taint}"));
    }
    if let (Some(high), Some(low)) = (kubelet_config.image_gc_high, kubelet_config.image_gc_low) {
        screen.line(format_args!("images      removed from {high} % down to {low} %"));
    }
    screen.line(match record.standing(goal) {
        Standing::Applied => "this machine is so".to_owned(),
        Standing::Unapplied => "this machine is not so yet".to_owned(),
        Standing::Failed(why) => format!("this does not work: {why}\n  hint: {GIVEN_UP}"),
    });
}

/// Making a goal true.
struct Errand<'a> {
    arguments: &'a FlexGoal,
    around: &'a Surroundings<'a>,
    host: &'a dyn Host,
    config: &'a FlexConfig,
}

impl Errand<'_> {
    fn apply(&self, seen: Seen, screen: &mut Screen) -> Result<Outcome, Failure> {
        let mut goals = record(self.host)?;
        let goal = match seen {
            Seen::There { goal } => goal,
            Seen::Unanswered { why, .. } => {
                return Err(Failure::input("azure-unasked", "cannot ask Azure about this machine", why));
            }
            Seen::Gone if goals.applied.is_none() => return self.register(screen),
            Seen::Gone => {
                let found = "Azure no longer knows this machine, and its Node is not marked to be deleted";
                return Err(Failure::input("machine-gone", "cannot do what Azure wants", found)
                    .with_hint("slipway flex leave takes the machine out of its cluster"));
            }
        };
        let joined = kept::record(self.host)?.filter(|record| record.applied.is_some());
        let Some(joined) = joined else {
            return Err(Failure::input("no-node", "cannot do what Azure wants", "this machine is no node")
                .with_hint("slipway flex join makes it one"));
        };
        if goals.standing(&goal) == Standing::Applied {
            screen.line("this machine is what Azure wants: nothing to change");
            return Ok(Outcome::Done);
        }
        goals.begin(goal.clone(), &self.config.wish());
        keep(self.host, &goals)?;
        let done = self.carry_out(&goal, &joined.kubernetes, screen);
        match done {
            Err(failure) if FINAL.contains(&failure.reason) => {
                let mut goals = record(self.host)?;
                goals.give_up(&format!("{}: {}", failure.doing, failure.found));
                keep(self.host, &goals)?;
                let hint = failure.hint.as_ref().map_or_else(String::new, |hint| format!("{hint}; "));
                Err(failure.with_hint(format!("{hint}{GIVEN_UP}")))
            }
            done => done,
        }
    }

    /// Everything that a goal says, by what a person would do: another version first, then the rest.
    fn carry_out(&self, goal: &Wanted, installed: &str, screen: &mut Screen) -> Result<Outcome, Failure> {
        let config = self.arguments.config.to_string_lossy();
        let version = goal.kubernetes_version.trim_start_matches('v');
        let usual = ["--yes", "--progress", "none", "--config", &config];
        if !goal.is_version(installed) {
            let words = [&usual[..], &["--kubernetes-version", version]].concat();
            let upgraded = upgrade::run(&parsed(&words)?, self.around, screen)?;
            if !matches!(upgraded, Outcome::Done) {
                return Ok(upgraded);
            }
        } else if self.is_node_absent() {
            // Kubelet registers when it starts, and only then.
            self.host.job(KUBELET, Verb::Restart, Some(WITHIN)).map_err(|error| {
                Failure::machine("kubelet-stays", "cannot restart kubelet", os_text(&error))
            })?;
        }
        join::run(&parsed(&usual)?, self.around, screen)
    }

    fn is_node_absent(&self) -> bool {
        let never = || false;
        let soon = Patience::new(Instant::now() + WITHIN, &never);
        let server = server_of_node(self.host, Path::new(KUBECONFIG)).and_then(Result::ok);
        server.is_some_and(|server| matches!(server.node(&self.config.agent.node_name, soon), Ok(None)))
    }

    /// A machine that Azure never knew becomes known.
    fn register(&self, screen: &mut Screen) -> Result<Outcome, Failure> {
        let _lock = lock::take(root(&self.arguments.place).as_deref(), "register")?;
        let mut config = self.config.clone();
        config.versions.kubernetes =
            kept::record(self.host)?.map(|record| record.kubernetes).or(config.versions.kubernetes);
        let told = Told::new(&parsed::<Telling>(&["--progress", "none"])?);
        registration::register(&config, &self.config.wish(), self.host, told, screen, &|| false)?;
        match record(self.host)?.applied {
            Some(_) => {
                screen.line("this machine is registered");
                Ok(Outcome::Done)
            }
            None => Ok(Outcome::Negative),
        }
    }
}

/// The arguments that a person would give.
fn parsed<A: clap::Args>(words: &[&str]) -> Result<A, Failure> {
    let command = A::augment_args(clap::Command::new("goal").no_binary_name(true));
    let matches = command.try_get_matches_from(words);
    matches
        .and_then(|matches| A::from_arg_matches(&matches))
        .map_err(|error| Failure::input("bad-goal", "cannot do what Azure wants", error.to_string().trim()))
}

/// What became of Azure's goals.
pub(super) fn record(host: &dyn Host) -> Result<Record, Failure> {
    Ok(notes::read(host, RECORD, Record::parse)?.unwrap_or_default())
}

pub(super) fn keep(host: &dyn Host, record: &Record) -> Result<(), Failure> {
    keep_note(host, RECORD, &record.text()).map_err(|error| {
        Failure::machine("no-record", "cannot keep a record below /var/lib/slipway", os_text(&error))
    })
}

/// Puts what Azure wants in the place of what the configuration said then; gives what the configuration itself says.
pub(super) fn heed(config: &mut FlexConfig, host: &dyn Host) -> Result<MachineWish, Failure> {
    let said = config.wish();
    if config.registers()
        && let Some(wish) = record(host)?.wish(&said)
    {
        config.heed(&wish);
    }
    Ok(said)
}

/// A join came to its end: what was being applied is applied, and what did not work may work with another configuration.
pub(super) fn settle(
    host: &dyn Host,
    said: MachineWish,
    installed: &str,
    changed: bool,
) -> Result<(), Failure> {
    let mut goals = record(host)?;
    match goals.pending.clone() {
        Some(goal) if goal.is_version(installed) => goals.apply(goal, said),
        _ if changed && goals.failed.is_some() => goals.failed = None,
        _ => return Ok(()),
    }
    keep(host, &goals)
}

/// A version was tried and did not serve: a goal that asks for it is not tried again.
pub(super) fn give_up(host: &dyn Host, version: &str, why: &str) -> Result<(), Failure> {
    let mut goals = record(host)?;
    if !goals.pending.as_ref().is_some_and(|goal| goal.is_version(version)) {
        return Ok(());
    }
    goals.give_up(&format!("the upgrade to Kubernetes {version} failed: {why}"));
    keep(host, &goals)
}
