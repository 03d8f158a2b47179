//! `slipway flex leave`: out of the cluster, and the machine as it was.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::time::{Duration, Instant};

use slipway_apply::{ResetOptions, ResetReport, Unwatched, reset, server_of_node};
use slipway_host::{Host, os_text};
use slipway_kubernetes::{ApiError, ApiServer, Leaving, NodeState, Patience};
use slipway_model::Verb;

use super::join::confirmed;
use super::{given, hostname, kept, onboarding, tokens};
use crate::cli::FlexLeave;
use crate::commands::launch::kubeconfig::Kubeconfig;
use crate::commands::{reset as reset_command, status};
use crate::failure::Failure;
use crate::native::lock;
use crate::screen::Screen;
use crate::surroundings::root;
use crate::{Outcome, Surroundings};

pub(super) const KUBECONFIG: &str = "/var/lib/kubelet/kubeconfig";
pub(super) const KUBELET: &str = "kubelet.service";
/// How long the API server may take for anything but pods.
pub(super) const WITHIN: Duration = Duration::from_secs(30);

pub(crate) fn run(
    arguments: &FlexLeave,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host(&arguments.place)?;
    let _lock = lock::take(root(&arguments.place).as_deref(), "leave")?;
    let options = ResetOptions { force: arguments.force, dry_run: false };
    let rehearsed = reset(&*host, ResetOptions { dry_run: true, ..options }, &Unwatched);
    let in_azure = onboarding::record(&*host)?;
    if is_empty(&rehearsed.map_err(status::unreadable)?) && in_azure.is_empty() {
        // A join that was refused early may have left its record.
        reset(&*host, options, &Unwatched).map_err(status::unreadable)?;
        forget_tokens(&*host)?;
        screen.line("this machine is no node of ours: nothing to undo");
        return Ok(Outcome::Done);
    }
    if !arguments.yes {
        if !io::stdin().is_terminal() {
            return Err(Failure {
                code: 2,
                ..Failure::input("not-confirmed", "cannot leave", "nobody can be asked")
            }
            .with_hint("--yes leaves without a question"));
        }
        if !confirmed("Take this machine out of its cluster?") {
            screen.line("nothing was touched");
            return Ok(Outcome::Negative);
        }
    }
    if host.is_live() && !kept::is_leaving(&*host) {
        match Membership::find(&*host, arguments, screen) {
            Ok(Some(membership)) => membership.end(&*host, arguments, screen)?,
            Ok(None) => {}
            Err(failure) if arguments.force => {
                screen.warning(format_args!("{}: {}", failure.doing, failure.found));
            }
            Err(failure) => return Err(failure),
        }
    }
    if !in_azure.is_empty() {
        match leave_azure(&*host, arguments, screen) {
            Err(failure) if arguments.force || arguments.keep_azure => {
                screen.warning(format_args!("{}: {}", failure.doing, failure.found));
                let stays = |line: &String| screen.warning(format_args!("{line} stays"));
                onboarding::record(&*host)?.lines().iter().for_each(stays);
            }
            left => left?,
        }
    }
    kept::leave(&*host)?;
    let report = reset(&*host, options, &Unwatched).map_err(status::unreadable)?;
    reset_command::tell(&report, options, screen);
    forget_tokens(&*host)?;
    Ok(if report.failed.is_empty() { Outcome::Done } else { Outcome::Negative })
}

/// What opened the cluster, or Azure, goes when the machine has left.
fn forget_tokens(host: &dyn Host) -> Result<(), Failure> {
    let mut names = [tokens::OF_KUBELET, tokens::OF_AGENT].into_iter();
    names.try_for_each(|name| tokens::forget(host, name)).map_err(|error| {
        Failure::machine("token-stays", "cannot remove a token", os_text(&error))
            .with_hint(format!("remove it from {}", tokens::PLACE))
    })
}

/// Takes back what we made in Azure, as whoever is signed in.
fn leave_azure(host: &dyn Host, arguments: &FlexLeave, screen: &mut Screen) -> Result<(), Failure> {
    let config = given::config(&arguments.config, &hostname(None, host)?, screen)?;
    onboarding::undo(&config, host, screen)
}

fn is_empty(report: &ResetReport) -> bool {
    report.undone.is_empty() && report.kept.is_empty() && report.failed.is_empty()
}

/// The node's name, by the record of joining: the configuration may be gone, or another one by now.
fn node_name(host: &dyn Host, arguments: &FlexLeave, screen: &Screen) -> Result<String, Failure> {
    match kept::record(host).ok().flatten() {
        Some(record) if !record.node.is_empty() => Ok(record.node),
        _ => Ok(given::config(&arguments.config, &hostname(None, host)?, screen)?.agent.node_name),
    }
}

/// The machine as the cluster knows it.
struct Membership {
    server: ApiServer,
    node: NodeState,
}

impl Membership {
    /// Looks whether the machine is a node, with the credential that was given or the node's own.
    fn find(host: &dyn Host, arguments: &FlexLeave, screen: &Screen) -> Result<Option<Self>, Failure> {
        let name = node_name(host, arguments, screen)?;
        let server = match &arguments.kubeconfig {
            Some(file) => Some(Kubeconfig::read(file)?.api_server()?),
            None => {
                server_of_node(host, Path::new(KUBECONFIG)).transpose().map_err(|error| unasked(&error))?
            }
        };
        let Some(server) = server else { return Ok(None) };
        let never = || false;
        let found = server.node(&name, Patience::new(Instant::now() + WITHIN, &never));
        Ok(found.map_err(|error| unasked(&error))?.map(|node| Self { server, node }))
    }

    /// Lets the pods leave, stops kubelet, deletes the Node.
    fn end(&self, host: &dyn Host, arguments: &FlexLeave, screen: &mut Screen) -> Result<(), Failure> {
        let never = || false;
        let soon = || Patience::new(Instant::now() + WITHIN, &never);
        let name = &self.node.name;
        let cordoned = self.server.set_schedulable(name, false, soon());
        let pods = Patience::new(Instant::now() + arguments.draining.within(), &never);
        let drain = arguments.draining.drain();
        let drained = cordoned.map_err(|error| unasked(&error)).and_then(|()| {
            self.server.drain(name, drain, pods, |event| tell(&event, screen)).map_err(|error| {
                let failure = Failure::input("pods-stay", "cannot let the pods leave", &error);
                Failure { blame: error.blame(), ..failure }
                    .with_hint("--lose-pods lets those go that would be lost; --force leaves in any case")
            })
        });
        match drained {
            Err(failure) if !arguments.force => {
                // What was begun is taken back: the machine stays a node, open to pods only where it was.
                if !self.node.unschedulable {
                    let _ = self.server.set_schedulable(name, true, soon());
                }
                return Err(failure);
            }
            Err(failure) => screen.warning(format_args!("{}: {}", failure.doing, failure.found)),
            Ok(()) => {}
        }
        host.job(KUBELET, Verb::Stop, Some(WITHIN))
            .map_err(|error| Failure::machine("kubelet-stays", "cannot stop kubelet", os_text(&error)))?;
        match self.server.delete_node(name, &self.node.uid, soon()) {
            Ok(_) => screen.line(format_args!("the Node {name} is deleted")),
            // A node's own credential may not; whoever may is told to.
            Err(error) => screen.warning(format_args!(
                "the Node {name} stays: {error}\n  hint: kubectl delete node {name}, or next time --kubeconfig of someone who may"
            )),
        }
        Ok(())
    }
}

fn unasked(error: &ApiError) -> Failure {
    let failure = Failure::input("cluster-unasked", "cannot ask the cluster about this machine", error);
    Failure { blame: error.blame(), ..failure }
        .with_hint("--force leaves without it; the Node stays then, until someone deletes it")
}

/// How pods leave, as lines.
pub(super) fn tell(event: &Leaving, screen: &mut Screen) {
    match event {
        Leaving::Asked(pod) => screen.line(format_args!("{pod} was asked to leave")),
        Leaving::Held(pod, why) => screen.line(format_args!("{pod} may not leave yet: {why}")),
        Leaving::Gone(pod) => screen.line(format_args!("{pod} has left")),
    }
}
