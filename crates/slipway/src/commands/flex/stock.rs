//! Where the machine's programs come from: a bundle, or a manifest and the network.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use slipway_apply::keep_note;
use slipway_fetch::{Client, Download, Patience, Url, fetch};
use slipway_flex::FlexConfig;
use slipway_flex::supply::bundle::{self, BundleError};
use slipway_flex::supply::{
    Architecture, Digest, Manifest, Mirror, Order, Pick, PublicKey, Signed, Stock, offline_bundle, stored,
};
use slipway_host::{Host, os_text};
use slipway_model::node::{Component, HeldImage};

use super::outward::Outward;
use super::{kept, notes, store};
use crate::cli::Programs;
use crate::failure::{Blame, Failure};
use crate::files;

/// The name of the record of what a machine was given.
const NOTE: &str = "supplies.json";
/// How long a manifest may take to come.
const MANIFEST_WITHIN: Duration = Duration::from_mins(1);
const LARGEST_MANIFEST: u64 = 16 << 20;
/// Where a manifest and its key are when nobody says it: beside the configuration.
const MANIFEST: &str = "/etc/aks-flex-node/manifest.json";
const RELEASE_KEY: &str = "/etc/aks-flex-node/release.pub";

/// What the machine is given, and the bundle that holds it.
pub(super) struct Chosen {
    pub(super) stock: Stock,
    bundle: Option<(PathBuf, PublicKey)>,
}

impl Chosen {
    /// What was chosen before.
    pub(super) const fn earlier(stock: Stock) -> Self {
        Self { stock, bundle: None }
    }

    /// The version of Kubernetes.
    pub(super) fn kubernetes(&self) -> Option<String> {
        kubernetes(&self.stock).map(str::to_owned)
    }

    /// Whether a bundle holds all of it, or the machine has kept what one held.
    pub(super) fn is_bundled(&self, host: &dyn Host) -> bool {
        let is_kept = |pick: &Pick| matches!(host.entry(&stored(&pick.sha256)), Ok(Some(_)));
        self.bundle.is_some() || self.stock.picks.iter().all(is_kept)
    }

    /// The container images that the machine has in files, or will have.
    pub(super) fn images(&self, host: &dyn Host) -> Vec<HeldImage> {
        let is_kept = |image: &HeldImage| matches!(host.entry(&image.archive), Ok(Some(_)));
        let held = self.stock.held_images().into_iter();
        held.filter(|image| self.bundle.is_some() || is_kept(image)).collect()
    }
}

/// What the machine was given before, where nobody asks for something else: a node keeps what it has, and a join that was cut
/// short goes on with what it began with.
pub(super) fn given_before(
    programs: &Programs,
    config: &FlexConfig,
    host: &dyn Host,
) -> Result<Option<Chosen>, Failure> {
    let asked = programs.bundle.is_some() || programs.manifest.is_some();
    if asked || !(kept::is_done(host) || origin(programs, config).is_err()) {
        return Ok(None);
    }
    Ok(recorded(host)?.map(Chosen::earlier))
}

/// Whether it is said where programs come from.
pub(super) fn is_named(programs: &Programs, config: &FlexConfig) -> bool {
    origin(programs, config).is_ok()
}

/// Where the machine's programs are listed.
enum Origin {
    Bundle(PathBuf),
    Manifest(String),
}

/// Chooses what the configuration asks for, from where the flags say or else the configuration.
pub(super) fn choose(programs: &Programs, config: &FlexConfig, outward: &Outward) -> Result<Chosen, Failure> {
    let mut mirrors = mirrors(&programs.mirror)?;
    mirrors.extend_from_slice(&config.mirrors);
    let origin = origin(programs, config)?;
    let key = key(programs.key.as_ref().or(config.release_key.as_ref()).map_or(RELEASE_KEY, String::as_str))?;
    let (manifest, bundle) = match origin {
        Origin::Bundle(path) => {
            let opened = bundle::manifest(files::open(&path)?, &key);
            let (_, manifest) = opened.map_err(|error| unusable_bundle(&path, &error))?;
            (manifest, Some((path, key)))
        }
        Origin::Manifest(place) => (manifest(&place, &key, outward)?, None),
    };
    let order = order(config)?;
    let picks = order.fill(&manifest).map_err(|error| {
        Failure::input("not-in-manifest", "cannot supply this machine", error)
            .with_hint("components.kubernetes and its neighbours say which versions are wanted")
    })?;
    // Images have no address: without the bundle nobody has them.
    let images = if bundle.is_some() { order.images(&manifest) } else { Vec::new() };
    Ok(Chosen { stock: Stock { picks, mirrors, images }, bundle })
}

fn origin(programs: &Programs, config: &FlexConfig) -> Result<Origin, Failure> {
    if let Some(path) = &programs.bundle {
        return Ok(Origin::Bundle(path.clone()));
    }
    if let Some(place) = &programs.manifest {
        return Ok(Origin::Manifest(place.clone()));
    }
    if let Some(source) = &config.offline_source {
        let kubernetes = config.versions.kubernetes.as_deref().unwrap_or_default();
        let path = offline_bundle(source, kubernetes).map_err(|error| {
            Failure::input("bad-bundle", "cannot use bootstrap.offlineArtifacts.source", error)
                .with_hint("slipway flex bundle create makes a bundle; the peer's own bundles are not signed")
        })?;
        return Ok(Origin::Bundle(path));
    }
    let usual = || files::exists(Path::new(MANIFEST)).then(|| MANIFEST.to_owned());
    config.manifest.clone().or_else(usual).map(Origin::Manifest).ok_or_else(|| {
        Failure::input(
            "no-programs",
            "cannot tell where the machine's programs come from",
            format!("neither a bundle nor a manifest is given, and there is no {MANIFEST}"),
        )
        .with_hint(
            "give --manifest, or --bundle, which slipway flex bundle create makes; or say components.manifest or \
             bootstrap.offlineArtifacts.source in the configuration",
        )
    })
}

fn order(config: &FlexConfig) -> Result<Order, Failure> {
    let versions = &config.versions;
    let bad = |error| Failure::input("bad-version", "cannot supply this machine", error);
    let kubernetes = versions.kubernetes.as_deref().unwrap_or_default();
    let mut order = Order::new(kubernetes, Architecture::own()).map_err(bad)?;
    for (component, version) in [
        (Component::Containerd, &versions.containerd),
        (Component::Runc, &versions.runc),
        (Component::CniPlugins, &versions.cni),
    ] {
        if let Some(version) = version {
            order = order.with(component, version.parse().map_err(bad)?);
        }
    }
    Ok(order)
}

/// Records what the machine is given, and brings the bundle's files to it.
pub(super) fn store(chosen: &Chosen, host: &dyn Host) -> Result<(), Failure> {
    record(&chosen.stock, host)?;
    bring(chosen, host)
}

/// Records what the machine is given.
pub(super) fn record(stock: &Stock, host: &dyn Host) -> Result<(), Failure> {
    keep_note(host, NOTE, &stock.text()).map_err(|error| {
        Failure::machine("no-record", "cannot keep a record below /var/lib/slipway", os_text(&error))
    })?;
    kept::supplied(host, kubernetes(stock).unwrap_or_default())
}

/// The version of Kubernetes that a machine is given.
fn kubernetes(stock: &Stock) -> Option<&str> {
    let kubelet = stock.picks.iter().find(|pick| pick.component == Component::Kubelet)?;
    Some(kubelet.version.as_str())
}

/// What the machine was given, if it was.
pub(super) fn recorded(host: &dyn Host) -> Result<Option<Stock>, Failure> {
    notes::read(host, NOTE, Stock::parse)
}

/// Brings the bundle's files to the machine.
pub(super) fn bring(chosen: &Chosen, host: &dyn Host) -> Result<(), Failure> {
    let Some((path, key)) = &chosen.bundle else { return Ok(()) };
    let wanted = |digest: &Digest| chosen.stock.digests().any(|other| other == digest);
    store::fill(files::open(path)?, key, wanted, host).map_err(|error| unusable_bundle(path, &error))
}

/// A public key, given as text or as a file.
pub(super) fn key(text_or_file: &str) -> Result<PublicKey, Failure> {
    if let Ok(key) = PublicKey::parse(text_or_file) {
        return Ok(key);
    }
    let input = files::read(Path::new(text_or_file)).map_err(|failure| {
        failure.with_hint("--key gives the public key that vouches for it, as text or as a file")
    })?;
    PublicKey::parse(&String::from_utf8_lossy(&input.text))
        .map_err(|error| Failure::input("bad-key", format!("cannot use {}", input.name), error))
}

pub(super) fn mirrors(texts: &[String]) -> Result<Vec<Mirror>, Failure> {
    let parsed = texts.iter().map(|text| text.parse::<Mirror>());
    // The text may hold a password, so it is not repeated.
    parsed
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::input("bad-mirror", "cannot use a --mirror", error))
}

pub(super) fn unusable_bundle(path: &Path, error: &BundleError) -> Failure {
    let blame = if matches!(error, BundleError::Io(_)) { Blame::Machine } else { Blame::Input };
    let failure = Failure::input("bad-bundle", format!("cannot use {}", path.display()), error);
    Failure { blame, ..failure }
        .with_hint("compare it with the original, and the key with that of whoever made it")
}

fn manifest(place: &str, key: &PublicKey, outward: &Outward) -> Result<Manifest, Failure> {
    let beside = format!("{place}.minisig");
    let remote = place.starts_with("https://") || place.starts_with("http://");
    let (text, signature) = if remote {
        let client = outward.client()?;
        (fetched(&client, place)?, fetched(&client, &beside)?)
    } else {
        (files::read(Path::new(place))?.text, files::read(Path::new(&beside))?.text)
    };
    let signed = Signed { text, signature: String::from_utf8_lossy(&signature).into_owned() };
    signed.open(key).map_err(|error| {
        Failure::input("bad-manifest", format!("cannot use the manifest {}", shown(place)), error)
            .with_hint("compare the key with that of whoever made the manifest")
    })
}

fn fetched(client: &Client, address: &str) -> Result<Vec<u8>, Failure> {
    let doing = || format!("cannot fetch {}", shown(address));
    let url = Url::parse(address).map_err(|error| Failure::input("bad-address", doing(), error))?;
    let never = || false;
    let patience = Patience::new(Instant::now() + MANIFEST_WITHIN, &never);
    let mut text = Vec::new();
    let download = Download { url, sha256: None, most: LARGEST_MANIFEST };
    fetch(client, &download, &mut text, patience).map_err(|error| Failure {
        blame: error.blame(),
        hint: error.hint().map(str::to_owned),
        ..Failure::input("manifest-unreachable", doing(), &error)
    })?;
    Ok(text)
}

/// An address without what may be secret.
fn shown(place: &str) -> String {
    Url::parse(place).map_or_else(|_| place.to_owned(), |url| url.to_string())
}
