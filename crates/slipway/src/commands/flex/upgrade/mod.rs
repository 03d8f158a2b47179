//! `slipway flex upgrade`: other versions of the programs on a machine that is a node.
//!
//! Everything is fetched while pods run. Then no new pods come, the present ones leave, the programs change places, and
//! the node has to show that it serves; where it does not, the old programs take over again. What is being done is written
//! down before it begins, so that another run goes on, or back, from wherever one was cut short.

mod edition;
mod member;
mod stores;
mod work;

use std::io::{self, IsTerminal as _};

use slipway_apply::{LastAttempt, status};
use slipway_flex::FlexConfig;
use slipway_flex::preflight::look;
use slipway_flex::supply::Stock;
use slipway_flex::upgrade::{CHOICE, Choice, Phase, RECORD, Record};
use slipway_host::{Host, Interruption};

use self::edition::Base;
pub(super) use self::member::{Member, Unserved, kubelet_started};
pub(super) use self::work::AWAIT_READY;
use self::work::Work;
use super::join::confirmed;
use super::outward::Outward;
use super::stock::Chosen;
use super::{given, goal, identity, join, notes, stock};
use crate::cli::FlexUpgrade;
use crate::failure::Failure;
use crate::native::lock;
use crate::native::progress::Told;
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

pub(crate) fn run(
    arguments: &FlexUpgrade,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let _lock = if arguments.dry_run {
        None
    } else {
        Some(lock::take(root(&arguments.place).as_deref(), "upgrade")?)
    };
    let Some(present) = stock::recorded(&*host)? else {
        return Err(Failure::input("no-node", "cannot upgrade", "this machine is no node of ours")
            .with_hint("slipway flex join makes it one"));
    };
    let facts = join::facts(&*host)?;
    let hostname = facts.hostname.as_deref().unwrap_or_default();
    let mut config = given::with_token(&arguments.config, hostname, &*host, screen)?;
    goal::heed(&mut config, &*host)?;
    identity::complete(&mut config, &*host, None, &|| false)?;
    let outward = Outward::new(&config.outward, arguments.programs.ca.as_deref())?;
    let member = Member::find(&*host, arguments.kubeconfig.as_deref(), &config.agent.node_name)?;
    let stop = Interruption::listen()
        .map_err(|error| Failure::machine("no-signals", "cannot listen for signals", error))?;
    let stop = || stop.signal().is_some();
    let told = Told::new(&arguments.telling);
    let work = Work { host: &*host, member, arguments, told, outward: &outward, stop: &stop };
    let base = Base {
        config: &config,
        file: &arguments.config.to_string_lossy(),
        facts: &facts,
        resolver: look::resolver_for_pods(&*host),
    };
    let record = recorded(&*host)?;
    let from = base.edition(record.as_ref().map_or(present, |record| record.from.clone()), screen)?;
    if let Some(record @ Record { phase: Phase::Returning { why }, .. }) = &record {
        screen.line(format_args!("an upgrade was going back to Kubernetes {}: {why}", from.kubelet()));
        return if arguments.dry_run { Ok(Outcome::Done) } else { work.go_back(record, &from, screen) };
    }
    let chosen = match &record {
        // Where the programs come from was said before, and everything that was chosen was written down.
        Some(record) if arguments.programs.bundle.is_none() && arguments.programs.manifest.is_none() => {
            Chosen::earlier(record.to.clone())
        }
        _ => stock::choose(&arguments.programs, &wanted(&config, arguments, &*host)?, &outward)?,
    };
    let to = base.edition(chosen.stock.clone(), screen)?;
    let changes = from.changes(&to);
    if changes.is_empty() && record.is_none() {
        screen.line(format_args!("this node runs Kubernetes {}: nothing to change", from.kubelet()));
        return Ok(Outcome::Done);
    }
    let node = work.member.admits(from.kubelet(), to.kubelet())?;
    for change in &changes {
        screen.line(change);
    }
    if arguments.dry_run {
        screen.line("pods would leave first; nothing was touched");
        return Ok(Outcome::Done);
    }
    if !arguments.yes && io::stdin().is_terminal() && io::stderr().is_terminal() {
        screen.flush()?;
        if !confirmed("Let the pods leave, and change this?") {
            screen.line("nothing was touched");
            return Ok(Outcome::Negative);
        }
    }
    let begun = record.as_ref().is_some_and(|record| record.phase == Phase::Switching);
    let record = Record {
        // Who was cut short may have closed the node.
        schedulable: record.map_or_else(
            || node.as_ref().is_none_or(|node| !node.unschedulable),
            |record| record.schedulable,
        ),
        from: from.stock.clone(),
        to: to.stock.clone(),
        // Where there is no Node there are no pods on it.
        phase: if begun || node.is_none() { Phase::Switching } else { Phase::Draining },
        uid: node.map(|node| node.uid).unwrap_or_default(),
        wish: config.versions.kubernetes.clone(),
    };
    work.go(record, &from, &to, &chosen, screen)
}

/// The configuration with the version that was asked for, or else the one that the node is to have.
fn wanted(config: &FlexConfig, arguments: &FlexUpgrade, host: &dyn Host) -> Result<FlexConfig, Failure> {
    let mut config = config.clone();
    match &arguments.kubernetes_version {
        Some(version) => config.versions.kubernetes = Some(version.clone()),
        None => heed_choice(&mut config, host)?,
    }
    Ok(config)
}

/// Puts the version that an upgrade chose in the place of what the configuration said then.
pub(super) fn heed_choice(config: &mut FlexConfig, host: &dyn Host) -> Result<(), Failure> {
    let choice = notes::read(host, CHOICE, Choice::parse)?;
    let wish = config.versions.kubernetes.take();
    config.versions.kubernetes = Choice::desired(choice.as_ref(), wish.as_deref()).map(str::to_owned);
    Ok(())
}

/// Joining is no upgrade: a machine that is a node keeps its version, since its pods would have to leave first.
pub(super) fn refuse_other_version(chosen: &Stock, host: &dyn Host) -> Result<(), Failure> {
    if recorded(host)?.is_some() {
        return Err(Failure::machine("upgrade-unfinished", "cannot join", "an upgrade was cut short")
            .with_hint("slipway flex upgrade goes on from there"));
    }
    let Some(present) = stock::recorded(host)? else { return Ok(()) };
    let joined = status(host).map_err(|error| notes::unreadable(&error))?.last;
    let (present, wanted) = (edition::kubelet(&present), edition::kubelet(chosen));
    match (present, wanted) {
        (Some(present), Some(wanted)) if present != wanted && is_done(joined.as_ref()) => {
            let found = format!("this machine is a node with Kubernetes {present}, and {wanted} is wanted");
            Err(Failure::input("other-version", "cannot join", found)
                .with_hint("slipway flex upgrade changes the version"))
        }
        _ => Ok(()),
    }
}

fn is_done(attempt: Option<&LastAttempt>) -> bool {
    attempt.is_some_and(|attempt| attempt.outcome.as_deref() == Some("done"))
}

fn recorded(host: &dyn Host) -> Result<Option<Record>, Failure> {
    notes::read(host, RECORD, Record::parse)
}
