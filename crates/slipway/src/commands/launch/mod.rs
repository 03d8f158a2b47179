//! `slipway launch`: everything that a VM is created with, and why.

mod drift;
mod exec;
mod images;
pub(crate) mod kubeconfig;
mod live;
mod request;
mod sizes;
mod template;
mod variables;
mod yaml;

use std::borrow::Cow;
use std::path::Path;

use slipway_launch::request::Problems;
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
    Request::parse(&filled(live, &input, screen)?).map_err(|problems| {
        told(&problems, "not-a-launch-request", format!("cannot use {}", input.name), screen)
            .with_hint("slipway launch schema describes a launch request")
    })
}

/// A file's text, with what a live cluster says where it says nothing.
fn filled<'t>(live: &Live, input: &'t Input, screen: &Screen) -> Result<Cow<'t, str>, Failure> {
    let text = text(input)?;
    match &live.kubeconfig {
        None => Ok(Cow::Borrowed(text)),
        Some(kubeconfig) => live::filled(text, kubeconfig, live.within, &input.name, screen).map(Cow::Owned),
    }
}

/// A failure of one problem, or of several that are told one by one.
fn told(problems: &Problems, reason: &'static str, doing: impl Into<String>, screen: &Screen) -> Failure {
    if let [problem] = &problems.0[..] {
        return Failure::input(reason, doing, problem);
    }
    problems.0.iter().for_each(|problem| screen.error(problem));
    Failure::input(reason, doing, format_args!("it has {} problems", problems.0.len()))
}

fn text(input: &Input) -> Result<&str, Failure> {
    std::str::from_utf8(&input.text)
        .map_err(|error| Failure::input("not-text", format!("cannot read {}", input.name), error))
}

/// The node that a request leads to.
fn resolved(request: &Request, fidelity: Fidelity, screen: &Screen) -> Result<Resolved, Failure> {
    let node = resolve(request, fidelity).map_err(|refusal| {
        let doing = "cannot launch this node";
        match refusal {
            Refusal::Request(problems) => told(&problems, "launch-refused", doing, screen),
            Refusal::NotOffered(_) => Failure::input("size-not-offered", doing, refusal),
            Refusal::Image(_) => Failure::input("no-image", doing, refusal),
            _ => Failure::input("launch-refused", doing, refusal),
        }
    })?;
    warn(&node.findings, screen);
    Ok(node)
}

fn warn(findings: &[Finding], screen: &Screen) {
    for Finding { path, message } in findings {
        screen.warning(format_args!("{path}: {message}"));
    }
}
