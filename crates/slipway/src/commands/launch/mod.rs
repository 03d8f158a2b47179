//! `slipway launch`: everything that a VM is created with, and why.

mod drift;
mod images;
mod kubeconfig;
mod live;
mod request;
mod sizes;
mod template;
mod variables;
mod yaml;

use std::path::Path;

use slipway_launch::{Fidelity, Finding, Refusal, Request, Resolved, resolve};

use crate::Outcome;
use crate::cli::{Launch, Live};
use crate::failure::Failure;
use crate::files::{self, Input};
use crate::screen::Screen;

pub(crate) fn run(command: &Launch, screen: &mut Screen) -> Result<Outcome, Failure> {
    match command {
        Launch::Schema => {
            screen.json(&slipway_launch::request::schema());
            Ok(Outcome::Done)
        }
        Launch::Variables(arguments) => variables::print(arguments, screen),
        Launch::Template(arguments) => template::print(arguments, screen),
        Launch::Images(arguments) => images::print(arguments, screen),
        Launch::Drift(arguments) => drift::print(arguments, screen),
        Launch::InstanceTypes(arguments) => sizes::print(arguments, screen),
        Launch::Request(arguments) => request::print(arguments, screen),
    }
}

fn fidelity(compat: bool) -> Fidelity {
    if compat { Fidelity::Compat } else { Fidelity::Ours }
}

/// A launch request, with what a live cluster says where the file does not.
fn read(path: &Path, live: &Live, screen: &Screen) -> Result<Request, Failure> {
    let input = files::read(path)?;
    let text = text(&input)?;
    let parsed = match &live.kubeconfig {
        None => Request::parse(text),
        Some(kubeconfig) => {
            Request::parse(&live::filled(text, kubeconfig, live.within, &input.name, screen)?)
        }
    };
    parsed.map_err(|problems| {
        let one = problems.0.len() == 1;
        Failure::input(
            "not-a-launch-request",
            format!("cannot use {}", input.name),
            if one { problems.to_string() } else { format!("{} problems\n{problems}", problems.0.len()) },
        )
        .with_hint("slipway launch schema describes a launch request")
    })
}

fn text(input: &Input) -> Result<&str, Failure> {
    std::str::from_utf8(&input.text)
        .map_err(|error| Failure::input("not-text", format!("cannot read {}", input.name), error))
}

/// The node that a request leads to.
fn resolved(request: &Request, fidelity: Fidelity, screen: &Screen) -> Result<Resolved, Failure> {
    let node = resolve(request, fidelity).map_err(|refusal| {
        let reason = match refusal {
            Refusal::NotOffered(_) => "size-not-offered",
            Refusal::Image(_) => "no-image",
            _ => "launch-refused",
        };
        Failure::input(reason, "cannot launch this node", refusal)
    })?;
    warn(&node.findings, screen);
    Ok(node)
}

fn warn(findings: &[Finding], screen: &Screen) {
    for Finding { path, message } in findings {
        screen.warning(format_args!("{path}: {message}"));
    }
}
