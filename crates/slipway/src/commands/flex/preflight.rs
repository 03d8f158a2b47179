//! `slipway flex preflight`: what stands against a join; and the same before one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use slipway_apply::status;
use slipway_azure::credential::Scope;
use slipway_fetch::{Patience, Url};
use slipway_flex::FlexConfig;
use slipway_flex::config::Kept;
use slipway_flex::preflight::{
    CHECKS, CredentialSeen, Examined, Observed, SandboxFrom, SandboxSeen, Severity, Unknown, examine, look,
    worst,
};
use slipway_flex::supply::ImageName;
use slipway_host::Host;
use slipway_kubernetes::{ApiServer, ClientKey, Credential};
use slipway_model::node::{HeldImage, Supply};
use slipway_model::{Facts, Secret};
use slipway_plan::CONTAINERD_SOCKET;

use super::onboarding::Prospect;
use super::outward::Outward;
use super::{credential, given, identity, join, onboarding, stock};
use crate::cli::{FlexPreflight, Output};
use crate::commands::findings;
use crate::failure::Failure;
use crate::native::progress::Told;
use crate::screen::Screen;
use crate::{Outcome, Surroundings};

/// AKS's application in Entra: tokens for it open the cluster.
const AKS_APPLICATION: &str = "6dae42f8-4368-4678-94ff-3960e28e3630";
/// Where containerd's configuration of registries is.
const REGISTRIES: &str = "/etc/containerd/certs.d";
/// How long the way to something may take to be walked.
const WITHIN: Duration = Duration::from_secs(15);

pub(crate) fn run(
    arguments: &FlexPreflight,
    around: &Surroundings<'_>,
    screen: &mut Screen,
) -> Result<Outcome, Failure> {
    let ignored = Ignored::new(&arguments.ignore)?;
    let host = around.host(&arguments.place)?;
    let facts = join::facts(&*host)?;
    let name = facts.hostname.as_deref().unwrap_or_default();
    let mut config = given::with_token(&arguments.config, name, &*host, screen)?;
    // Nobody listens for signals here: one ends the process.
    let never = || false;
    let prospect = onboarding::look(&config, &*host, &never);
    let told = if !prospect.is_nobody && host.is_live() {
        identity::complete(&mut config, &*host, None, &never)
    } else {
        Ok(())
    };
    let outward = Outward::new(&config.outward, arguments.programs.ca.as_deref())?;
    let is_supplied = stock::is_named(&arguments.programs, &config);
    let chosen = is_supplied.then(|| stock::choose(&arguments.programs, &config, &outward)).transpose();
    let found = chosen.as_ref().ok().and_then(Option::as_ref);
    let bundled = found.is_some_and(|chosen| chosen.is_bundled(&*host));
    let supplies = found.map(|it| it.stock.supplies()).unwrap_or_default();
    let images = found.map(|it| it.images(&*host)).unwrap_or_default();
    let site = Site {
        config: &config,
        file: &arguments.config,
        host: &*host,
        facts: &facts,
        outward: &outward,
        stop: &never,
    };
    let mut seen = site.observe(&prospect);
    if let Err(failure) = told {
        seen.permissions.get_or_insert(Err(unknown(failure)));
    }
    if let Err(failure) = chosen {
        seen.sources.push((failure.doing, Err(failure.found)));
    }
    site.look_at_sources(Provided { supplies: &supplies, images: &images, bundled }, &mut seen);
    if site.look_at_server(&mut seen) && !prospect.is_nobody {
        site.look_at_credential(&mut seen, None);
    }
    let examined = ignored.spare(examine(CHECKS, &seen));
    let ready = worst(&examined) != Some(Severity::Blocks);
    match arguments.output {
        Output::Json => screen.json(&findings::document("ready", ready, &examined)),
        Output::Text => findings::text(&examined, screen),
    }
    Ok(if ready { Outcome::Done } else { Outcome::Negative })
}

/// The checks whose findings keep nobody from joining.
pub(super) struct Ignored(Vec<String>);

impl Ignored {
    /// Reads their names.
    pub(super) fn new(names: &[String]) -> Result<Self, Failure> {
        if let Some(unknown) = names.iter().find(|name| !CHECKS.iter().any(|check| check.id == **name)) {
            let known: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
            let failure =
                Failure::input("no-such-check", "cannot ignore a check", format!("{unknown} is none"));
            return Err(Failure { code: 2, ..failure }.with_hint(format!("there are {}", known.join(", "))));
        }
        Ok(Self(names.to_vec()))
    }

    fn spare(&self, mut examined: Vec<Examined>) -> Vec<Examined> {
        for one in examined.iter_mut().filter(|one| self.0.iter().any(|name| name == one.id)) {
            for finding in &mut one.findings {
                finding.severity = finding.severity.min(Severity::Warns);
            }
        }
        examined
    }

    /// Tells what was found before a join; what would keep the machine from being a node is a failure.
    pub(super) fn judge(&self, seen: &Observed, told: Told, screen: &Screen) -> Result<(), Failure> {
        let examined = self.spare(examine(CHECKS, seen));
        let mut blocking = Vec::new();
        for one in &examined {
            for finding in &one.findings {
                let text = format!("{}: {}\n  hint: {}", one.id, finding.message, finding.advice);
                match finding.severity {
                    Severity::Blocks => {
                        blocking.push(one.id);
                        screen.error(text);
                    }
                    Severity::Warns => screen.warning(text),
                    Severity::Fine => {
                        told.remark(&format!("{}: {}; {}", one.id, finding.message, finding.advice));
                    }
                }
            }
        }
        blocking.dedup();
        if blocking.is_empty() {
            return Ok(());
        }
        Err(Failure::machine(
            "preflight",
            "cannot join",
            format!("these checks stand against it: {}", blocking.join(", ")),
        )
        .with_hint("nothing of the machine was touched; --ignore CHECK joins in spite of one"))
    }
}

/// What kept us from learning something, as a check tells it.
pub(super) fn unknown(failure: Failure) -> Unknown {
    Unknown {
        problem: format!("{}: {}", failure.doing, failure.found),
        hint: failure.hint.unwrap_or_else(|| "correct the configuration".to_owned()),
    }
}

/// Major and minor of a version such as `v1.34` or `1.34.3`.
fn minor(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix('v').unwrap_or(version).split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// What a machine gets from us.
#[derive(Clone, Copy)]
pub(super) struct Provided<'a> {
    pub(super) supplies: &'a [Supply],
    pub(super) images: &'a [HeldImage],
    /// Whether all of it is in a bundle.
    pub(super) bundled: bool,
}

/// The machine that is to join, and what it is to be.
pub(super) struct Site<'a> {
    pub(super) config: &'a FlexConfig,
    /// Where the configuration is.
    pub(super) file: &'a Path,
    pub(super) host: &'a dyn Host,
    pub(super) facts: &'a Facts,
    pub(super) outward: &'a Outward,
    /// Whether we are to stop.
    pub(super) stop: &'a dyn Fn() -> bool,
}

impl Site<'_> {
    /// Looks at the machine, and takes over what Azure said.
    pub(super) fn observe(&self, prospect: &Prospect) -> Observed {
        let ours = status(self.host).is_ok_and(|status| status.last.is_some());
        let version = self.config.versions.kubernetes.as_deref();
        Observed {
            os: self.facts.os.clone(),
            cpus: self.facts.cpus,
            memory: self.facts.memory_bytes,
            open_secrets: self.open_secrets(),
            node_name: Some(self.config.agent.node_name.clone()),
            kubernetes: version.and_then(minor),
            arc: prospect.arc.clone(),
            permissions: prospect.permissions.clone(),
            ..look::machine(self.host, self.config.ca.as_deref(), ours)
        }
    }

    /// Files with secrets that others can read.
    fn open_secrets(&self) -> Option<Vec<PathBuf>> {
        let files = || self.config.secret_files(self.file);
        self.host.is_live().then(|| look::readable_by_others(self.host, files()))
    }

    /// Whether the places answer that programs come from, of each host one file is asked for; with a bundle, whether the
    /// image is there that every pod has.
    pub(super) fn look_at_sources(&self, provided: Provided<'_>, seen: &mut Observed) {
        let Provided { supplies, images, bundled } = provided;
        if !self.host.is_live() {
            return;
        }
        if bundled {
            seen.sandbox = self.sandbox(images);
            return;
        }
        let held = |supply: &&Supply| !matches!(self.host.entry(&supply.held), Ok(Some(_)));
        let mut places: BTreeMap<String, &str> = BTreeMap::new();
        for supply in supplies.iter().filter(held) {
            let address = supply.download.url.expose();
            if let Ok(url) = Url::parse(address) {
                places.entry(format!("{}:{}", url.host(), url.port())).or_insert(address);
            }
        }
        let Ok(client) = self.outward.client() else { return };
        for (place, address) in places {
            let patience = Patience::new(Instant::now() + WITHIN, self.stop);
            seen.sources.push((place, look::reachable(address, &client, patience)));
        }
    }

    /// Where the image would come from that every pod has.
    fn sandbox(&self, images: &[HeldImage]) -> Option<SandboxSeen> {
        let name: ImageName = self.config.sandbox_image().parse().ok()?;
        let known = || matches!(self.host.has_image(Path::new(CONTAINERD_SOCKET), name.as_str()), Ok(true));
        let directory = |part: &str| Path::new(REGISTRIES).join(part);
        let mirror = [directory(name.registry()), directory("_default")]
            .into_iter()
            .find(|directory| matches!(self.host.entry(&directory.join("hosts.toml")), Ok(Some(_))));
        let from = if images.iter().any(|image| image.name == name.as_str()) || known() {
            SandboxFrom::Here
        } else if let Some(directory) = mirror {
            SandboxFrom::Mirror(directory)
        } else {
            let client = self.outward.client().ok()?;
            let patience = Patience::new(Instant::now() + WITHIN, self.stop);
            match look::registry(name.registry(), &client, patience) {
                Ok(()) => SandboxFrom::Registry,
                Err(problem) => SandboxFrom::Nowhere(problem),
            }
        };
        Some(SandboxSeen { image: name.to_string(), from })
    }

    /// Walks the way to the API server, and says whether it was open.
    pub(super) fn look_at_server(&self, seen: &mut Observed) -> bool {
        let (Some(server), Some(ca)) = (&self.config.server, &self.config.ca) else { return false };
        if !self.host.is_live() {
            return false;
        }
        let patience = Patience::new(Instant::now() + WITHIN, self.stop);
        let found = look::server(&server.url(), ca, self.outward.proxy(), patience);
        seen.now = slipway_host::unix_seconds();
        let answers = found.answer.is_ok();
        seen.server = Some(found);
        answers
    }

    /// Looks what the API server says to the credential. Where somebody hears it, a role that does not count yet is waited
    /// for.
    pub(super) fn look_at_credential(&self, seen: &mut Observed, waiting: Option<Told>) {
        let (Some(server), Some(ca)) = (&self.config.server, &self.config.ca) else { return };
        let soon = || Patience::new(Instant::now() + WITHIN, self.stop);
        let address = server.url();
        let proxy = self.outward.proxy();
        let open = |credential| ApiServer::new(&address, ca.as_bytes(), credential, proxy).ok();
        let name = &self.config.agent.node_name;
        if let Some(api) = credential::own(self.host, &self.outward.network(self.host), &address, name) {
            seen.active = look::active(&api, name, &look::machine_name(self.host), soon());
            if seen.active.is_some() {
                // A node with a certificate does not trade its token again, which may have ended long ago.
                return;
            }
        }
        if let Some(Kept::Here(token)) = &self.config.token {
            let Some(api) = open(Credential::Token(token.clone())) else { return };
            seen.credential = look::bootstrap_access(&api, soon());
            let this = look::machine_name(self.host);
            seen.active = look::active(&api, &self.config.agent.node_name, &this, soon());
            return;
        }
        let source = match identity::source(self.config, self.host) {
            Ok(source) => source,
            Err(failure) => return seen.credential = Some(CredentialSeen::Missing(unknown(failure))),
        };
        let given_within = if waiting.is_some() { identity::RESTARTS_WITHIN } else { WITHIN };
        let deadline = Instant::now() + identity::ROLES_WITHIN;
        loop {
            let patience = Patience::new(Instant::now() + given_within, self.stop);
            let token = match source.token(&Scope::of(AKS_APPLICATION), patience) {
                Ok(token) => token.secret().clone(),
                Err(error) => {
                    return seen.credential =
                        Some(CredentialSeen::Missing(unknown(identity::untold(&error))));
                }
            };
            let Some(api) = open(Credential::Token(token)) else { return };
            seen.credential = look::node_access(&api, soon());
            let this = look::machine_name(self.host);
            match (&seen.credential, waiting) {
                (Some(CredentialSeen::Forbidden { .. }), Some(told)) if Instant::now() < deadline => {
                    told.remark("credential: the identity may not register a node yet; asking again");
                    if Patience::new(deadline, self.stop).sleep(identity::LOOK_AGAIN).is_err() {
                        return;
                    }
                }
                _ => {
                    seen.active = look::active(&api, &self.config.agent.node_name, &this, soon());
                    return;
                }
            }
        }
    }

    /// Whether another machine is at work under the node's name, where the token may not know: a node itself may. For that the
    /// token is traded for a certificate; where it cannot be, the reason comes back and nothing was looked at.
    pub(super) fn look_as_node(&self, seen: &mut Observed) -> Result<(), String> {
        let (Some(server), Some(ca), Some(Kept::Here(token))) =
            (&self.config.server, &self.config.ca, &self.config.token)
        else {
            return Ok(());
        };
        if seen.active.is_some() || seen.ours || seen.credential != Some(CredentialSeen::Accepted) {
            return Ok(());
        }
        let soon = || Patience::new(Instant::now() + WITHIN, self.stop);
        let (address, name) = (server.url(), &self.config.agent.node_name);
        let open = |credential| {
            let opened = ApiServer::new(&address, ca.as_bytes(), credential, self.outward.proxy());
            opened.map_err(|error| error.to_string())
        };
        let key = ClientKey::generate().map_err(|error| error.to_string())?;
        let traded = open(Credential::Token(token.clone()))?.bootstrap(name, &key, soon());
        let chain_pem = traded.map_err(|error| error.to_string())?;
        let key_pem: Secret<String> = key.pem().clone();
        let api = open(Credential::Certificate { chain_pem, key_pem })?;
        seen.active = look::active(&api, name, &look::machine_name(self.host), soon());
        Ok(())
    }
}
