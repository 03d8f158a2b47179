//! `slipway flex join`: this machine as a node of a cluster.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use slipway_apply::{Options, apply, has_brought};
use slipway_facts::{Fact, gather};
use slipway_flex::supply::Architecture;
use slipway_flex::{FlexConfig, Provisions};
use slipway_host::{Host, Interruption, os_text};
use slipway_model::{Containerd, Facts, Node, Sources};
use slipway_plan::{Plan, Unplanned, plan};

use super::{given, identity, stock};
use crate::cli::FlexJoin;
use crate::commands::plan as plan_command;
use crate::commands::provision::{failed, summary};
use crate::failure::{Blame, Failure};
use crate::native::progress::{Progress, Told};
use crate::native::{lock, outside};
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

/// What is looked at on a machine that Azure did not make.
const FACTS: [Fact; 5] = [Fact::Containerd, Fact::Os, Fact::Hostname, Fact::Cpus, Fact::Memory];
/// Where we put a container runtime.
const OUR_RUNTIME: &str = "/usr/local/bin/containerd";

pub(crate) fn run(
    arguments: &FlexJoin,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let _lock =
        if arguments.dry_run { None } else { Some(lock::take(root(&arguments.place).as_deref(), "join")?) };
    let facts = facts(&*host)?;
    let name = facts.hostname.as_deref().unwrap_or_default();
    let mut config = given::config(&arguments.config, name, screen)?;
    identity::complete(&mut config, &*host)?;
    let chosen = stock::choose(&arguments.programs, &config)?;
    let supplies = chosen.stock.supplies();
    let config_file = arguments.config.to_string_lossy();
    let provisions = Provisions {
        architecture: Architecture::own().name(),
        config_file: &config_file,
        supplies: &supplies,
    };
    let node = node(&config, provisions, screen)?;
    let plan = planned(&node, &facts, screen)?;
    let asks = !arguments.yes && io::stdin().is_terminal() && io::stderr().is_terminal();
    if arguments.dry_run || asks {
        plan_command::text(&config_file, &plan, screen);
    }
    if arguments.dry_run {
        return Ok(Outcome::Done);
    }
    if asks {
        screen.flush()?;
        if !confirmed(&format!("Make this machine the node {}?", config.agent.node_name)) {
            screen.line("nothing was touched");
            return Ok(Outcome::Negative);
        }
    }
    stock::store(&chosen, &*host)?;
    let stop = Interruption::listen()
        .map_err(|error| Failure::machine("no-signals", "cannot listen for signals", error))?;
    let mut of = Sources::none();
    let mut options = Options::within(*of.read(plan.within()));
    options.workers = around.workers.unwrap_or(options.workers);
    let outside = outside::network(&*host, &node)?;
    let told = Told::new(&arguments.telling);
    let attempt = apply(&plan, &*host, &outside, &options, &Progress::new(told), &|| stop.signal().is_some())
        .map_err(|error| Failure::machine("not-begun", "cannot begin", error))?;
    if let Some(failure) = attempt.failure {
        return Err(Failure { code: 1, ..failed(failure) });
    }
    if told.summarises() {
        let made = format!("this machine is the node {} of {}", config.agent.node_name, config.cluster.name);
        summary(&attempt, &made, screen);
    }
    Ok(Outcome::Done)
}

/// What is known about the machine. A container runtime that we brought is none that is there already.
fn facts(host: &dyn Host) -> Result<Facts, Failure> {
    let mut facts = gather(host, &FACTS, None, std::time::Duration::ZERO).facts;
    let ours = has_brought(host, Path::new(OUR_RUNTIME)).map_err(|error| {
        Failure::machine("records-unreadable", "cannot read the records of earlier attempts", os_text(&error))
    })?;
    if ours {
        facts.containerd = Containerd::Missing;
    }
    Ok(facts)
}

fn node(config: &FlexConfig, provisions: Provisions<'_>, screen: &Screen) -> Result<Node, Failure> {
    config.node(provisions).map_err(|refused| {
        for one in &refused {
            screen.error(format_args!("{}: {}\n  hint: {}", one.path, one.reason, one.hint));
        }
        let paths: Vec<&str> = refused.iter().map(|one| one.path.as_str()).collect();
        Failure::input("flex-refused", "cannot make a node of this configuration", paths.join(", "))
    })
}

fn planned(node: &Node, facts: &Facts, screen: &Screen) -> Result<Plan, Failure> {
    plan(node, facts).map_err(|unplanned| match unplanned {
        Unplanned::Refused(refusals) => {
            for refusal in &refusals {
                screen.error(format_args!("{}: {}\n  hint: {}", refusal.what, refusal.message, refusal.hint));
            }
            let what: Vec<&str> = refusals.iter().map(|one| one.what.as_str()).collect();
            Failure::input("cannot-plan", "cannot plan this node", what.join(", "))
                .with_hint("nothing of the machine was touched")
        }
        Unplanned::Broken(error) => {
            Failure { blame: Blame::Slipway, ..Failure::input("broken-plan", "cannot plan this node", error) }
                .with_hint("this is a mistake in Slipway: please report it")
        }
    })
}

/// Whether the person at the keyboard says yes.
pub(super) fn confirmed(question: &str) -> bool {
    let mut error = io::stderr();
    let _ = write!(error, "{question} [y/N] ");
    let _ = error.flush();
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}
