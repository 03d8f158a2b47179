//! `slipway flex join`: this machine as a node of a cluster.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Instant;

use slipway_apply::{Options, apply, has_brought};
use slipway_facts::{Fact, gather};
use slipway_flex::preflight::look;
use slipway_flex::supply::{Architecture, RUNTIME};
use slipway_flex::{FlexConfig, Provisions};
use slipway_host::{Host, Interruption, os_text};
use slipway_model::node::CredentialPlugin;
use slipway_model::{Containerd, Facts, Node, Source, Sourced, Sources};
use slipway_plan::{Plan, Unplanned, plan};

use super::outward::Outward;
use super::preflight::Provided;
use super::readiness::{PREFLIGHT, Wish};
use super::upgrade::AWAIT_READY;
use super::{arrival, given, goal, kept, marks, onboarding, registration, stock, upgrade};
use crate::cli::FlexJoin;
use crate::commands::plan as plan_command;
use crate::commands::provision::{failed, summary};
use crate::failure::{Blame, Failure};
use crate::native::lock;
use crate::native::progress::{Progress, Told};
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

/// What is looked at on a machine that Azure did not make.
const FACTS: [Fact; 5] = [Fact::Containerd, Fact::Os, Fact::Hostname, Fact::Cpus, Fact::Memory];

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
    let asked = kept::Asked::read(&arguments.config)?;
    let mut config = given::with_token(&arguments.config, name, &*host, screen)?;
    let said = goal::heed(&mut config, &*host)?;
    upgrade::heed_choice(&mut config, &*host)?;
    let outward = Outward::new(&config.outward, arguments.programs.ca.as_deref())?;
    let chosen = match stock::given_before(&arguments.programs, &config, &*host)? {
        Some(chosen) => chosen,
        None => stock::choose(&arguments.programs, &config, &outward)?,
    };
    upgrade::refuse_other_version(&chosen.stock, &*host)?;
    config.versions.kubernetes = chosen.kubernetes().or(config.versions.kubernetes);
    let (supplies, images) = (chosen.stock.supplies(), chosen.images(&*host));
    let stop = Interruption::listen()
        .map_err(|error| Failure::machine("no-signals", "cannot listen for signals", error))?;
    let stop = || stop.signal().is_some();
    let told = Told::new(&arguments.telling);
    let asks = !arguments.yes && io::stdin().is_terminal() && io::stderr().is_terminal();
    let bundled = chosen.is_bundled(&*host);
    let provided = Provided { supplies: &supplies, images: &images, bundled };
    let wish = Wish { arguments, asks, told, provided, outward: &outward, stop: &stop };
    let Some(seen) = wish.ready(&mut config, &*host, &facts, screen)? else {
        return Ok(if arguments.dry_run { Outcome::Done } else { Outcome::Negative });
    };
    let config_file = asked.path.to_string_lossy();
    let provisions = Provisions {
        architecture: Architecture::own().name(),
        config_file: &config_file,
        supplies: &supplies,
        images: &images,
        resolver: look::resolver_for_pods(&*host),
    };
    let mut node = node(&config, provisions, screen)?;
    node.system.keeper = kept::keeper(&*host, &config_file);
    let swap_off = arguments.disable_swap || kept::keeps_swap_off(&*host);
    if swap_off && host.is_live() {
        node.system.swap_off = Sourced::new(Some(look::swap(&*host)), Source::Fact("swap"));
    }
    let plan = planned(&node, &facts, screen)?;
    if arguments.dry_run || asks {
        plan_command::text(&config_file, &plan, screen);
    }
    if arguments.dry_run {
        return Ok(Outcome::Done);
    }
    if asks {
        screen.flush()?;
        if !confirmed(&format!("Make this machine the node {}?", config.agent.node_name)) {
            screen.line("nothing of the machine was touched");
            let in_azure = onboarding::record(&*host)?;
            if !in_azure.is_empty() {
                in_azure.lines().iter().for_each(|line| screen.line(format_args!("azure: {line} stays")));
                screen.line("slipway flex leave takes that back");
            }
            return Ok(Outcome::Negative);
        }
    }
    wish.look_as_node(&config, &*host, &facts, seen, screen)?;
    stock::store(&chosen, &*host)?;
    let record = kept::begin(&*host, &config, &asked, swap_off)?;
    registration::register(&config, &said, &*host, told, screen, &stop)?;
    let mut of = Sources::none();
    let (began, within) = (Instant::now(), *of.read(plan.within()));
    let mut options = Options::within(within).downloading();
    options.workers = around.workers.unwrap_or(options.workers);
    options.skip = arguments.skip.iter().filter(|step| *step != PREFLIGHT).cloned().collect();
    let outside = outward.network(&*host);
    let attempt = apply(&plan, &*host, &outside, &options, &Progress::new(told), &stop)
        .map_err(|error| Failure::machine("not-begun", "cannot begin", error))?;
    if let Some(failure) = attempt.failure {
        return Err(Failure { code: 1, ..failed(failure) });
    }
    // Without the API server there is no Node to give anything to.
    let marks = if options.skip.contains(AWAIT_READY) { None } else { Some(marks::wanted(&config.wish())) };
    if let Some(marks) = &marks {
        if host.is_live() {
            let node = (record.node.as_str(), config.versions.kubernetes.as_deref().unwrap_or_default());
            arrival::confirm(&*host, &outside, node, within.saturating_sub(began.elapsed()), &stop)?;
        }
        marks::bring(&*host, &record, marks, screen)?;
        let installed = config.versions.kubernetes.as_deref().unwrap_or_default();
        goal::settle(&*host, said, installed, kept::is_other(&record, &asked))?;
    }
    kept::finish(&*host, record, &asked, marks)?;
    if told.summarises() {
        let made = format!("this machine is the node {} of {}", config.agent.node_name, config.cluster.name);
        summary(&attempt, &made, screen);
    }
    Ok(Outcome::Done)
}

/// What is known about the machine. A container runtime that we brought is none that is there already.
pub(super) fn facts(host: &dyn Host) -> Result<Facts, Failure> {
    let mut facts = gather(host, &FACTS, None, std::time::Duration::ZERO).facts;
    let ours = has_brought(host, Path::new(RUNTIME)).map_err(|error| {
        Failure::machine("records-unreadable", "cannot read the records of earlier attempts", os_text(&error))
    })?;
    if ours {
        facts.containerd = Containerd::Missing;
    }
    Ok(facts)
}

/// The node that a configuration asks for; what stands against it is said.
pub(super) fn node(
    config: &FlexConfig,
    provisions: Provisions<'_>,
    screen: &Screen,
) -> Result<Node, Failure> {
    let made = config.node(provisions).map_err(|refused| {
        for one in &refused {
            screen.error(format_args!("{}: {}\n  hint: {}", one.path, one.reason, one.hint));
        }
        let paths: Vec<&str> = refused.iter().map(|one| one.path.as_str()).collect();
        Failure::input("flex-refused", "cannot make a node of this configuration", paths.join(", "))
    });
    let mut node = made?;
    // Kubelet asks the program that joined the machine, wherever that is installed.
    if let Ok(own) = std::env::current_exe() {
        let program = own.to_string_lossy().into_owned();
        let asked = |plugin: &Option<CredentialPlugin>| {
            plugin.clone().map(|plugin| CredentialPlugin { program: program.clone(), ..plugin })
        };
        node.join.plugin = node.join.plugin.map(asked);
    }
    Ok(node)
}

/// The plan of a node; what stands against it is said.
pub(super) fn planned(node: &Node, facts: &Facts, screen: &Screen) -> Result<Plan, Failure> {
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
