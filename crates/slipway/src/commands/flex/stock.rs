//! Where the machine's programs come from: a bundle, or a manifest and the network.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use slipway_apply::keep_note;
use slipway_fetch::{Call, Client, Patience, Trust, Url};
use slipway_flex::FlexConfig;
use slipway_flex::supply::bundle::{self, BundleError};
use slipway_flex::supply::{
    Architecture, Digest, Manifest, Mirror, Order, PublicKey, STORE, Signed, Stock, stored,
};
use slipway_host::{Host, Writer, os_text};
use slipway_model::Attributes;
use slipway_model::node::Component;

use crate::cli::Programs;
use crate::failure::{Blame, Failure};
use crate::files;

/// The name of the record of what a machine was given.
const NOTE: &str = "supplies.json";
/// How long a manifest may take to come.
const MANIFEST_WITHIN: Duration = Duration::from_mins(1);
const LARGEST_MANIFEST: usize = 16 << 20;

/// What the machine is given, and the bundle that holds it.
pub(super) struct Chosen {
    pub(super) stock: Stock,
    bundle: Option<(PathBuf, PublicKey)>,
}

/// Chooses what the configuration asks for.
pub(super) fn choose(programs: &Programs, config: &FlexConfig) -> Result<Chosen, Failure> {
    let mirrors = mirrors(&programs.mirror)?;
    let (manifest, bundle) = match (&programs.bundle, &programs.manifest) {
        (Some(path), _) => {
            let key = key(&programs.key)?;
            let opened = bundle::manifest(files::open(path)?, &key);
            let (_, manifest) = opened.map_err(|error| unusable_bundle(path, &error))?;
            (manifest, Some((path.clone(), key)))
        }
        (None, Some(place)) => (manifest(place, &key(&programs.key)?)?, None),
        (None, None) => {
            return Err(Failure::input(
                "no-programs",
                "cannot tell where the machine's programs come from",
                "neither a bundle nor a manifest is given",
            )
            .with_hint("give --manifest, or --bundle, which slipway flex bundle create makes"));
        }
    };
    let picks = order(config)?.fill(&manifest).map_err(|error| {
        Failure::input("not-in-manifest", "cannot supply this machine", error)
            .with_hint("components.kubernetes and its neighbours say which versions are wanted")
    })?;
    Ok(Chosen { stock: Stock { picks, mirrors }, bundle })
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
    keep_note(host, NOTE, &chosen.stock.text()).map_err(|error| {
        Failure::machine("no-record", "cannot keep a record below /var/lib/slipway", os_text(&error))
    })?;
    let Some((path, key)) = &chosen.bundle else { return Ok(()) };
    let wanted = |digest: &Digest| chosen.stock.picks.iter().any(|pick| pick.sha256 == *digest);
    let opened = files::open(path)?;
    let unpacked = make_store(host).map_err(BundleError::from).and_then(|()| {
        bundle::unpack(opened, key, |digest, size| {
            let there = host.entry(&stored(digest))?.is_some_and(|entry| entry.size == size);
            if there || !wanted(digest) {
                return Ok(None);
            }
            Ok(Some(Box::new(Filing::new(host, &stored(digest))?)))
        })
    });
    unpacked.map(|_| ()).map_err(|error| unusable_bundle(path, &error))
}

fn make_store(host: &dyn Host) -> io::Result<()> {
    let store = Path::new(STORE);
    match host.entry(store)? {
        Some(_) => Ok(()),
        None => host.make_directory(store, Attributes::root(0o700)),
    }
}

/// A file on its way into the store: it has its name when all of it is there.
struct Filing<'a> {
    host: &'a dyn Host,
    path: PathBuf,
    new: PathBuf,
    writer: Box<dyn Writer>,
}

impl<'a> Filing<'a> {
    fn new(host: &'a dyn Host, path: &Path) -> io::Result<Self> {
        let new = path.with_extension("new");
        if host.entry(&new)?.is_some() {
            host.remove(&new)?;
        }
        let writer = host.create(&new, Attributes::root(0o600))?;
        Ok(Self { host, path: path.to_owned(), new, writer })
    }
}

impl Write for Filing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.sync()?;
        self.host.rename(&self.new, &self.path)
    }
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

fn manifest(place: &str, key: &PublicKey) -> Result<Manifest, Failure> {
    let beside = format!("{place}.minisig");
    let remote = place.starts_with("https://") || place.starts_with("http://");
    let (text, signature) = if remote {
        (fetched(place)?, fetched(&beside)?)
    } else {
        (files::read(Path::new(place))?.text, files::read(Path::new(&beside))?.text)
    };
    let signed = Signed { text, signature: String::from_utf8_lossy(&signature).into_owned() };
    signed.open(key).map_err(|error| {
        Failure::input("bad-manifest", format!("cannot use the manifest {}", shown(place)), error)
            .with_hint("compare the key with that of whoever made the manifest")
    })
}

fn fetched(address: &str) -> Result<Vec<u8>, Failure> {
    let doing = || format!("cannot fetch {}", shown(address));
    let url = Url::parse(address).map_err(|error| Failure::input("bad-address", doing(), error))?;
    let network = |error: &dyn std::fmt::Display| Failure {
        blame: Blame::Network,
        ..Failure::input("manifest-unreachable", doing(), error)
    };
    let client = Client::new(&Trust::SystemAnd(Vec::new()), None, None).map_err(|error| network(&error))?;
    let never = || false;
    let patience = Patience::new(Instant::now() + MANIFEST_WITHIN, &never);
    let mut answer = client.call(&Call::get(&url), patience).map_err(|error| network(&error))?;
    match answer.status() {
        200 => answer.bytes(LARGEST_MANIFEST).map_err(|error| network(&error)),
        status => Err(network(&format_args!("the server answered with status {status}"))),
    }
}

/// An address without what may be secret.
fn shown(place: &str) -> String {
    Url::parse(place).map_or_else(|_| place.to_owned(), |url| url.to_string())
}
