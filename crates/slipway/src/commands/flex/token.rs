//! `slipway flex token`: what kubelet shows to the API server, in the name of the machine's identity.

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use slipway_azure::credential::Scope;
use slipway_fetch::Patience;
use slipway_flex::identity::{Kept, answer};

use super::{given, hostname, identity, tokens};
use crate::cli::FlexToken;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

/// Kubelet waits a minute for its plugin.
const WITHIN: Duration = Duration::from_secs(50);

pub(crate) fn run(
    arguments: &FlexToken,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let host = around.host_at(None)?;
    let config = given::config(&arguments.config, &hostname(None, &*host)?, screen)?;
    let source = identity::source(&config, &*host)?;
    let source = Kept::new(
        source,
        Path::new(tokens::PLACE).join(tokens::OF_KUBELET),
        format!("{:?}", config.identity),
    );
    let never = || false;
    let patience = Patience::new(Instant::now() + WITHIN, &never);
    let info = env::var("KUBERNETES_EXEC_INFO").ok();
    let told = answer(info.as_deref(), &source, &Scope::of(&arguments.server_id), patience);
    let text = told.map_err(|error| {
        Failure { blame: error.blame(), ..Failure::input("no-token", "cannot get a token", &error) }
            .with_hint(error.hint())
    })?;
    screen.raw(text.expose().as_bytes());
    screen.raw(b"\n");
    Ok(Outcome::Done)
}
