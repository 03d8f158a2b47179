//! `slipway flex init`: a configuration to start from.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use slipway_contract::Issue;
use slipway_flex::init::{Answers, Way, document};
use slipway_host::{make_directory, os_text, publish};
use slipway_model::Secret;

use crate::cli::{FlexInit, IdentityWay};
use crate::commands::launch::kubeconfig;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

pub(super) fn write(
    arguments: &FlexInit,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let target = &arguments.output;
    let failed = |error: std::io::Error| {
        Failure::machine("file-unwritable", format!("cannot write {}", target.display()), os_text(&error))
            .with_hint("say another place with --output, or become root")
    };
    if !arguments.force && target.symlink_metadata().is_ok() {
        let doing = format!("cannot write {}", target.display());
        return Err(Failure::input("file-exists", doing, "it is there already")
            .with_hint("--force replaces it; --output says another place"));
    }
    let hostname = super::hostname(None, &*around.host_at(None)?)?;
    let answers = answers(arguments)?;
    let text = document(&answers, &hostname).map_err(|issues| incomplete(&issues, screen))?;
    if let Some(directory) = target.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        make_directory(directory).map_err(failed)?;
    }
    publish(target, text.expose().as_bytes(), 0o600).map_err(failed)?;
    screen.line(format_args!("{} is written; next: slipway flex config {0}", target.display()));
    Ok(Outcome::Done)
}

/// What the flags say, and what the person at the keyboard says where they say nothing.
fn answers(arguments: &FlexInit) -> Result<Answers, Failure> {
    let asking = Asking { at_keyboard: std::io::stdin().is_terminal() };
    let (server, ca) = match &arguments.kubeconfig {
        Some(path) => {
            let cluster = kubeconfig::cluster(path)?;
            (Some(cluster.server), Some(BASE64_STANDARD.encode(cluster.ca_pem)))
        }
        None => (None, None),
    };
    let cluster = asking.or_ask(arguments.cluster.as_ref(), "--cluster", "The cluster's resource id")?;
    let way = way(arguments, &asking)?;
    let in_azure = matches!(way, Way::Arc | Way::Principal { .. });
    let tenant = match &arguments.tenant {
        None if in_azure => Some(asking.or_ask(None, "--tenant", "The Entra tenant")?),
        said => said.clone(),
    };
    let location = match &arguments.location {
        None if matches!(way, Way::Arc) => {
            Some(asking.or_ask(None, "--location", "The region, such as westeurope")?)
        }
        said => said.clone(),
    };
    Ok(Answers {
        cluster,
        location,
        tenant,
        way,
        node_name: arguments.node_name.clone(),
        kubernetes: arguments.kubernetes_version.clone(),
        server,
        ca,
    })
}

fn way(arguments: &FlexInit, asking: &Asking) -> Result<Way, Failure> {
    let identity = match arguments.identity {
        Some(identity) => identity,
        None if arguments.token_file.is_some() => IdentityWay::Token,
        None => {
            let word = asking.or_ask(
                None,
                "--identity",
                "How the machine authenticates: arc, managed, service-principal or token",
            )?;
            <IdentityWay as clap::ValueEnum>::from_str(&word, true)
                .map_err(|_| missing("--identity").with_hint("arc, managed, service-principal or token"))?
        }
    };
    let text = |path: &Path| path.display().to_string();
    Ok(match identity {
        IdentityWay::Arc => Way::Arc,
        IdentityWay::Managed => Way::Managed(arguments.client_id.clone()),
        IdentityWay::ServicePrincipal => {
            let file = arguments.client_secret_file.as_deref().map(text);
            Way::Principal {
                client: asking.or_ask(arguments.client_id.as_ref(), "--client-id", "Its application id")?,
                secret_file: asking.or_ask(
                    file.as_ref(),
                    "--client-secret-file",
                    "The file with its secret",
                )?,
            }
        }
        IdentityWay::Token => match &arguments.token_file {
            Some(path) if path.as_os_str() == "-" => Way::Token(Asking::line().map(Secret::new)?),
            Some(path) => Way::TokenFile(text(path)),
            None => {
                Way::TokenFile(asking.or_ask(None, "--token-file", "The file with the bootstrap token")?)
            }
        },
    })
}

fn missing(flag: &str) -> Failure {
    Failure::input("missing-answer", "cannot write a configuration", format!("{flag} is not said"))
}

/// Questions, where there is somebody to answer them.
struct Asking {
    at_keyboard: bool,
}

impl Asking {
    fn or_ask(&self, said: Option<&String>, flag: &str, question: &str) -> Result<String, Failure> {
        if let Some(said) = said {
            return Ok(said.clone());
        }
        if !self.at_keyboard {
            return Err(missing(flag).with_hint(format!("{question}: add {flag}")));
        }
        let _ = write!(std::io::stderr(), "{question}: ");
        let answer = Self::line()?;
        if answer.is_empty() { Err(missing(flag)) } else { Ok(answer) }
    }

    /// The next line of standard input.
    fn line() -> Result<String, Failure> {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        read.map_err(|error| Failure::machine("input-unreadable", "cannot read the answer", error))?;
        Ok(line.trim().to_owned())
    }
}

/// Every problem of what would be written.
fn incomplete(issues: &[Issue], screen: &Screen) -> Failure {
    for issue in issues {
        screen.error(format_args!("{}: {}", issue.path, issue.message));
    }
    let hint = "a bootstrap token needs --kubeconfig; check the values of the flags";
    Failure::input("incomplete-answers", "cannot write a configuration", "what was said is not enough")
        .with_hint(hint)
}
